//! Finds out what really is at the recorded path of a jj workspace.
//!
//! The one rule: a directory is recognised by device and inode and by the lists of jj and git, never by its name alone.

use std::fs;
use std::path::{Path, PathBuf};

use super::command::JjCommand;
use super::{JjError, JjWorkspace, link};
use crate::entry::{self, WorktreeEntry};
use crate::link::Identity;
use crate::{Result, worktree_lookup};

/// What jj and git put into a workspace before they put files there.
const INNER: [&str; 2] = [".jj", ".git"];

/// A workspace as it is found now.
pub(super) struct FoundJjWorkspace {
    /// The git directory that keeps the revisions.
    pub(super) git_store: PathBuf,
    /// What is at the recorded path; `None` when nothing is.
    pub(super) here: Option<Identity>,
    /// Whether jj knows a workspace of that name.
    pub(super) known: bool,
    /// The worktree that newer versions of jj make with a workspace.
    pub(super) worktree: Option<WorktreeEntry>,
    /// Whether `.jj` leads to another repository, as one that the agent made.
    pub(super) foreign: bool,
}

impl FoundJjWorkspace {
    /// Looks at the recorded path and into the repository, and refuses whatever is not ours.
    pub(super) fn find(workspace: &JjWorkspace) -> Result<Self> {
        let JjWorkspace { path, repository, .. } = workspace;
        let here = worktree_lookup::identify(path, repository, &workspace.worktrees_root)?;
        let gone = || JjError::NotARepository { path: repository.clone(), message: String::new() };
        let git_store = link::git_store_of(repository).ok_or_else(gone)?;
        let foreign = link::repository_of(path).is_some() && !link::share_repository(path, repository);
        let known = names(repository)?.contains(&workspace.name());
        let worktree = entry::find(&git_store, path, here);
        Ok(Self { git_store, here, known, worktree, foreign })
    }

    /// Refuses a directory that has become a workspace of another repository.
    pub(super) fn refuse_foreign(&self, workspace: &JjWorkspace) -> Result<()> {
        if !self.foreign {
            return Ok(());
        }
        let (path, repository) = (workspace.path.clone(), workspace.repository.clone());
        Err(JjError::OtherRepository { path, repository }.into())
    }

    /// Whether an agent can have worked here: jj knows the directory, which is a workspace of the repository.
    pub(super) fn is_workspace(&self, workspace: &JjWorkspace) -> bool {
        self.here.is_some() && self.known && link::share_repository(&workspace.path, &workspace.repository)
    }

    /// Whether the directory holds nothing but what jj puts there first.
    pub(super) fn is_half_made(&self, path: &Path) -> bool {
        let inner = |entry: fs::DirEntry| INNER.iter().any(|name| entry.file_name() == *name);
        !self.known && fs::read_dir(path).is_ok_and(|entries| entries.flatten().all(inner))
    }
}

/// The names of all workspaces of a repository.
pub(super) fn names(repository: &Path) -> Result<Vec<String>> {
    let printed = JjCommand::reading(repository).run(["workspace", "list", "--template", r#"name ++ "\n""#]).read()?;
    Ok(printed.lines().map(str::to_owned).collect())
}
