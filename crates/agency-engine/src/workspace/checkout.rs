//! A working tree together with the git directory that records it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::git_command::GitCommand;
use super::{Repository, Result, link};

/// The places that git needs to know to work on one working tree.
#[derive(Debug, Clone)]
pub(super) struct Checkout {
    /// The top of the working tree.
    pub(super) work_tree: PathBuf,
    /// The git directory of this working tree.
    pub(super) git_dir: PathBuf,
    /// The git directory that all worktrees share.
    pub(super) common_dir: PathBuf,
    /// The index, where it is ours: in a workspace of jj, git's own is of another working tree.
    pub(super) own_index: Option<PathBuf>,
}

impl Checkout {
    /// The checkout whose top is the root of a repository.
    pub(super) fn of_root(root: &Path) -> Result<Self> {
        let git_dir = match link::git_dir(root) {
            Some(git_dir) => git_dir,
            None => {
                let printed = GitCommand::at(root).run(["rev-parse", "--absolute-git-dir"]).read()?;
                let end = printed.len().saturating_sub(1);
                PathBuf::from(OsString::from_vec(printed[..end].to_vec()))
            }
        };
        let common_dir = Repository::from_root(root.to_owned()).common_dir()?;
        Ok(Self { work_tree: root.to_owned(), git_dir, common_dir, own_index: None })
    }

    /// Starts to describe a git command on this working tree.
    pub(super) fn git(&self) -> GitCommand {
        let git = GitCommand::on_tree(&self.git_dir, &self.work_tree);
        match &self.own_index {
            Some(index) => git.env("GIT_INDEX_FILE", index),
            None => git,
        }
    }

    /// The index that says which files are known.
    pub(super) fn index(&self) -> PathBuf {
        self.own_index.clone().unwrap_or_else(|| self.git_dir.join("index"))
    }

    /// The directory in which jj keeps its notes, where the working tree is jj's.
    pub(super) fn notes_of_jj(&self) -> Option<PathBuf> {
        self.own_index.as_ref().map(|_| PathBuf::from(".jj"))
    }
}
