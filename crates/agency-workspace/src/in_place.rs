//! The repository itself as a workspace, shared with its user: nothing is made and nothing is removed.

use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::jj;
use super::{
    Changes, Commit, FilesNow, Patch, PatchContext, Removal, RemoveOptions, Result, SavedWork, Workspace,
    WorktreeOutcome, changes, files_now, index_cache, link, worktree_lookup,
};

/// A run that works in the user's own working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    /// The top of the working tree.
    pub repository: PathBuf,
    /// The commit that changes are counted from.
    pub base: Commit,
    /// The directory below which all worktrees of runs are: nothing in it is the user's.
    pub worktrees_root: PathBuf,
    /// Where a look at the files is kept for the next one; `None` where nothing is kept. It may be deleted at any time.
    pub looks: Option<PathBuf>,
}

impl Workspace for InPlace {
    fn directory(&self) -> &Path {
        &self.repository
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
        let worktree = WorktreeOutcome::KeptInPlace;
        Ok(Removal::without_work(worktree))
    }
}

impl InPlace {
    /// The files, also those of a jj repository that git does not know as one of its own.
    fn checkout(&self) -> Result<Checkout> {
        worktree_lookup::refuse_agents(&self.repository, &self.worktrees_root)?;
        if link::git_dir(&self.repository).is_none() && jj::git_store_of(&self.repository).is_some() {
            let checkout = jj::checkout(&self.repository, &self.repository, &self.base)?;
            return Ok(checkout.keeping(self.looks.as_deref()));
        }
        Ok(Checkout::of_root(&self.repository, &self.base)?.keeping(self.looks.as_deref()))
    }
}
