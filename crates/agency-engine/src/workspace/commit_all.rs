//! Commits what an agent left in its worktree, as a person would: with the user's name, hooks and signature.
//!
//! The one rule: what cannot be committed whole (a half-done merge, another branch) is refused, never guessed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::git_command::GitCommand;
use super::link::Identity;
use super::merge::{Committed, MergeError, check_identity, paths_in};
use super::site::Site;
use super::staging::Staging;
use super::{Commit, GitWorktree, WorkspaceError, branch, link, operation};
use crate::fault;

/// The file that agency itself put there.
const PROMPT: &str = ".agency/prompt.md";

/// Commits every change and every new file that git is not told to ignore.
pub(super) fn commit_all(worktree: &GitWorktree, message: &str) -> Result<Committed, MergeError> {
    let checkout = Site::find(worktree)?.checkout(worktree)?;
    // Git is to find the repository by itself, as it does for a person; a torn link would lead it to another one.
    let not_registered = || {
        let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
        MergeError::from(WorkspaceError::NotRegistered { path, repository })
    };
    let admin_dir = checkout.admin_dir.as_ref().ok_or_else(not_registered)?;
    let linked = link::git_dir(&worktree.path).and_then(|git_dir| Identity::of(&git_dir));
    if linked != Identity::of(admin_dir) {
        return Err(not_registered());
    }
    refuse_half_done(worktree, admin_dir)?;
    check_branch(worktree)?;
    let staging = Staging::over(&checkout)?;
    add(worktree, &staging.nested().all())?;
    let left_out = staging.nested().not_saved();
    let git = || GitCommand::at(&worktree.path);
    let changed = git().run(["diff-index", "--cached", "--name-only", "-z", "--no-renames", "HEAD", "--"]).read()?;
    let files = paths_in(&changed).len();
    if files == 0 {
        return Ok(Committed { commit: tip(worktree)?, files, left_out });
    }
    check_identity(&worktree.path)?;
    let committed = git().in_users_language().run(["commit", "--quiet", "-m"]).arg(message).finish_despite_hooks()?;
    if !committed.success {
        return Err(MergeError::NotCommitted { path: worktree.path.clone(), message: committed.stderr });
    }
    fault::point("merge.committed");
    Ok(Committed { commit: tip(worktree)?, files, left_out })
}

/// Adds everything but repositories inside the worktree, and takes the prompt out again.
fn add(worktree: &GitWorktree, without: &[PathBuf]) -> Result<(), MergeError> {
    let excluded = without.iter().map(|path| {
        let mut pathspec = OsString::from(":(top,exclude,literal)");
        pathspec.push(path);
        pathspec
    });
    let git = || GitCommand::at(&worktree.path);
    git().run(["add", "--all", "--sparse", "--", "."]).args(excluded).read()?;
    // The repository may track it, or the agent may have added it.
    git().run(["reset", "--quiet", "HEAD", "--", PROMPT]).read()?;
    Ok(())
}

fn refuse_half_done(worktree: &GitWorktree, git_dir: &Path) -> Result<(), MergeError> {
    let printed = GitCommand::at(&worktree.path).run(["diff", "--name-only", "--diff-filter=U", "-z"]).read()?;
    let files = paths_in(&printed);
    let operation = operation::in_progress(git_dir);
    if operation.is_none() && files.is_empty() {
        return Ok(());
    }
    let operation = operation.unwrap_or("merge");
    Err(MergeError::HalfDone { path: worktree.path.clone(), operation, files })
}

fn check_branch(worktree: &GitWorktree) -> Result<(), MergeError> {
    let head = GitCommand::at(&worktree.path).run(["symbolic-ref", "--quiet", "HEAD"]).finish()?;
    let found = String::from_utf8_lossy(&head.stdout).trim_end().to_owned();
    if found == branch::full_name(&worktree.branch) {
        return Ok(());
    }
    let found = found.strip_prefix("refs/heads/").unwrap_or("no branch").to_owned();
    Err(MergeError::OtherBranch { path: worktree.path.clone(), branch: worktree.branch.clone(), found })
}

fn tip(worktree: &GitWorktree) -> Result<Commit, MergeError> {
    let found = GitCommand::at(&worktree.path).run(["rev-parse", "--verify", "HEAD"]).read_line()?;
    found.parse().map_err(|_| MergeError::BranchMissing { branch: worktree.branch.clone() })
}
