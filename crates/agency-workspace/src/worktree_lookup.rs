//! Finds out what really is at the recorded path of a worktree.
//!
//! The one rule: a directory is recognised by device and inode and by git's own entry, never by its name alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agency_model::RunId;

use super::checkout::Checkout;
use super::entry::{self, WorktreeEntry};
use super::head::Head;
use super::link::{self, Identity};
use super::registered::{self, RegisteredWorktree, Worktrees};
use super::{GitWorktree, Repository, Result, WorkspaceError, branch};

/// The reason with which git locks a worktree that it is still making.
const BEING_MADE: &str = "initializing";

/// A worktree as it is found now.
pub(super) struct FoundWorktree {
    /// The git directory that all worktrees of the repository share.
    pub(super) common_dir: PathBuf,
    /// What is at the recorded path; `None` when nothing is.
    pub(super) here: Option<Identity>,
    /// Git's entry for it; `None` when git does not know it.
    pub(super) entry: Option<WorktreeEntry>,
}

impl FoundWorktree {
    /// Looks at the recorded path and into the repository, and refuses whatever is not ours.
    pub(super) fn find(worktree: &GitWorktree) -> Result<Self> {
        let here = identify(&worktree.path, &worktree.repository, &worktree.worktrees_root)?;
        if !has_place_of_run(&worktree.path, &worktree.worktrees_root) && worktree.path.join(".git").is_dir() {
            return Err(WorkspaceError::MainWorktree { path: worktree.path.clone() });
        }
        refuse_agents(&worktree.repository, &worktree.worktrees_root)?;
        let (common_dir, entry) = repository_of(worktree, here)?;
        if here.is_some() && Identity::of(&worktree.path.join(".git")) == Identity::of(&common_dir) {
            return Err(WorkspaceError::MainWorktree { path: worktree.path.clone() });
        }
        Ok(Self { common_dir, here, entry })
    }

    /// Refuses a locked worktree.
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

    /// Refuses a directory that has become a worktree of another repository.
    pub(super) fn refuse_other_repository(&self, worktree: &GitWorktree) -> Result<()> {
        let Some(git_dir) = link::git_dir(&worktree.path).filter(|_| worktree.path.join(".git").is_file()) else {
            return Ok(());
        };
        match link::common_dir(&git_dir) {
            Some(owner) if Identity::of(&owner) != Identity::of(&self.common_dir) => {
                let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
                Err(WorkspaceError::OtherRepository { path, repository, owner })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// All the other working trees of the repository.
    pub(super) fn others(&self, worktree: &GitWorktree) -> Result<Vec<RegisteredWorktree>> {
        let Worktrees { main, mut linked } = registered::list(&self.common_dir)?;
        let place = entry::real_place(&worktree.path);
        linked.retain(|entry| match self.here {
            Some(_) => self.here != Identity::of(&entry.path),
            None => entry.path != worktree.path && entry.path != place,
        });
        linked.push(main);
        Ok(linked)
    }

    /// The checkout of the worktree, found from the repository's side.
    pub(super) fn checkout(&self, worktree: &GitWorktree) -> Result<Checkout> {
        if self.here.is_none() {
            return Err(WorkspaceError::PathMissing { path: worktree.path.clone() });
        }
        let admin_dir = self.entry.as_ref().map(|entry| entry.admin_dir.as_path());
        Ok(Checkout::of_worktree(&self.common_dir, &worktree.path, admin_dir, Head::branch(&worktree.branch)))
    }
}

/// Refuses a repository that lies in the worktree of a run, whose agent can have written its settings and hooks.
pub(super) fn refuse_agents(repository: &Path, worktrees_root: &Path) -> Result<()> {
    if link::lies_in(repository, worktrees_root) {
        return Err(WorkspaceError::AgentsRepository { repository: repository.to_owned() });
    }
    Ok(())
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
    if found.is_dir() && is_below(path, root) {
        return Ok(Some(here));
    }
    if is_replaced(path, root, &found) {
        let what = if found.is_symlink() { "a symlink" } else { "a file" };
        return Err(WorkspaceError::Replaced { path: path.to_owned(), what });
    }
    Err(outside())
}

/// Whether something that is not a directory has the name and the place that only worktrees of runs have.
fn is_replaced(path: &Path, root: &Path, found: &fs::Metadata) -> bool {
    !found.is_dir() && has_place_of_run(path, root)
}

/// Whether a path has the name and the place that only worktrees of runs have.
fn has_place_of_run(path: &Path, root: &Path) -> bool {
    let is_run = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.parse::<RunId>().is_ok());
    is_run && path.parent().is_some_and(|parent| is_below(parent, root))
}

/// Whether a directory really lies below another, symlinks and `..` resolved.
fn is_below(path: &Path, root: &Path) -> bool {
    let (Ok(real), Some(root)) = (fs::canonicalize(path), Identity::of(root)) else {
        return false;
    };
    real.ancestors().skip(1).any(|above| Identity::of(above) == Some(root))
}

/// Whether `.git` of a working tree is a repository of its own.
pub(super) fn has_own_repository(work_tree: &Path) -> bool {
    fs::symlink_metadata(work_tree.join(".git")).is_ok_and(|found| found.is_dir())
}

/// The repository of the worktree and its entry there: the recorded one, or after a move and `worktree repair` the one it
/// is linked to.
fn repository_of(worktree: &GitWorktree, here: Option<Identity>) -> Result<(PathBuf, Option<WorktreeEntry>)> {
    let gone = || {
        let (path, repository) = (worktree.path.clone(), worktree.repository.clone());
        WorkspaceError::RepositoryGone { path, repository }
    };
    match Repository::from_root(worktree.repository.clone()).common_dir() {
        Ok(recorded) => {
            let entry = entry::find(&recorded, &worktree.path, here);
            // Without an entry, only the base distinguishes a repository from another one in its place.
            if entry.is_none() && here.is_some() && !branch::has_commit(&recorded, &worktree.base)? {
                return Err(gone());
            }
            Ok((recorded, entry))
        }
        Err(WorkspaceError::PathMissing { .. } | WorkspaceError::NotARepository { .. }) => {
            let linked =
                here.and_then(|_| link::git_dir(&worktree.path)).and_then(|git_dir| link::common_dir(&git_dir));
            let linked = linked.filter(|owner| refuse_agents(owner, &worktree.worktrees_root).is_ok());
            let found = linked.map(|owner| (entry::find(&owner, &worktree.path, here), owner));
            match found {
                Some((Some(entry), owner)) => Ok((owner, Some(entry))),
                Some((None, _)) | None => Err(gone()),
            }
        }
        Err(error) => Err(error),
    }
}
