//! Branches: their full names, and the commits they point at.

use std::path::Path;

use super::git_command::GitCommand;
use super::{Commit, Result};

/// The commit that a full ref points at; `None` when there is no such ref.
pub(super) fn commit_of(git_dir: &Path, full_ref: &str) -> Result<Option<Commit>> {
    let asked = GitCommand::on(git_dir)
        .run(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .arg(format!("{full_ref}^{{commit}}"))
        .finish()?;
    Ok(String::from_utf8_lossy(&asked.stdout).trim_end().parse().ok().filter(|_| asked.success))
}

/// Whether a repository holds a commit.
pub(super) fn has_commit(git_dir: &Path, commit: &Commit) -> Result<bool> {
    let asked = GitCommand::on(git_dir).run(["cat-file", "-e"]).arg(format!("{commit}^{{commit}}")).finish()?;
    Ok(asked.success)
}

/// The full name of a branch.
pub(super) fn full_name(branch: &str) -> String {
    format!("refs/heads/{branch}")
}
