//! Makes and deletes branches.
//!
//! The one rule: a name at which something is that git does not list is taken.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::branch::full_name;
use super::git_command::GitCommand;
use super::registered::RegisteredWorktree;
use super::{Commit, DeleteBranch, Repository, Result, WorkspaceError, link, own_ref};

impl Repository {
    /// Checks that a branch can be made: a valid name that neither exists nor is blocked by another.
    pub fn check_new_branch(&self, name: &str) -> Result<()> {
        check_new(self.root(), name)
    }

    /// Checks that the branch of a run can be made. Its last part is unique, so only a branch above it can be in the
    /// way; git is asked only where its files do not rule that out.
    pub fn check_run_branch(&self, name: &str) -> Result<()> {
        let surely_free =
            |common: PathBuf| name.match_indices('/').all(|(end, _)| link::has_no_branch(&common, &name[..end]));
        if self.common_dir().is_ok_and(surely_free) {
            return Ok(());
        }
        self.check_new_branch(name)
    }
}

/// Checks that a branch can be made in the repository at `root`.
pub(super) fn check_new(root: &Path, name: &str) -> Result<()> {
    let invalid = || WorkspaceError::InvalidBranchName { name: name.to_owned() };
    check_plain(name)?;
    let (valid, in_the_way) = thread::scope(|scope| {
        let valid = scope.spawn(|| is_valid_name(root, name));
        let in_the_way = names_in_the_way(root, name);
        (valid.join().unwrap_or_else(|_| Err(invalid())), in_the_way)
    });
    if !valid? {
        return Err(invalid());
    }
    match in_the_way?.lines().next() {
        None => refuse_unlisted_above(root, name),
        Some(taken) if taken == name => Err(exists(name)),
        Some(other) => Err(WorkspaceError::BranchBlocked { name: name.to_owned(), by: other.to_owned() }),
    }
}

/// Refuses a name at which something is that git does not list: a symbolic ref that leads nowhere. Git takes the name for
/// free, and would make the branch that the ref leads to.
pub(super) fn refuse_unlisted(root: &Path, name: &str) -> Result<()> {
    if is_unlisted(&Repository::from_root(root.to_owned()).common_dir()?, name)? { Err(exists(name)) } else { Ok(()) }
}

/// The same, and one with the name of a directory above it.
fn refuse_unlisted_above(root: &Path, name: &str) -> Result<()> {
    let common_dir = Repository::from_root(root.to_owned()).common_dir()?;
    for (end, _) in name.match_indices('/') {
        if is_unlisted(&common_dir, &name[..end])? {
            return Err(WorkspaceError::BranchBlocked { name: name.to_owned(), by: name[..end].to_owned() });
        }
    }
    refuse_unlisted(root, name)
}

fn is_unlisted(common_dir: &Path, name: &str) -> Result<bool> {
    let full_name = full_name(name);
    if common_dir.join("reftable").is_dir() {
        return own_ref::is_symbolic(common_dir, &full_name);
    }
    Ok(fs::symlink_metadata(common_dir.join(full_name)).is_ok_and(|found| !found.is_dir()))
}

fn exists(name: &str) -> WorkspaceError {
    WorkspaceError::BranchExists { name: name.to_owned() }
}

/// Refuses names that git would take for an option or for another name, or cannot be given at all.
///
/// `git worktree add -b` passes its branch on to `git branch` as it is, where `-D` would be an option.
pub(super) fn check_plain(name: &str) -> Result<()> {
    if name == "@" || name.starts_with('-') || name.contains("@{") || name.contains('\0') {
        return Err(WorkspaceError::InvalidBranchName { name: name.to_owned() });
    }
    Ok(())
}

fn is_valid_name(root: &Path, name: &str) -> Result<bool> {
    let checked = GitCommand::in_repository(root).run(["check-ref-format", "--branch"]).arg(name).finish()?;
    // Git expands `@{-1}` to another branch's name: only a name that stays itself is one.
    Ok(checked.success && checked.stdout.strip_suffix(b"\n") == Some(name.as_bytes()))
}

/// The branches with this name, with a name below it, or with the name of a directory above it.
fn names_in_the_way(root: &Path, name: &str) -> Result<String> {
    let above = name.match_indices('/').map(|(end, _)| &name[..end]);
    // A plain pattern also matches everything below it, a pattern with a bracket only the name itself.
    let above = above.map(|parent| format!("refs/head[s]/{parent}"));
    GitCommand::in_repository(root)
        .run(["for-each-ref", "--format=%(refname:lstrip=2)"])
        .arg(format!("refs/heads/{name}"))
        .args(above)
        .read_line()
}

/// Makes a branch that must not exist yet.
pub(super) fn create(git_dir: &Path, name: &str, commit: &Commit) -> Result<()> {
    let full_name = full_name(name);
    let made = own_ref::update(GitCommand::on(git_dir), "agency: restored");
    // Git takes one that leads nowhere for missing, and would replace it.
    if own_ref::is_symbolic(git_dir, &full_name)? {
        return Err(exists(name));
    }
    match made.args([full_name.as_str(), commit.as_str(), ""]).read() {
        Ok(_) => Ok(()),
        Err(WorkspaceError::Git { message, .. }) if message.contains("reference already exists") => Err(exists(name)),
        Err(error) => Err(error),
    }
}

/// Deletes a branch, but only while it still points at `commit`. Of one that is a second name, only that name goes.
pub(super) fn delete(git_dir: &Path, name: &str, commit: &Commit) -> Result<()> {
    own_ref::delete(GitCommand::on(git_dir), &full_name(name), commit.as_str())
}

/// Refuses to delete a branch that is in use, or whose commits would be lost against the caller's wish.
pub(super) fn check_deletable(
    git_dir: &Path,
    branch: &str,
    commit: &Commit,
    wish: DeleteBranch,
    others: &[&RegisteredWorktree],
) -> Result<()> {
    if let Some(user) = others.iter().find(|other| other.branch.as_deref() == Some(branch)) {
        return Err(WorkspaceError::BranchInUse { branch: branch.to_owned(), path: user.path.clone() });
    }
    match wish {
        DeleteBranch::No | DeleteBranch::Force => Ok(()),
        DeleteBranch::IfMerged if is_in_another_branch(git_dir, branch, commit)? => Ok(()),
        DeleteBranch::IfMerged => {
            Err(WorkspaceError::BranchNotMerged { branch: branch.to_owned(), commit: commit.clone() })
        }
    }
}

fn is_in_another_branch(git_dir: &Path, branch: &str, commit: &Commit) -> Result<bool> {
    let holders = GitCommand::on(git_dir)
        .run(["for-each-ref", "--format=%(refname) %(symref)", "--contains"])
        .args([commit.as_str(), "refs/heads", "refs/remotes"])
        .read_line()?;
    let own = full_name(branch);
    // The copy of this branch on a remote is a branch of its own. A symbolic ref is a second name, perhaps for this one.
    let mut others = holders.lines().filter_map(|line| line.split_once(' '));
    Ok(others.any(|(holder, leads_to)| holder != own && leads_to.is_empty()))
}
