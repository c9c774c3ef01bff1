//! Brings commits that were made on a detached HEAD onto the branch of the worktree.
//!
//! The one rule: the branch moves forward only, from the commit that was looked at, and before HEAD names it: after a
//! crash between the two, HEAD still leads to the work.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::super::checkout::Checkout;
use super::super::git_command::GitCommand;
use super::super::head::Head;
use super::super::merge::{MergeError, contains};
use super::super::own_ref;
use super::super::worktree_lookup::FoundWorktree;
use super::super::{GitWorktree, WorkspaceError, branch, git_state};

/// Whether HEAD was changed.
pub(super) enum Attached {
    /// It names the branch now.
    Now,
    /// It names a branch already, or its work cannot be brought to the branch this way.
    NotNeeded,
}

/// Moves the branch to the commit at a detached HEAD that follows it, and lets HEAD name the branch.
pub(super) fn to_branch(
    worktree: &GitWorktree,
    lookup: &FoundWorktree,
    checkout: &Checkout,
    admin_dir: &Path,
) -> Result<Attached, MergeError> {
    let common_dir = &lookup.common_dir;
    let Head::Detached(commit) = &checkout.head else { return Ok(Attached::NotNeeded) };
    // A rebase and the like work on a detached HEAD.
    if git_state::in_progress(admin_dir).is_some() {
        return Ok(Attached::NotNeeded);
    }
    let full_name = branch::full_name(&worktree.branch);
    let Some(tip) = own_ref::commit_at(common_dir, &full_name)? else { return Ok(Attached::NotNeeded) };
    // Another checkout of the branch would be left behind.
    let others = lookup.others(worktree)?;
    let is_elsewhere = others.iter().any(|other| other.branch.as_deref() == Some(worktree.branch.as_str()));
    if is_elsewhere || !contains(common_dir, commit, &tip)? {
        return Ok(Attached::NotNeeded);
    }
    if tip != *commit {
        let git = GitCommand::on(common_dir).config("core.hooksPath=/dev/null");
        let update = own_ref::update(git, "agency: commits of a detached HEAD");
        update.args([full_name.as_str(), commit.as_str(), tip.as_str()]).read()?;
    }
    set_head(worktree, (common_dir, admin_dir), &Head::Ref(full_name))?;
    Ok(Attached::Now)
}

/// Lets HEAD of a worktree name a branch or a commit.
pub(super) fn set_head(
    worktree: &GitWorktree,
    (common_dir, admin_dir): (&Path, &Path),
    head: &Head,
) -> Result<(), MergeError> {
    // Git's own entry, not a symlink of the agent's to another place.
    let is_in_reftable = fs::symlink_metadata(admin_dir.join("reftable")).is_ok_and(|found| found.is_dir());
    if !is_in_reftable {
        return replace_head(worktree, admin_dir, head);
    }
    let git = GitCommand::on(admin_dir).env("GIT_COMMON_DIR", common_dir).config("core.hooksPath=/dev/null");
    match head {
        Head::Ref(name) => drop(git.run(["symbolic-ref", "HEAD"]).arg(name).read()?),
        Head::Detached(commit) => own_ref::detach_head(git, commit)?,
    }
    Ok(())
}

/// Writes HEAD as git does: under its lock, and as a whole.
fn replace_head(worktree: &GitWorktree, admin_dir: &Path, head: &Head) -> Result<(), MergeError> {
    let (file, lock) = (admin_dir.join("HEAD"), admin_dir.join("HEAD.lock"));
    let mut locked = match File::create_new(&lock) {
        Ok(locked) => locked,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(MergeError::CheckoutLocked { path: worktree.path.clone(), lock, message: String::new() });
        }
        Err(error) => return Err(WorkspaceError::io("create", &lock)(error).into()),
    };
    let written = locked.write_all(head.file_content().as_bytes()).and_then(|()| fs::rename(&lock, &file));
    written.map_err(|error| {
        // Git would wait for it.
        let _ = fs::remove_file(&lock);
        WorkspaceError::io("write", &file)(error).into()
    })
}
