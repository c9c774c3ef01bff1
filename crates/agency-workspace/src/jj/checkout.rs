//! The files of a jj workspace, seen by git.
//!
//! The one rule: jj's own notes of the working copy and git's index are not touched by looking.

use std::path::Path;

use super::JjError;
use super::link;
use crate::checkout::Checkout;
use crate::{Commit, Result};

/// A working tree whose revisions the repository of `workspace` keeps, as if `commit` were checked out in it.
pub(crate) fn checkout(work_tree: &Path, workspace: &Path, commit: &Commit) -> Result<Checkout> {
    let no_store = || JjError::NoGitStore { path: workspace.to_owned() };
    let git_store = link::git_store_of(workspace).ok_or_else(no_store)?;
    Ok(Checkout::of_jj(&git_store, work_tree, commit))
}
