//! A private copy of a working tree's index, into which everything is added.
//!
//! The one rule: the agent's own index, HEAD and branch are only read.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::{Result, WorkspaceError};

/// Where the content of added files goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// Into the repository, safe from a power cut.
    Kept,
    /// Into a directory that ends with the staging: looking must not make the repository grow.
    Discarded,
}

/// An index of our own over somebody's working tree.
pub(super) struct Staging<'a> {
    checkout: &'a Checkout,
    directory: TempDir,
    objects: Objects,
}

impl<'a> Staging<'a> {
    /// Copies the index of a working tree.
    pub(super) fn over(checkout: &'a Checkout, objects: Objects) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("agency-index-").tempdir();
        let directory = directory.map_err(WorkspaceError::io("make a directory in", &std::env::temp_dir()))?;
        let staging = Self { checkout, directory, objects };
        let objects = staging.objects_directory();
        fs::create_dir(&objects).map_err(WorkspaceError::io("create", &objects))?;
        let index = checkout.index();
        match copy_with_time(&index, &staging.index()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Nothing to copy; if HEAD has no commit either, the index starts empty.
                staging.git().run(["read-tree", "HEAD"]).finish()?;
            }
            Err(error) => return Err(WorkspaceError::io("copy", &index)(error)),
        }
        Ok(staging)
    }

    /// Starts to describe a git command on the copy.
    pub(super) fn git(&self) -> GitCommand {
        let git = self.checkout.git().env("GIT_INDEX_FILE", self.index());
        // No hook or monitor of the user's runs for what we do behind the agent's back.
        let git = git.config("core.hooksPath=/dev/null").config("core.fsmonitor=false");
        // The copy is whole, and line endings are no reason to lose a file.
        let git = git.config("core.splitIndex=false").config("core.safecrlf=false");
        match self.objects {
            Objects::Kept => git.config("core.fsync=committed,loose-object,reference").config("core.fsyncMethod=batch"),
            Objects::Discarded => git
                .env("GIT_OBJECT_DIRECTORY", self.objects_directory())
                .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", as_alternate(&self.checkout.common_dir.join("objects"))),
        }
    }

    /// Adds every change and every untracked file to the copy, except the directories in `without`.
    pub(super) fn add_everything(&self, without: &[PathBuf]) -> Result<()> {
        let git = self.git().run(["add", "--all", "--sparse"]);
        let git = match self.objects {
            Objects::Kept => git,
            // The agent may be at work: a file that vanishes while we look is no failure.
            Objects::Discarded => git.arg("--ignore-errors"),
        };
        let notes = self.checkout.notes_of_jj();
        let excluded = without.iter().chain(&notes).map(|path| {
            let mut pathspec = OsString::from(":(top,exclude,literal)");
            pathspec.push(path);
            pathspec
        });
        let git = git.args(["--", "."]).args(excluded);
        match self.objects {
            Objects::Kept => git.read().map(drop),
            Objects::Discarded => git.finish().map(drop),
        }
    }

    /// Writes the copy as a tree; `None` while it holds conflicts.
    pub(super) fn tree(&self) -> Result<Option<String>> {
        match self.git().run(["write-tree"]).read_line() {
            Ok(tree) => Ok(Some(tree)),
            Err(WorkspaceError::Git { message, .. }) if message.contains("unmerged") => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn index(&self) -> PathBuf {
        self.directory.path().join("index")
    }

    fn objects_directory(&self) -> PathBuf {
        self.directory.path().join("objects")
    }
}

/// Copies a file with its modification time, from which git tells which entries it must look at again.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mut copy = File::create_new(to)?;
    io::copy(&mut source, &mut copy)?;
    copy.set_modified(source.metadata()?.modified()?)
}

/// Quotes a path for a list that is separated by colons.
fn as_alternate(path: &Path) -> OsString {
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}
