//! The workspace of a run, put together from its row.

use agency_model::{Vcs, WorkspaceKind};
use agency_workspace::{AdoptedWorktree, Commit, GitWorktree, InPlace, JjWorkspace, Scratch, Workspace};

use super::RemoveError;
use crate::home::Home;
use crate::runs::user_repository::repository_of;
use crate::store::RunRow;

/// Where a run works.
pub(crate) fn workspace_of(home: &Home, row: &RunRow) -> Result<Box<dyn Workspace>, RemoveError> {
    if row.workspace == WorkspaceKind::Scratch {
        return Ok(Box::new(Scratch::of_run(row.repo_path.as_ref(), home.run(&row.id).path())));
    }
    let base = base_of(row)?;
    let (repository, is_users) = match repository_of(home, row) {
        Ok(repository) => (repository, true),
        // The workspace itself refuses to look into it.
        Err(_) => (row.repo_path.clone().into(), false),
    };
    if is_users && let Some(workspace) = jj_workspace_of(home, row)? {
        return Ok(Box::new(workspace));
    }
    Ok(match (row.workspace, &row.new_branch, &row.worktree_path) {
        (WorkspaceKind::Worktree | WorkspaceKind::Shared, Some(branch), Some(path)) => Box::new(GitWorktree {
            repository,
            run: row.id.clone(),
            base,
            branch: branch.clone(),
            path: path.into(),
            worktrees_root: home.worktrees(),
            trash: home.trash(),
            looks: Some(home.run(&row.id).looks()),
        }),
        // An imported worktree belongs to another program: it is looked at, and never removed.
        (WorkspaceKind::None, _, Some(path)) => Box::new(AdoptedWorktree {
            repository,
            path: path.into(),
            base,
            worktrees_root: home.worktrees(),
            looks: Some(home.run(&row.id).looks()),
        }),
        (_, _, _) => Box::new(InPlace {
            repository,
            base,
            worktrees_root: home.worktrees(),
            looks: Some(home.run(&row.id).looks()),
        }),
    })
}

/// The jj workspace of a run with jj, which may be shared with the run that made it.
fn jj_workspace_of(home: &Home, row: &RunRow) -> Result<Option<JjWorkspace>, RemoveError> {
    let own = row.vcs == Vcs::Jj && matches!(row.workspace, WorkspaceKind::Worktree | WorkspaceKind::Shared);
    let Some(path) = row.worktree_path.as_ref().filter(|_| own) else {
        return Ok(None);
    };
    Ok(Some(JjWorkspace {
        repository: repository_of(home, row)?,
        run: row.worktree_owner(),
        base: base_of(row)?,
        bookmark: bookmark_of(row),
        path: path.into(),
        worktrees_root: home.worktrees(),
        trash: home.trash(),
        looks: Some(home.run(&row.id).looks()),
    }))
}

/// Brings the workspace of a run whose agent is not at work up to date, where that is needed.
pub(crate) fn bring_up_to_date(home: &Home, row: &RunRow) -> Result<(), RemoveError> {
    match jj_workspace_of(home, row)? {
        Some(workspace) => Ok(workspace.bring_up_to_date()?),
        None => Ok(()),
    }
}

/// The bookmark that keeps the work of a run with jj.
pub(super) fn bookmark_of(row: &RunRow) -> String {
    row.new_branch.clone().unwrap_or_else(|| row.worktree_owner().default_branch())
}

/// The commit that a run started at.
pub(crate) fn base_of(row: &RunRow) -> Result<Commit, RemoveError> {
    row.base_commit.parse().map_err(|_| RemoveError::BadRow(row.id.clone()))
}
