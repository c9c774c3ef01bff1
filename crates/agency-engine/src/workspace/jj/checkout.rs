//! The files of a jj workspace, seen by git.
//!
//! The one rule: jj's own notes of the working copy and git's index are not touched by looking.

use std::path::Path;

use tempfile::TempDir;

use super::JjError;
use super::link;
use crate::workspace::checkout::Checkout;
use crate::workspace::{Commit, Result, WorkspaceError};

/// A working tree of jj with an index of our own, which ends with it.
pub(in crate::workspace) struct JjCheckout {
    pub(in crate::workspace) checkout: Checkout,
    _index: TempDir,
}

impl JjCheckout {
    /// Looks at a working tree whose revisions the repository of `workspace` keeps, as if `commit` were checked out.
    pub(in crate::workspace) fn new(work_tree: &Path, workspace: &Path, commit: &Commit) -> Result<Self> {
        let no_store = || JjError::NoGitStore { path: workspace.to_owned() };
        let git_dir = link::git_store_of(workspace).ok_or_else(no_store)?;
        let directory = tempfile::Builder::new().prefix("agency-index-").tempdir();
        let directory = directory.map_err(WorkspaceError::io("make a directory in", &std::env::temp_dir()))?;
        let checkout = Checkout {
            work_tree: work_tree.to_owned(),
            common_dir: git_dir.clone(),
            git_dir,
            own_index: Some(directory.path().join("index")),
        };
        checkout.git().run(["read-tree"]).arg(commit.as_str()).read()?;
        Ok(Self { checkout, _index: directory })
    }
}
