//! Makes a branch of the work that was saved for a run.

use agency_model::RunId;

use super::{Commit, Repository, Result, WorkspaceError, branch_changes, saved_work, worktree_refs};

/// A branch that holds what was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The new branch.
    pub branch: String,
    /// The commit it points at.
    pub commit: Commit,
    /// The refs that hold other commits of the run's worktree.
    pub other_refs: Vec<String>,
}

/// Makes a new branch at the saved work of a run. The ref stays, so this can be done again.
pub fn restore(repository: &Repository, run: &RunId, new_branch: &str) -> Result<Restored> {
    let common_dir = repository.common_dir()?;
    let other_refs = worktree_refs::find(&common_dir, run)?;
    let Some((_, commit)) = saved_work::locate(&common_dir, run)? else {
        return Err(WorkspaceError::NothingSaved { kept: None, run: run.clone(), other_refs });
    };
    branch_changes::check_new(repository.root(), new_branch)?;
    branch_changes::create(&common_dir, new_branch, &commit)?;
    Ok(Restored { branch: new_branch.to_owned(), commit, other_refs })
}
