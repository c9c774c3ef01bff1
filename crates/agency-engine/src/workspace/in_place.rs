//! The repository itself as a workspace, shared with its user: nothing is made and nothing is removed.

use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::{BranchFate, Changes, Commit, Removal, RemoveOptions, Result, SavedWork, Workspace, WorktreeFate, changes};

/// A run that works in the user's own working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    /// The top of the working tree.
    pub repository: PathBuf,
    /// The commit that changes are counted from.
    pub base: Commit,
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
        changes::changes(&Checkout::of_root(&self.repository)?, &self.base)
    }

    fn diff(&self) -> Result<Vec<u8>> {
        changes::diff(&Checkout::of_root(&self.repository)?, &self.base)
    }

    /// Saves nothing, since nothing goes away.
    fn snapshot(&self) -> Result<Option<SavedWork>> {
        Ok(None)
    }

    fn remove(&self, _options: RemoveOptions) -> Result<Removal> {
        let worktree = WorktreeFate::KeptInPlace;
        Ok(Removal { worktree, saved: None, branch: BranchFate::Absent, ignored: vec![], leftover: None })
    }
}
