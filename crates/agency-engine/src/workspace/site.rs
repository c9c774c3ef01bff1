//! Finds out what really is at the recorded path of a worktree.
//!
//! The one rule: a directory is recognised by device and inode and by git's own list, never by its name alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::head::Head;
use super::link::{self, Identity};
use super::registered::{self, RegisteredWorktree, Worktrees};
use super::{GitWorktree, Repository, Result, WorkspaceError};

/// The reason with which git locks a worktree that it is still making.
const BEING_MADE: &str = "initializing";

/// A worktree as it is found now.
pub(super) struct Site {
    /// The git directory that all worktrees of the repository share.
    pub(super) common_dir: PathBuf,
    /// What is at the recorded path; `None` when nothing is.
    pub(super) here: Option<Identity>,
    /// Git's entry for it; `None` when git does not know it.
    pub(super) entry: Option<RegisteredWorktree>,
    /// All the other working trees of the repository.
    pub(super) others: Vec<RegisteredWorktree>,
}

impl Site {
    /// Looks at the recorded path and into the repository, and refuses whatever is not ours.
    pub(super) fn find(worktree: &GitWorktree) -> Result<Self> {
        let here = identify(&worktree.path, &worktree.repository, &worktree.worktrees_root)?;
        let common_dir = common_dir(worktree, here)?;
        let Worktrees { main, linked } = registered::list(&common_dir)?;
        let place = real_place(&worktree.path);
        let is_it = |entry: &RegisteredWorktree| match here {
            Some(_) => here == Identity::of(&entry.path),
            None => entry.path == worktree.path || entry.path == place,
        };
        if is_it(&main) {
            return Err(WorkspaceError::MainWorktree { path: worktree.path.clone() });
        }
        let (mut own, mut others): (Vec<_>, Vec<_>) = linked.into_iter().partition(is_it);
        others.push(main);
        Ok(Self { common_dir, here, entry: own.pop(), others })
    }

    /// Refuses a worktree that somebody locked.
    pub(super) fn refuse_lock(&self, worktree: &GitWorktree) -> Result<()> {
        match self.entry.as_ref().and_then(|entry| entry.locked.clone()) {
            // Left by a `worktree add` that was interrupted.
            Some(reason) if reason == BEING_MADE => Ok(()),
            Some(reason) => Err(WorkspaceError::Locked {
                path: worktree.path.clone(),
                repository: worktree.repository.clone(),
                reason,
            }),
            None => Ok(()),
        }
    }

    /// The checkout of the worktree, found from the repository's side.
    pub(super) fn checkout(&self, worktree: &GitWorktree) -> Result<Checkout> {
        if self.here.is_none() {
            return Err(WorkspaceError::PathMissing { path: worktree.path.clone() });
        }
        Ok(Checkout::of_worktree(&self.common_dir, &worktree.path, Head::branch(&worktree.branch)))
    }
}

/// Says what is at the recorded path, which must be a real directory below the directory of all worktrees.
pub(super) fn identify(path: &Path, repository: &Path, root: &Path) -> Result<Option<Identity>> {
    let outside = || WorkspaceError::OutsideRoot { path: path.to_owned(), root: root.to_owned() };
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return if path.starts_with(root) { Ok(None) } else { Err(outside()) };
        }
        Err(error) => return Err(WorkspaceError::io("look at", path)(error)),
    };
    let here = Identity::from(&found);
    if Identity::of(repository) == Some(here) {
        return Err(WorkspaceError::MainWorktree { path: path.to_owned() });
    }
    if found.is_dir() && is_below(path, root) { Ok(Some(here)) } else { Err(outside()) }
}

/// The path under which git knows a directory that is missing: without symlinks above it.
pub(super) fn real_place(path: &Path) -> PathBuf {
    let real = path.parent().and_then(|parent| fs::canonicalize(parent).ok()).zip(path.file_name());
    real.map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
}

/// Whether a directory really lies below another, symlinks and `..` resolved.
fn is_below(path: &Path, root: &Path) -> bool {
    let (Ok(real), Some(root)) = (fs::canonicalize(path), Identity::of(root)) else {
        return false;
    };
    real.ancestors().skip(1).any(|above| Identity::of(above) == Some(root))
}

/// The repository of the worktree: the recorded one, or after a move and `worktree repair` the one it is linked to.
fn common_dir(worktree: &GitWorktree, here: Option<Identity>) -> Result<PathBuf> {
    let recorded = Repository::from_root(worktree.repository.clone()).common_dir();
    let linked = here.and_then(|_| link::git_dir(&worktree.path)).and_then(|git_dir| link::common_dir(&git_dir));
    match (recorded, linked) {
        (Ok(recorded), Some(owner)) if Identity::of(&recorded) != Identity::of(&owner) => {
            let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
            Err(WorkspaceError::OtherRepository { path, repository, owner })
        }
        (Ok(recorded), _) => Ok(recorded),
        (Err(_), Some(owner)) => Ok(owner),
        (Err(WorkspaceError::PathMissing { .. } | WorkspaceError::NotARepository { .. }), None) => {
            let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
            Err(WorkspaceError::RepositoryGone { path, repository })
        }
        (Err(error), None) => Err(error),
    }
}
