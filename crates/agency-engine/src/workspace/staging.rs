//! A private copy of a working tree's index, into which everything is added.
//!
//! The one rule: the agent's own index, HEAD and branch are only read.

use std::ffi::OsString;
use std::path::PathBuf;

use tempfile::TempDir;

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::nested::{self, Nested};
use super::private_git::{Objects, PrivateGit};
use super::{Result, WorkspaceError};

/// An index of our own over an agent's working tree, which ends with it. What is added goes into the repository.
pub(super) struct Staging<'a> {
    checkout: &'a Checkout,
    private: PrivateGit,
    nested: Nested,
    _directory: TempDir,
}

impl<'a> Staging<'a> {
    /// Copies the index of a working tree. Files that the agent's index hides from git are not hidden in the copy.
    pub(super) fn over(checkout: &'a Checkout) -> Result<Self> {
        let directory = temporary_directory()?;
        let private = PrivateGit::make(directory.path(), checkout, Objects::Repository)?;
        let index = private.agents_index(checkout)?;
        private.write_index(&index)?;
        let nested = nested::find(&private, checkout, &index)?;
        Ok(Self { checkout, private, nested, _directory: directory })
    }

    /// Starts to describe a git command on the copy.
    pub(super) fn git(&self) -> GitCommand {
        self.private.git()
    }

    /// The copy.
    pub(super) fn index(&self) -> PathBuf {
        self.private.index()
    }

    /// The repositories inside the working tree.
    pub(super) fn nested(&self) -> &Nested {
        &self.nested
    }

    /// Adds every change and every untracked file to the copy. Nested repositories are not looked into; of a submodule,
    /// the commit that is checked out is recorded where that is known.
    pub(super) fn add_everything(&self) -> Result<()> {
        let git = self.git().run(["add", "--all", "--sparse", "--", "."]);
        git.args(excluded(self.checkout, &self.nested.all())).read()?;
        self.nested.record_links(&self.private)
    }

    /// Writes the copy as a tree; `None` while it holds conflicts.
    pub(super) fn tree(&self) -> Result<Option<String>> {
        match self.git().run(["write-tree"]).read_line() {
            Ok(tree) => Ok(Some(tree)),
            Err(WorkspaceError::Git { message, .. }) if message.contains("unmerged") => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Makes a directory that only we can write and that ends with its value.
pub(super) fn temporary_directory() -> Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("agency-git-").tempdir();
    directory.map_err(WorkspaceError::io("make a directory in", &std::env::temp_dir()))
}

/// Pathspecs that keep git out of paths, and of jj's own files.
pub(super) fn excluded(checkout: &Checkout, without: &[PathBuf]) -> Vec<OsString> {
    let of_jj = checkout.is_jj.then(|| PathBuf::from(".jj"));
    let excluded = without.iter().chain(&of_jj).map(|path| {
        let mut pathspec = OsString::from(":(top,exclude,literal)");
        pathspec.push(path);
        pathspec
    });
    excluded.collect()
}
