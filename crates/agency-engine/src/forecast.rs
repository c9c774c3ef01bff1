//! `agency forecast`: which runs would conflict with their target branch or with each other, before any of them lands.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(PLAIN)?;
//! use std::path::Path;
//!
//! use agency_engine::forecast::{ForecastRequest, ForecastVerdict};
//!
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! std::fs::write(Path::new(ended.worktree_path.as_deref().unwrap()).join("note"), "x")?;
//! let forecast = agency.forecast(&ForecastRequest::new(&ended.repo_path))?;
//! assert_eq!(forecast.runs[0].verdict, ForecastVerdict::Clean);
//! # Ok(())
//! # }
//! ```
//!
//! The one rule: a forecast names the trees and the time that it is about, and decides nothing: landing merges
//! and checks again.

mod background;
mod candidates;
mod compute;
mod conflicts_of_runs;
mod error;
mod kept;
mod report;
mod states;

use std::path::PathBuf;

use agency_model::RunId;
use agency_workspace::Repository;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::agency::Agency;

pub(crate) use self::background::{forecast_beside, run_in_background};
pub(crate) use self::compute::ComputedForecast;
pub use self::conflicts_of_runs::RunConflicts;
pub use self::error::ForecastError;

/// A request for a forecast.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastRequest {
    /// The root of the repository.
    pub repository: PathBuf,
    /// The branch that everything is to be merged into; for each run the one that it started from, if absent.
    pub into: Option<String>,
    /// Whether files are looked at that were recorded at the end of a turn.
    pub fresh: bool,
}

impl ForecastRequest {
    /// All runs of a repository as their work was recorded last, each with the branch that it started from.
    #[must_use]
    pub fn new(repository: impl Into<PathBuf>) -> Self {
        Self { repository: repository.into(), into: None, fresh: false }
    }

    /// Merges everything into this branch.
    #[must_use]
    pub fn into(mut self, branch: Option<String>) -> Self {
        self.into = branch;
        self
    }

    /// Looks at all files, also where they were recorded.
    #[must_use]
    pub const fn fresh(mut self, fresh: bool) -> Self {
        self.fresh = fresh;
        self
    }
}

/// What merges of the work of the runs of a repository would give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Forecast {
    /// The root of the repository.
    pub repo_path: String,
    /// When the branches and the work of the runs were read.
    pub computed_at: Timestamp,
    /// The branches that the runs would be merged into.
    pub targets: Vec<ForecastTarget>,
    /// The runs that have not landed, oldest first. Finished runs that changed nothing are left out.
    pub runs: Vec<ForecastRun>,
    /// The pairs of runs that conflict or of which that is not known; all others merge with each other.
    pub pairs: Vec<ForecastPair>,
}

/// A branch that runs would be merged into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastTarget {
    /// The branch.
    pub branch: String,
    /// The commit that it pointed at; absent if there is no such branch.
    pub commit: Option<String>,
}

/// A run, and what a merge of its work into its target would give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastRun {
    /// The run.
    pub id: RunId,
    /// Its name.
    pub name: Option<String>,
    /// The branch that it would be merged into.
    pub target: String,
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// The tree of its files.
    pub tree: Option<String>,
    /// Where that was read.
    pub source: Option<ForecastSource>,
    /// What a merge into the target would give.
    pub verdict: ForecastVerdict,
    /// The files that do not merge.
    pub files: Vec<ForecastFile>,
    /// Why the verdict is not known.
    pub reason: Option<String>,
}

/// Where the files of a run were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ForecastSource {
    /// In its last checkpoint.
    Checkpoint,
    /// In its worktree.
    Worktree,
}

/// What a merge would give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ForecastVerdict {
    /// No conflict.
    Clean,
    /// There is nothing to merge.
    Nothing,
    /// Some files do not merge.
    Conflict,
    /// It is not known.
    Unknown,
}

/// A file that does not merge.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastFile {
    /// Its path.
    pub path: String,
    /// The kind of conflict, as git names it.
    pub kind: String,
}

/// Two runs that do not merge with each other, or of which that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastPair {
    /// The older run.
    pub first: RunId,
    /// The younger one.
    pub second: RunId,
    /// `conflict` or `unknown`.
    pub verdict: ForecastVerdict,
    /// The files that do not merge.
    pub files: Vec<ForecastFile>,
    /// Why the verdict is not known.
    pub reason: Option<String>,
}

impl Forecast {
    /// The forecast for one run.
    #[must_use]
    pub fn run(&self, id: &RunId) -> Option<&ForecastRun> {
        self.runs.iter().find(|run| run.id == *id)
    }

    /// What is known about two runs; nothing if they merge.
    #[must_use]
    pub fn pair(&self, one: &RunId, other: &RunId) -> Option<&ForecastPair> {
        let is_it = |pair: &&ForecastPair| {
            (pair.first == *one && pair.second == *other) || (pair.first == *other && pair.second == *one)
        };
        self.pairs.iter().find(is_it)
    }

    /// The runs with which a run conflicts.
    #[must_use]
    pub fn conflicts_of(&self, id: &RunId) -> Vec<&RunId> {
        let conflicts = self.pairs.iter().filter(|pair| pair.verdict == ForecastVerdict::Conflict);
        let other = |pair: &'_ ForecastPair| -> Option<usize> {
            if pair.first == *id { Some(1) } else { (pair.second == *id).then_some(0) }
        };
        conflicts.filter_map(|pair| other(pair).map(|side| [&pair.first, &pair.second][side])).collect()
    }

    /// Whether a run conflicts with its target.
    #[must_use]
    pub fn conflicts_with_target(&self, id: &RunId) -> bool {
        self.run(id).is_some_and(|run| run.verdict == ForecastVerdict::Conflict)
    }
}

impl Agency {
    /// Forecasts the merges of all runs of a repository that have not landed. Where no other branch is named, the
    /// forecast is kept for [`Self::kept_forecast`], and conflicts that are new become events of their runs.
    pub fn forecast(&mut self, request: &ForecastRequest) -> Result<Forecast, ForecastError> {
        self.reconcile_live()?;
        let forecast = self.compute_forecast(request)?.forecast;
        if request.into.is_none()
            && let Err(error) = self.keep_forecast(&forecast)
        {
            warn!(repo = forecast.repo_path, %error, "a forecast was not kept");
        }
        Ok(forecast)
    }

    /// The last forecast of a repository; nothing if there is none that can be read. Git is not asked.
    #[must_use]
    pub fn kept_forecast(&self, repository: &str) -> Option<Forecast> {
        kept::read(&self.forecast_file(repository)).map(|kept| kept.forecast)
    }

    fn forecast_file(&self, repository: &str) -> PathBuf {
        let name = Repository::from_root(repository.into()).fingerprint();
        self.home.forecasts().join(format!("{name}.json"))
    }
}
