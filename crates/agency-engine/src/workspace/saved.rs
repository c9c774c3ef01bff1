//! The ref that keeps the work of a run whose workspace is gone.

use std::path::Path;

use agency_model::RunId;

use super::git_command::GitCommand;
use super::{Commit, Result, SavedWork, branch};

/// The work that was saved for a run; `None` when there is none.
pub(super) fn find(git_dir: &Path, run: &RunId, base: &Commit) -> Result<Option<SavedWork>> {
    let reference = run.saved_work_ref();
    match branch::commit_of(git_dir, &reference)? {
        Some(commit) => Ok(Some(describe(git_dir, reference, commit, base)?)),
        None => Ok(None),
    }
}

/// Counts what a saved commit holds.
pub(super) fn describe(git_dir: &Path, reference: String, commit: Commit, base: &Commit) -> Result<SavedWork> {
    let names = GitCommand::on(git_dir)
        .run(["diff-tree", "-r", "--name-only", "-z"])
        .args([base.as_str(), commit.as_str()])
        .read()?;
    let files = names.iter().filter(|byte| **byte == 0).count();
    Ok(SavedWork { reference, commit, files })
}
