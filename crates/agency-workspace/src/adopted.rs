//! A worktree of another program, which is looked at and never changed.
//!
//! The one rule: it is found from the side of the recorded repository. What its `.git` says, which the agent of the other
//! program can have written, leads git nowhere.

use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::head::Head;
use super::link::Identity;
use super::{
    Changes, Commit, FilesNow, Patch, PatchContext, Removal, RemoveOptions, Repository, Result, SavedWork, Workspace,
    WorkspaceError, WorktreeOutcome, changes, entry, files_now, index_cache, registered, worktree_lookup,
};

/// The worktree that an imported run worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedWorktree {
    /// The root of the repository that it is a worktree of.
    pub repository: PathBuf,
    /// Where it is.
    pub path: PathBuf,
    /// The commit that changes are counted from.
    pub base: Commit,
    /// The directory below which all worktrees of runs are: no repository of the user's is there.
    pub worktrees_root: PathBuf,
    /// Where a look at the files is kept for the next one; `None` where nothing is kept. It may be deleted at any time.
    pub looks: Option<PathBuf>,
}

impl Workspace for AdoptedWorktree {
    fn directory(&self) -> &Path {
        &self.path
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn undo(&self) -> Result<()> {
        Ok(())
    }

    fn changes(&self) -> Result<Changes> {
        changes::changes(&self.checkout()?, &self.base)
    }

    fn patch_with(&self, context: PatchContext) -> Result<Patch> {
        changes::patch(&self.checkout()?, &self.base, context)
    }

    fn files_now(&self, wanted: &[String]) -> Result<FilesNow> {
        files_now::files_now(&self.checkout()?, &self.base, wanted)
    }

    /// Saves nothing, since nothing goes away.
    fn snapshot(&self) -> Result<Option<SavedWork>> {
        Ok(None)
    }

    fn remove(&self, _options: RemoveOptions) -> Result<Removal> {
        index_cache::discard(self.looks.as_deref());
        Ok(Removal::without_work(WorktreeOutcome::KeptInPlace))
    }
}

impl AdoptedWorktree {
    fn checkout(&self) -> Result<Checkout> {
        worktree_lookup::refuse_agents(&self.repository, &self.worktrees_root)?;
        let here = Identity::of(&self.path);
        if here.is_none() {
            return Err(WorkspaceError::PathMissing { path: self.path.clone() });
        }
        let common_dir = Repository::from_root(self.repository.clone()).common_dir()?;
        let admin_dir = entry::leading_to(&common_dir, &self.path, here);
        let otherwise = Head::Detached(self.base.clone());
        let checkout = Checkout::of_worktree(&common_dir, &self.path, admin_dir.as_deref(), otherwise);
        Ok(checkout.keeping(self.looks.as_deref()))
    }
}

/// The commit that a linked worktree of a repository has checked out. `None` if the repository has no such worktree.
pub fn head_of_linked(repository: &Repository, worktree: &Path) -> Result<Option<Commit>> {
    let common_dir = repository.common_dir()?;
    let head = entry::leading_to(&common_dir, worktree, Identity::of(worktree))
        .and_then(|admin_dir| Head::read(&admin_dir, &common_dir));
    head.map_or(Ok(None), |head| head.commit(&common_dir))
}

/// The repository by its main working tree: the root of a linked one may be where an agent works. A bare repository has
/// none, and stays as it is.
pub fn with_main_worktree(repository: Repository) -> Result<Repository> {
    let main = registered::list(&repository.common_dir()?)?.main.path;
    Ok(if main.join(".git").is_dir() { Repository::from_root(main) } else { repository })
}
