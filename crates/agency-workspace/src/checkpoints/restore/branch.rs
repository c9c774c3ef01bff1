//! Moves the branch of a run back to the commit that was checked out at a checkpoint.
//!
//! The one rule: the branch moves by compare-and-swap from the commit that a checkpoint holds.

use super::super::super::commit_all::{linked_admin_dir, replace_index};
use super::super::super::git_command::GitCommand;
use super::super::super::private_git::{Objects, PrivateGit};
use super::super::super::temporary::TemporaryDirectory;
use super::super::super::{Commit, GitWorktree, branch as branches, own_ref};
use super::super::{CheckpointError, Place};
use super::Result;

/// A branch that was moved with the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedBranch {
    /// Its name.
    pub name: String,
    /// The commit that it pointed at.
    pub from: Commit,
    /// The commit that it points at now.
    pub to: Commit,
}

/// Refuses a worktree whose branch cannot be moved with its files.
pub(super) fn check(worktree: &GitWorktree, place: &Place) -> Result<()> {
    let name = branches::full_name(&worktree.branch);
    let is_second_name = own_ref::is_symbolic(&place.common_dir, &name)?;
    if place.checkout.head.branch_name() != Some(&worktree.branch) || is_second_name || place.head()?.is_none() {
        let (branch, path) = (worktree.branch.clone(), worktree.path.clone());
        return Err(CheckpointError::NotOnBranch { branch, path });
    }
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), &place.checkout, Objects::Private { also_from: None })?;
    if private
        .agents_index(&place.checkout)?
        .entries
        .iter()
        .any(super::super::super::index_file::IndexEntry::is_skipped)
    {
        return Err(CheckpointError::Sparse { path: worktree.path.clone() });
    }
    Ok(())
}

/// Moves the branch, and lets the worktree's index be that of the commit; `None` if it is there already.
pub(super) fn move_to(
    worktree: &GitWorktree,
    place: &Place,
    (from, to): (Option<&Commit>, Option<&Commit>),
    number: u32,
) -> Result<Option<MovedBranch>> {
    let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
    let name = &worktree.branch;
    let not_moved = |message: String| CheckpointError::BranchNotMoved { branch: worktree.branch.clone(), message };
    if from != to {
        let git = GitCommand::on(&place.common_dir).config("core.hooksPath=/dev/null");
        let git = own_ref::update(git, &format!("agency: restored to checkpoint {number}"));
        let moved = git.arg(branches::full_name(name)).args([to.as_str(), from.as_str()]).finish()?;
        if !moved.success {
            return Err(not_moved(moved.stderr));
        }
    }
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), &place.checkout, Objects::Private { also_from: None })?;
    private.git().run(["read-tree"]).arg(to.as_str()).read()?;
    // Files that differ from the commit are not a failure.
    private.git().run(["update-index", "-q", "--refresh"]).finish()?;
    let admin_dir = linked_admin_dir(worktree, &place.checkout).map_err(|error| not_moved(error.to_string()))?;
    replace_index(&worktree.path, &admin_dir, &private.index())
        .map_err(|error| not_moved(format!("it was moved, but git's index was not updated: {error}")))?;
    Ok((from != to).then(|| MovedBranch { name: name.clone(), from: from.clone(), to: to.clone() }))
}
