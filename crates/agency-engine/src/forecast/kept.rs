//! The last forecast of a repository, in a file that lists and views read without git.
//!
//! The one rule: a file that cannot be read counts as missing; the next forecast replaces it.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Forecast, ForecastVerdict};
use crate::home::{read_private_file, write_atomically};

/// A larger file is not read.
const MAX_FORECAST_BYTES: u64 = 64 * 1024 * 1024;

/// What the file holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptForecast {
    /// The forecast.
    pub(super) forecast: Forecast,
    /// The conflicts that are events of their runs, as long as they last.
    #[serde(default)]
    pub(super) reported: BTreeSet<Reported>,
}

/// A conflict that was reported: of a run with another one, or with its target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Reported {
    /// The older run.
    pub(super) run: String,
    /// The younger run, or the branch.
    pub(super) with: String,
}

/// Reads the file.
pub(super) fn read(path: &Path) -> Option<KeptForecast> {
    serde_json::from_slice(&read_private_file(path, MAX_FORECAST_BYTES).ok()?).ok()
}

/// Replaces the file.
pub(super) fn write(path: &Path, kept: &KeptForecast) -> Result<(), super::ForecastError> {
    let text = serde_json::to_vec(kept).unwrap_or_default();
    Ok(write_atomically(path, &text)?)
}

impl Forecast {
    /// All conflicts, in the form in which they are noted as reported.
    pub(super) fn conflicts(&self) -> BTreeSet<Reported> {
        let runs = self.runs.iter().filter(|run| run.verdict == ForecastVerdict::Conflict);
        let with_targets = runs.map(|run| Reported { run: run.id.to_string(), with: run.target.clone() });
        let pairs = self.pairs.iter().filter(|pair| pair.verdict == ForecastVerdict::Conflict);
        let with_runs = pairs.map(|pair| Reported { run: pair.first.to_string(), with: pair.second.to_string() });
        with_targets.chain(with_runs).collect()
    }
}
