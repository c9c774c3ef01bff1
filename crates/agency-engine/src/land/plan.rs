//! What landing would do. Nothing is changed.

use agency_model::RunId;
use agency_model::run::ChangedPath;
use agency_workspace::{ChangedFile, Conflict, Mergeable};
use schemars::JsonSchema;
use serde::Serialize;

use super::attempt::Prepared;
use super::ready::AtWork;
use super::{LandError, LandRequest};
use crate::agency::Agency;
use crate::store::RunRow;

/// What landing one run would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LandPlan {
    /// The run.
    pub id: RunId,
    /// The branch it would land on.
    pub target: String,
    /// How: `merge`, `squash` or `rebase`.
    pub strategy: String,
    /// Whether it would merge.
    pub outcome: PlannedOutcome,
    /// The files that do not merge, each with the kind of conflict as git names it.
    pub conflicts: Vec<PlannedConflict>,
    /// How many files would be committed first.
    pub uncommitted: usize,
    /// The files that the run changed since it left the branch.
    pub files: Vec<ChangedPath>,
    /// The message of its commits.
    pub message: String,
    /// The commands that would check the merged files.
    pub checks: Vec<String>,
    /// What keeps it from landing now; none if nothing does.
    pub obstacle: Option<String>,
}

/// Whether work merges into its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlannedOutcome {
    /// It does.
    Clean,
    /// Both sides changed the same lines.
    Conflicts,
    /// The target has it already.
    AlreadyLanded,
    /// There is nothing to merge.
    Nothing,
}

/// A file that does not merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedConflict {
    /// The file.
    pub path: String,
    /// The kind of conflict, as git names it.
    pub kind: String,
}

impl Agency {
    /// What landing a run would do now: what is not committed is taken into account, and stays as it is.
    pub fn plan_landing(&mut self, row: &RunRow, request: &LandRequest) -> Result<LandPlan, LandError> {
        let obstacle = match self.at_rest(&row.id, AtWork::Refuse) {
            Ok(_) => None,
            Err(LandError::NotReady { why, .. }) => Some(why),
            Err(error) => return Err(error),
        };
        let row = self.store.run(&row.id)?;
        let Prepared { row, worktree, target, checks, .. } = self.prepare_landing(row, request)?;
        let look = worktree.preview_merge(&target)?;
        let (outcome, conflicts) = match look.mergeable {
            Mergeable::Cleanly => (PlannedOutcome::Clean, vec![]),
            Mergeable::AlreadyMerged if look.commit.as_str() == row.base_commit && row.landed_at.is_none() => {
                (PlannedOutcome::Nothing, vec![])
            }
            Mergeable::AlreadyMerged => (PlannedOutcome::AlreadyLanded, vec![]),
            Mergeable::Conflicts(files) => (PlannedOutcome::Conflicts, files),
        };
        let conflict =
            |file: &Conflict| PlannedConflict { path: file.path.display().to_string(), kind: file.kind.clone() };
        Ok(LandPlan {
            target,
            strategy: request.strategy.as_str().to_owned(),
            outcome,
            conflicts: conflicts.iter().map(conflict).collect(),
            uncommitted: look.uncommitted,
            files: look.files.iter().map(ChangedFile::noted).collect(),
            message: request.message.clone().unwrap_or_else(|| self.land_message(&row)),
            checks,
            obstacle,
            id: row.id,
        })
    }
}
