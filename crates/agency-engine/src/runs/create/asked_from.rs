//! The checkout that a run is asked from: its HEAD, its files and its uncommitted changes are what the run begins with.
//!
//! The one rule: a worktree of a run is not a checkout of the user's. Its repository is the recorded one, and no setting or
//! hook in it or in git's entry for it applies.

use std::path::{Path, PathBuf};

use agency_model::{ErrorCode, RunId, Vcs};
use agency_workspace::{Commit, GitWorktree, Repository, WorkspaceError, WorktreeOfRun};

use super::{CreateError, PathUse};
use crate::home::Home;
use crate::runs::user_repository::{WorktreeAround, repository_of};
use crate::store::{RunRow, Store};

/// Where a run is asked for.
pub(super) enum Checkout {
    /// The user's own.
    Users(PathBuf),
    /// The worktree of a run.
    OfRun(GitWorktree),
    /// The workspace of a run with jj.
    OfJj {
        /// Its directory.
        path: PathBuf,
        /// The repository.
        repository: PathBuf,
        /// The run that made it.
        owner: RunId,
    },
}

impl Checkout {
    /// The checkout of a run that a path lies in; `None` for a path of the user's.
    pub(super) fn around(home: &Home, store: &Store, path: &Path) -> Result<Option<Self>, CreateError> {
        let Some(WorktreeAround { root, owner }) = WorktreeAround::of(home, path)? else { return Ok(None) };
        let unknown = || WorkspaceError::AgentsRepository { repository: root.clone() };
        let row = store.run(&owner).map_err(|_| unknown())?;
        let is_recorded = |path: &String| Path::new(path).canonicalize().is_ok_and(|real| real == root);
        if !row.worktree_path.as_ref().is_some_and(is_recorded) {
            return Err(unknown().into());
        }
        let repository = repository_of(home, &row)?;
        match (row.vcs, &row.new_branch) {
            (Vcs::Jj, _) => Ok(Some(Self::OfJj { path: root, repository, owner })),
            (Vcs::Git, Some(branch)) => {
                let worktree = GitWorktree {
                    repository,
                    run: owner,
                    base: base_of(&row)?,
                    branch: branch.clone(),
                    path: root,
                    worktrees_root: home.worktrees(),
                    trash: home.trash(),
                    looks: None,
                };
                // Refused before anything else is looked at.
                worktree.as_run()?;
                Ok(Some(Self::OfRun(worktree)))
            }
            (Vcs::Git, None) => Err(unknown().into()),
        }
    }

    /// The directory to which the paths of a spec are relative.
    pub(super) fn root(&self) -> &Path {
        match self {
            Self::Users(root) | Self::OfJj { path: root, .. } => root,
            Self::OfRun(worktree) => &worktree.path,
        }
    }

    /// What is recorded about the worktree of a run with git.
    pub(super) fn worktree(&self) -> Option<WorktreeOfRun> {
        match self {
            Self::OfRun(worktree) => worktree.as_run().ok(),
            Self::Users(_) | Self::OfJj { .. } => None,
        }
    }

    /// The commit at HEAD.
    pub(super) fn head(&self) -> Result<Commit, WorkspaceError> {
        match self {
            Self::Users(root) => Repository::open_at(root, "HEAD").map(|(_, head)| head),
            Self::OfRun(worktree) => worktree.commit_of("HEAD"),
            Self::OfJj { repository, .. } => Repository::open_at(repository, "HEAD").map(|(_, head)| head),
        }
    }

    /// A commit with the files as they are, on top of HEAD; none if nothing is uncommitted.
    pub(super) fn snapshot(&self, head: &Commit, run: &RunId) -> Result<Option<Commit>, WorkspaceError> {
        match self {
            Self::Users(root) => Repository::from_root(root.clone()).snapshot(head, run),
            Self::OfRun(worktree) => worktree.snapshot_for(head, run),
            // A run with jj begins with what jj has taken in.
            Self::OfJj { .. } => Ok(None),
        }
    }
}

fn base_of(row: &RunRow) -> Result<Commit, CreateError> {
    row.base_commit.parse().map_err(|_| CreateError::Path {
        what: PathUse::Repository,
        path: row.directory().into(),
        why: format!("the record of {} is damaged", row.id),
        code: ErrorCode::InvalidPath,
    })
}
