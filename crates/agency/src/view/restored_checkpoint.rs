//! What restoring a checkpoint did.

use agency_engine::agency::Agency;
use agency_engine::store::RunRow;
use agency_model::RunId;
use agency_model::run::ChangedPath;
use agency_workspace::{ChangedFile, RestoredFiles};
use schemars::JsonSchema;
use serde::Serialize;

use crate::run_names::called;

/// What restoring the files of a run did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredCheckpoint {
    pub(crate) id: RunId,
    /// The checkpoint that was restored; 0 is the start.
    pub(crate) number: u32,
    /// The checkpoint that has the files as they were before; 0 if they were as at the start.
    pub(crate) before: u32,
    /// The files that were changed.
    pub(crate) changed_files: Vec<ChangedPath>,
    /// Files that the checkpoint has too, but that were left alone: no checkpoint holds what they are now.
    pub(crate) left_alone: Vec<String>,
    /// What happened to the branch, if it was moved.
    pub(crate) branch: Option<MovedBranch>,
    /// The command that takes the restore back.
    pub(crate) undo: String,
}

impl RestoredCheckpoint {
    pub(crate) fn new(agency: &Agency, row: &RunRow, number: u32, restored: &RestoredFiles) -> Self {
        let branch = restored.branch.as_ref().map(|moved| MovedBranch {
            name: moved.name.clone(),
            from: moved.from.to_string(),
            to: moved.to.to_string(),
        });
        let commits = if branch.is_some() { " --commits" } else { "" };
        let name = called(agency, &row.id);
        Self {
            id: row.id.clone(),
            number,
            before: restored.before,
            changed_files: restored.changed.iter().map(ChangedFile::noted).collect(),
            left_alone: restored.left_alone.iter().map(|path| path.display().to_string()).collect(),
            branch,
            undo: format!("agency checkpoint restore{commits} {name} {}", restored.before),
        }
    }
}

/// A branch that was moved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MovedBranch {
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: String,
}
