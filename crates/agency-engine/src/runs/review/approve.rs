//! Approval of exactly the files as they are.

use agency_model::WorkEvent;
use agency_system::fault;

use super::ReviewError;
use crate::agency::Agency;
use crate::store::{Approval, RunRow};

impl Agency {
    /// Approves the work of a run as it is. With an expected tree, or the beginning of it, only if the files are that.
    /// Agents may not.
    pub fn approve(&mut self, row: &RunRow, by: &str, expected: Option<&str>) -> Result<Approval, ReviewError> {
        let caller = self.permitted_caller()?;
        let by = caller.run.map_or_else(|| by.to_owned(), |run| format!("the agent of {run}"));
        if self.is_at_work(row)? {
            return Err(ReviewError::AtWork { run: row.id.clone() });
        }
        let tree = self.files_of(row, &[])?.tree;
        if expected.is_some_and(|expected| !tree.starts_with(expected)) {
            return Err(ReviewError::Changed { run: row.id.clone(), tree });
        }
        let owner = self.work_owner(row)?;
        let is_new = self.store.approve(&owner, &tree, &by)?;
        fault::point("review.approved");
        if is_new {
            self.record_work(&row.id, WorkEvent::Approved { tree, by })?;
        }
        let stored = self.store.approval(&owner)?;
        stored.ok_or_else(|| ReviewError::NoFiles { run: row.id.clone() })
    }

    /// Whether exactly the work of a run as it is was approved.
    pub fn is_approved(&self, row: &RunRow) -> Result<bool, ReviewError> {
        let Some(approval) = self.approval_of(row)? else { return Ok(false) };
        Ok(self.files_of(row, &[])?.tree == approval.tree)
    }

    /// The last approval of the work of a run. It holds for its tree and for no other.
    pub fn approval_of(&self, row: &RunRow) -> Result<Option<Approval>, ReviewError> {
        let owner = self.work_owner(row)?;
        Ok(self.store.approval(&owner)?)
    }
}
