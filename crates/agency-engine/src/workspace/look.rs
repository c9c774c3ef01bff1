//! Looks at the files of a working tree as git would add them, without adding them anywhere but in a private place.
//!
//! The one rule: the repository does not grow, and the agent may be at work meanwhile.

use std::path::PathBuf;

use tempfile::TempDir;

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::nested::{self, Nested};
use super::private_git::{Objects, PrivateGit};
use super::staging::{excluded, temporary_directory};
use super::{Result, changes};

/// A private index that holds the files of a working tree as they are.
pub(super) struct Look {
    private: PrivateGit,
    nested: Nested,
    ignored: Vec<PathBuf>,
    _directory: TempDir,
}

impl Look {
    /// Adds the files of a working tree to a private index.
    pub(super) fn at(checkout: &Checkout) -> Result<Self> {
        let directory = temporary_directory()?;
        let private = PrivateGit::make(directory.path(), checkout, Objects::Private { also_from: None })?;
        let index = private.agents_index(checkout)?;
        private.write_index(&index)?;
        let nested = nested::find(&private, checkout, &index)?;
        let ignored = changes::ignored_through(&private)?;
        let add = private.git().run(["add", "--all", "--sparse", "--ignore-errors", "--", "."]);
        // A file that vanishes while we look is no failure.
        add.args(excluded(checkout, &nested.all())).finish()?;
        nested.record_links(&private)?;
        Ok(Self { private, nested, ignored, _directory: directory })
    }

    /// Starts to describe a git command on the private index.
    pub(super) fn git(&self) -> GitCommand {
        self.private.git()
    }

    /// The repositories inside the working tree.
    pub(super) fn nested(&self) -> &Nested {
        &self.nested
    }

    /// What git is told to ignore.
    pub(super) fn ignored(&self) -> &[PathBuf] {
        &self.ignored
    }
}
