//! Opens the repository of a run, with git or with jj.

use std::path::Path;

use agency_model::spec::RunSpec;
use agency_model::{Vcs, VcsChoice, WorkspaceKind};
use agency_workspace::{Commit, JjError, Repository, WorkspaceError};

use crate::store::RunRow;

/// A repository and the commit to start from.
pub(super) struct Opened {
    /// What makes the workspace.
    pub(super) vcs: Vcs,
    pub(super) repository: Repository,
    pub(super) base: Commit,
    /// What the user should know about the choice.
    pub(super) notice: Option<String>,
}

/// Opens the repository of a spec with the version control system that the spec names, or else its own.
pub(super) fn open_repository(spec: &RunSpec) -> Result<Opened, WorkspaceError> {
    let path = Path::new(&spec.repo);
    let with_git = || {
        // In the user's own checkout nothing is made at the base: changes are only counted from it.
        let found = match spec.workspace {
            WorkspaceKind::None => Repository::open_in_place(path, &spec.base_ref),
            WorkspaceKind::Worktree | WorkspaceKind::Shared | WorkspaceKind::Scratch => {
                Repository::open_at(path, &spec.base_ref)
            }
        };
        found.map(|found| opened(Vcs::Git, found))
    };
    let with_jj = || Repository::open_with_jj(path, &spec.base_ref).map(|found| opened(Vcs::Jj, found));
    match spec.vcs {
        VcsChoice::Git => with_git(),
        VcsChoice::Jj => with_jj(),
        VcsChoice::Auto if Repository::kept_by_jj(path).is_none() => with_git(),
        VcsChoice::Auto => match with_jj() {
            Err(WorkspaceError::Jj(unusable @ (JjError::Missing | JjError::TooOld { .. }))) => match with_git() {
                Ok(opened) => Ok(Opened { notice: Some(instead(&unusable)), ..opened }),
                // Only jj knows this repository.
                Err(WorkspaceError::NotARepository { .. }) => Err(unusable.into()),
                Err(error) => Err(error),
            },
            found => found,
        },
    }
}

/// Opens the repository of a run that was made before.
pub(super) fn open_again(row: &RunRow) -> Result<(Repository, Commit), WorkspaceError> {
    match row.vcs {
        Vcs::Git => Repository::open_at(Path::new(&row.repo_path), &row.base_commit),
        Vcs::Jj => Repository::reopen_with_jj(row.repo_path.clone().into(), &row.base_commit),
    }
}

fn opened(vcs: Vcs, (repository, base): (Repository, Commit)) -> Opened {
    Opened { vcs, repository, base, notice: None }
}

fn instead(unusable: &JjError) -> String {
    format!("this is a repository of jj, but {unusable}; the agent gets a git worktree (--vcs git says so beforehand)")
}
