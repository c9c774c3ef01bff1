//! Approval of exactly the files as they are.

use agency_model::{Answer, RunId, RunKind, WorkEvent};
use agency_system::fault;

use super::ReviewError;
use crate::agency::Agency;
use crate::runs::messages::DeliveryError;
use crate::store::{Approval, QuestionRow, RunRow, StoreError};

/// What the driver of a workflow names as its tool then.
const MERGE_TOOL: &str = "Merge";

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
            self.record_work(&row.id, WorkEvent::Approved { tree, by: by.clone() })?;
        }
        self.answer_review_of(row, &owner, &by)?;
        let stored = self.store.approval(&owner)?;
        stored.ok_or_else(|| ReviewError::NoFiles { run: row.id.clone() })
    }

    /// An approval answers the question whether a workflow may merge the same work. A merge of other files than those that
    /// the question showed fails.
    fn answer_review_of(&mut self, row: &RunRow, owner: &RunId, by: &str) -> Result<(), ReviewError> {
        let Some(session) = &row.workflow_session else { return Ok(()) };
        for question in self.store.questions_in_session(session)? {
            let asking = self.store.run(&question.run_id)?;
            let is_driver = asking.kind == RunKind::Workflow;
            if is_driver && is_about_merge(&question) && self.work_owner(&asking)? == *owner {
                match self.answer(&question, &Answer::Allow { message: None }, by) {
                    // Another answer was first.
                    Ok(_) | Err(DeliveryError::AlreadyAnswered { .. } | DeliveryError::Expired { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Stores an approval that was given in another way.
    pub(crate) fn keep_approval(&mut self, row: &RunRow, tree: &str, by: &str) -> Result<(), StoreError> {
        let owner = self.work_owner(row)?;
        self.store.approve(&owner, tree, by).map(|_| ())
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

/// Whether the driver of a workflow asks if work may be merged.
pub(super) fn is_about_merge(question: &QuestionRow) -> bool {
    question.question.tool.as_ref().is_some_and(|tool| tool.name == MERGE_TOOL)
}
