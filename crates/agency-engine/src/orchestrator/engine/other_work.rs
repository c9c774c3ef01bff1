//! What a merge means for others: the runs whose work conflicts with it, and what users said about it.
//!
//! The one rule: it is advice. Where it cannot be found out, the merge takes place all the same.

use agency_model::RunId;
use agency_workspace::{Repository, Review};
use tracing::warn;

use super::merge::Merging;
use crate::forecast::{Forecast, ForecastRequest, ForecastVerdict};

/// A run whose work does not merge with that of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConflictingRun {
    /// Its name.
    pub(super) name: String,
    /// The files, each with git's word for the kind of conflict.
    pub(super) files: Vec<String>,
}

impl Merging {
    /// The runs that would conflict once this is merged; none unless the step asks for it.
    pub(super) fn conflicting_runs(&self) -> Vec<ConflictingRun> {
        if !self.step.forecast {
            return vec![];
        }
        let mut agency = self.agency.clone();
        let request = ForecastRequest::new(self.repository.root()).into(Some(self.into.clone()));
        match agency.forecast(&request) {
            Ok(forecast) => conflicts_in(&forecast, |id| {
                agency.store.run(id).is_ok_and(|row| row.worktree_path.as_deref() == self.worktree.path.to_str())
            }),
            Err(error) => {
                warn!(repo = %self.repository.root().display(), %error, "no forecast for a merge");
                vec![]
            }
        }
    }

    /// Who approved exactly what would be merged, unless comments on it are open.
    pub(super) fn approved_by(&self, review: &Review) -> Option<String> {
        let tree = Repository::from_root(self.worktree.repository.clone()).tree_of(&review.branch_commit).ok()?;
        let row = self.agency.store.run(&self.maker).ok()?;
        let approval = self.agency.approval_of(&row).ok()??;
        (approval.tree == tree && self.open_comments() == 0).then_some(approval.approved_by)
    }

    /// How many comments on the work wait to be sent or addressed.
    pub(super) fn open_comments(&self) -> u32 {
        let counted = self.agency.store.run(&self.maker).ok().map(|row| self.agency.open_comments(&row));
        counted.and_then(Result::ok).map_or(0, |(open, sent)| open + sent)
    }
}

/// The runs that conflict with the one that is in the worktree of the session.
fn conflicts_in(forecast: &Forecast, is_own: impl Fn(&RunId) -> bool) -> Vec<ConflictingRun> {
    let Some(own) = forecast.runs.iter().find(|run| is_own(&run.id)) else { return vec![] };
    let pairs = forecast.pairs.iter().filter(|pair| pair.verdict == ForecastVerdict::Conflict);
    pairs
        .filter_map(|pair| {
            let other = match (pair.first == own.id, pair.second == own.id) {
                (true, _) => &pair.second,
                (_, true) => &pair.first,
                (false, false) => return None,
            };
            let name = forecast.run(other)?.name.clone().unwrap_or_else(|| other.to_string());
            let files = pair.files.iter().map(|file| format!("{} ({})", file.path, file.kind)).collect();
            Some(ConflictingRun { name, files })
        })
        .collect()
}

/// The runs with their files, a line each.
pub(super) fn listed(runs: &[ConflictingRun]) -> String {
    runs.iter().map(|run| format!("  {}: {}\n", run.name, run.files.join(", "))).collect()
}
