//! Opens the repository of a run, with git or with jj.
//!
//! The one rule: neither is started in a directory below the home's worktrees.

use std::path::Path;

use agency_model::spec::RunSpec;
use agency_model::{Vcs, VcsChoice, WorkspaceKind};
use agency_workspace::{Commit, JjError, Repository, WorkspaceError};

use super::CreateError;
use super::asked_from::Checkout;
use crate::home::Home;
use crate::runs::user_repository::repository_of;
use crate::store::{RunRow, Store};

/// What begins a revset that means the working copy of the workspace that one stands in.
const JJ_WORKING_COPY: &str = "@";

/// A repository and the commit to start from.
pub(super) struct Opened {
    /// What makes the workspace.
    pub(super) vcs: Vcs,
    pub(super) repository: Repository,
    pub(super) base: Commit,
    /// What the run begins with beside the base.
    pub(super) checkout: Checkout,
    /// What the user should know about the choice.
    pub(super) notice: Option<String>,
}

/// Opens the repository of a spec with the version control system that the spec names, or else its own.
pub(super) fn open_repository(home: &Home, store: &Store, spec: &RunSpec) -> Result<Opened, CreateError> {
    match Checkout::around(home, store, Path::new(&spec.repo))? {
        Some(checkout) => open_from_run(checkout, spec),
        None => Ok(open_users(spec)?),
    }
}

/// Opens the repository of the run in whose worktree another one is asked for.
fn open_from_run(checkout: Checkout, spec: &RunSpec) -> Result<Opened, CreateError> {
    let refuse = |field, message: String, hint| Err(CreateError::Value { field, message, hint });
    if spec.workspace == WorkspaceKind::None {
        let message = format!("'{}' is the worktree of a run, not a checkout of yours to work in", spec.repo);
        return refuse("workspace", message, "leave --workspace none out; the run begins with what is committed there");
    }
    let (vcs, (repository, base)) = match &checkout {
        Checkout::OfRun(_) | Checkout::Users(_) if spec.vcs == VcsChoice::Jj => {
            let message = format!("'{}' is a worktree of git", spec.repo);
            return refuse("vcs", message, "leave --vcs out, or name your own checkout with --repo");
        }
        Checkout::OfJj { .. } if spec.vcs == VcsChoice::Git => {
            let message = format!("'{}' is a workspace of jj", spec.repo);
            return refuse("vcs", message, "leave --vcs out, or name your own checkout with --repo");
        }
        Checkout::Users(root) => (Vcs::Git, Repository::open_at(root, &spec.base_ref)?),
        Checkout::OfRun(worktree) => {
            let base = worktree.commit_of(&spec.base_ref)?;
            (Vcs::Git, (Repository::open(&worktree.repository)?, base))
        }
        Checkout::OfJj { repository, owner, .. } => {
            // Jj calls the workspace after its run.
            let base = match spec.base_ref.strip_prefix(JJ_WORKING_COPY) {
                Some(further) => format!("agency-{owner}@{further}"),
                None if spec.base_ref == "HEAD" => format!("agency-{owner}@"),
                None => spec.base_ref.clone(),
            };
            (Vcs::Jj, Repository::open_with_jj(repository, &base)?)
        }
    };
    Ok(Opened { vcs, repository, base, checkout, notice: None })
}

fn open_users(spec: &RunSpec) -> Result<Opened, WorkspaceError> {
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
pub(super) fn open_again(home: &Home, row: &RunRow) -> Result<(Repository, Commit), WorkspaceError> {
    let repository = repository_of(home, row)?;
    match row.vcs {
        Vcs::Git => Repository::open_at(&repository, &row.base_commit),
        Vcs::Jj => Repository::reopen_with_jj(repository, &row.base_commit),
    }
}

fn opened(vcs: Vcs, (repository, base): (Repository, Commit)) -> Opened {
    let checkout = Checkout::Users(repository.root().to_owned());
    Opened { vcs, repository, base, checkout, notice: None }
}

fn instead(unusable: &JjError) -> String {
    format!("this is a repository of jj, but {unusable}; the agent gets a git worktree (--vcs git says so beforehand)")
}
