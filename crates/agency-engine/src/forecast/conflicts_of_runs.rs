//! What the last forecast says about single runs, for lists and views. Git is not asked.

use std::collections::HashMap;

use agency_model::RunId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Forecast, ForecastVerdict};
use crate::agency::Agency;
use crate::store::RunRow;

/// What the last forecast says about one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RunConflicts {
    /// When the branches and the work of the runs were read.
    pub computed_at: Timestamp,
    /// The branch that the work would be merged into.
    pub target: String,
    /// What that merge would give.
    pub verdict: ForecastVerdict,
    /// The runs whose work conflicts with this one and has not landed.
    pub conflicts_with: Vec<RunId>,
}

impl RunConflicts {
    /// Whether there is any conflict.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.verdict == ForecastVerdict::Conflict || !self.conflicts_with.is_empty()
    }
}

impl Agency {
    /// What the last forecasts say about runs, each of a repository. Runs that they do not name, and those that have
    /// landed, have no entry.
    #[must_use]
    pub fn kept_conflicts<'a>(&self, runs: impl Iterator<Item = (&'a RunId, &'a str)>) -> HashMap<RunId, RunConflicts> {
        if !self.home.forecasts().is_dir() {
            // To find out what a processor can do before the first hash takes longer than everything else here.
            return HashMap::new();
        }
        let mut forecasts: HashMap<&str, Option<Forecast>> = HashMap::new();
        let mut known: HashMap<RunId, bool> = HashMap::new();
        let mut is_unlanded = |id: &RunId| {
            let look = || self.store.run(id).is_ok_and(|row| has_unlanded_work(&row));
            *known.entry(id.clone()).or_insert_with(look)
        };
        let mut found = HashMap::new();
        for (id, repository) in runs {
            let read = || self.kept_forecast(repository);
            let Some(forecast) = forecasts.entry(repository).or_insert_with(read) else { continue };
            let Some(run) = forecast.run(id).filter(|_| is_unlanded(id)) else { continue };
            let conflicts = forecast.conflicts_of(id).into_iter();
            let conflicts_with = conflicts.filter(|other| is_unlanded(other)).cloned().collect();
            let (target, verdict, computed_at) = (run.target.clone(), run.verdict, forecast.computed_at);
            found.insert(id.clone(), RunConflicts { computed_at, target, verdict, conflicts_with });
        }
        found
    }
}

/// What happened since the forecast: a run may have landed or been removed.
fn has_unlanded_work(row: &RunRow) -> bool {
    row.removed_at.is_none() && row.worktree_path.is_some() && (row.landed_at.is_none() || !row.state.is_terminal())
}
