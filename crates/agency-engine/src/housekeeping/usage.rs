//! `agency du`: the disk space of everything in the home, by run, repository and kind.
//!
//! The one rule: every block is counted once, and what cannot be counted is counted as unread.

mod sum;

use std::path::PathBuf;

use agency_model::RunId;
use agency_model::run::State;
use agency_system::disk::{DiskMeter, DiskUse, free_bytes};
use schemars::JsonSchema;
use serde::Serialize;

use super::places::{Owners, children, name_of, trials, worktrees};
use super::{HousekeepingError, Listener};
use crate::agency::Agency;
use crate::store::RunFilter;

/// What is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct UsageRequest {
    /// Only what belongs to the repository at this root.
    pub repo: Option<String>,
}

/// What takes space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DiskKind {
    /// Worktrees of runs.
    Worktrees,
    /// Run directories: logs, events, private git directories.
    Logs,
    /// Trial trees.
    Trials,
    /// What `agency rm --force` and users moved aside.
    Kept,
    /// Worktrees that are being deleted.
    Trash,
    /// Workflow sessions.
    Sessions,
    /// Clones of sources.
    Sources,
    /// The database.
    Database,
    /// Everything else in the home.
    Other,
}

impl DiskKind {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worktrees => "worktrees",
            Self::Logs => "logs",
            Self::Trials => "trials",
            Self::Kept => "kept",
            Self::Trash => "trash",
            Self::Sessions => "sessions",
            Self::Sources => "sources",
            Self::Database => "database",
            Self::Other => "other",
        }
    }
}

/// The disk space of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct KindUsage {
    /// The kind.
    pub kind: DiskKind,
    /// Its size.
    pub bytes: u64,
}

/// The disk space of a repository's runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RepositoryUsage {
    /// Its root; `null` for what no run is known for.
    pub repo: Option<String>,
    /// How many runs take space.
    pub runs: usize,
    /// All of it together.
    pub bytes: u64,
    /// Worktrees.
    pub worktree_bytes: u64,
    /// Run directories.
    pub log_bytes: u64,
    /// Trial trees.
    pub trial_bytes: u64,
    /// What was moved to `kept/`.
    pub kept_bytes: u64,
}

/// The disk space of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunUsage {
    /// The run; of several in one worktree, the one that made it has the worktree.
    pub id: RunId,
    /// Its name.
    pub name: Option<String>,
    /// Where it stands; `null` for a directory whose run the database does not have.
    pub state: Option<State>,
    /// Whether `agency rm` removed it.
    pub removed: bool,
    /// Its repository.
    pub repo: Option<String>,
    /// All of it together.
    pub bytes: u64,
    /// The worktree.
    pub worktree_bytes: u64,
    /// The run directory.
    pub log_bytes: u64,
    /// What was moved to `kept/`.
    pub kept_bytes: u64,
}

/// What takes disk space, the largest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DiskUsage {
    /// The home.
    pub home: String,
    /// Everything that was counted.
    pub bytes: u64,
    /// What is free on the disk of the home, where the system tells.
    pub free_bytes: Option<u64>,
    /// How many files and directories could not be counted.
    pub unread: u64,
    /// By kind.
    pub kinds: Vec<KindUsage>,
    /// By repository.
    pub repositories: Vec<RepositoryUsage>,
    /// By run.
    pub runs: Vec<RunUsage>,
}

/// A directory or file that is measured.
struct Measured {
    path: PathBuf,
    kind: DiskKind,
    run: Option<RunId>,
    repo: Option<String>,
}

impl Agency {
    /// Measures what the home holds.
    pub fn disk_usage(
        &mut self,
        request: &UsageRequest,
        listener: &Listener<'_>,
    ) -> Result<DiskUsage, HousekeepingError> {
        let rows = self.list(&RunFilter { removed: true, ..RunFilter::default() })?;
        let owners = Owners::of(rows);
        let mut places = self.places(&owners);
        if let Some(repo) = &request.repo {
            places.retain(|place| place.repo.as_ref() == Some(repo));
        }
        let meter = DiskMeter::default();
        let sizes = listener.each(&places, |place| meter.measure(&place.path, listener.stop()));
        let sizes: Vec<DiskUse> = sizes.ok_or(HousekeepingError::Interrupted)?;
        let free = free_bytes(self.home.root()).ok();
        Ok(sum::up(&self.home, &owners, places.iter().zip(sizes), free))
    }

    /// Everything in the home, each file below exactly one path.
    fn places(&self, owners: &Owners) -> Vec<Measured> {
        let home = &self.home;
        let mut places: Vec<Measured> = vec![];
        for place in worktrees(home, owners) {
            places.push(Measured { path: place.path, kind: DiskKind::Worktrees, run: place.run, repo: place.repo });
        }
        for (parent, kind) in [(home.runs(), DiskKind::Logs), (home.kept(), DiskKind::Kept)] {
            for path in children(&parent) {
                let run: Option<RunId> = name_of(&path).parse().ok();
                let repo = run.as_ref().and_then(|run| owners.row(run)).map(|row| row.repo_path.clone());
                places.push(Measured { path, kind, run, repo });
            }
        }
        for place in trials(home, owners) {
            places.push(Measured { path: place.path, kind: DiskKind::Trials, run: None, repo: place.repo });
        }
        let elsewhere = self.config.sources_dir.clone().filter(|sources| !sources.starts_with(home.root()));
        let others = children(home.root()).into_iter().chain(elsewhere.clone());
        let listed = [home.worktrees(), home.runs(), home.kept(), home.trials()];
        for path in others.filter(|path| !listed.contains(path)) {
            let kind = if elsewhere.as_ref() == Some(&path) { DiskKind::Sources } else { kind_of(&name_of(&path)) };
            places.push(Measured { path, kind, run: None, repo: None });
        }
        places
    }
}

/// The kind of what is at the top of the home.
fn kind_of(name: &str) -> DiskKind {
    match name {
        "trash" => DiskKind::Trash,
        "sessions" => DiskKind::Sessions,
        "sources" => DiskKind::Sources,
        name if name.starts_with("agency.db") => DiskKind::Database,
        _ => DiskKind::Other,
    }
}
