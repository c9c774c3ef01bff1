//! Brings back what a removal saved.

use agency_model::Vcs;
use agency_workspace::{
    Repository, Restored, WorkspaceError, kept_work, restore, restore_ref_with_jj, restore_with_jj,
};

use super::workspace_of::bookmark_of;
use super::{RemoveError, is_ref};
use crate::agency::Agency;
use crate::runs::user_repository::repository_of;
use crate::store::RunRow;

/// The branch for the saved work of a run, unless another one is named.
#[must_use]
pub fn restored_branch(row: &RunRow) -> String {
    format!("agency/restored-{}", row.id)
}

impl Agency {
    /// The run that was removed last of those whose saved work is not on its branch for restored work yet.
    pub fn last_restorable(&self) -> Result<Option<RunRow>, RemoveError> {
        let is_left = |row: &RunRow| {
            let repository = repository_of(&self.home, row).and_then(|path| Repository::open(&path));
            // A repository that is gone has nothing to bring back.
            repository.is_ok_and(|repository| repository.check_new_branch(&restored_branch(row)).is_ok())
        };
        Ok(self.store.removed_with_saved_work()?.into_iter().find(is_left))
    }

    /// Brings saved work back into a new branch.
    pub fn restore(&self, row: &RunRow, branch: Option<&str>) -> Result<Restored, RemoveError> {
        let restored = self.restore_as(row, branch.unwrap_or(&restored_branch(row)));
        if let Err(RemoveError::Workspace(WorkspaceError::NothingSaved { run, other_refs, kept: None })) = restored {
            let kept = kept_work(&self.home.trash(), &row.worktree_owner());
            return Err(WorkspaceError::NothingSaved { run, other_refs, kept }.into());
        }
        restored
    }

    fn restore_as(&self, row: &RunRow, new: &str) -> Result<Restored, RemoveError> {
        Ok(match row.vcs {
            Vcs::Git => {
                let repository = Repository::open(&repository_of(&self.home, row)?)?;
                let restored = restore(&repository, &row.id, new)?;
                // The branch is there also where jj cannot be started; the next import of its user shows it.
                let _ = repository.branches_to_jj();
                restored
            }
            Vcs::Jj => {
                let (repository, _) = Repository::reopen_with_jj(repository_of(&self.home, row)?, &row.base_commit)?;
                let nothing = || WorkspaceError::NothingSaved { kept: None, run: row.id.clone(), other_refs: vec![] };
                match &row.saved_ref {
                    Some(saved) if is_ref(saved) => restore_ref_with_jj(&repository, &row.worktree_owner(), new)?,
                    Some(_) | None => restore_with_jj(&repository, &bookmark_of(row), new)?,
                }
                .ok_or_else(nothing)?
            }
        })
    }
}
