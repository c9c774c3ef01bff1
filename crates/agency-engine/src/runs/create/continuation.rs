//! Whether a conversation can be continued now.
//!
//! The one rule: at most one live run continues a conversation. It is checked for the plan, and again under the lock of the
//! workspace before the run is created.

use agency_model::RunKind;
use agency_system::lock::Lock;

use super::CreateError;
use crate::agency::Agency;
use crate::runs::orphans::Orphan;
use crate::store::RunRow;

impl Agency {
    /// Checks again, just before the run is created: no other run continues the conversation or removes its workspace
    /// as long as the lock is held.
    pub(super) fn claim_conversation(&self, parent: &RunRow) -> Result<Option<Lock>, CreateError> {
        let lock = self.worktree_lock(parent).map_err(|error| CreateError::State {
            message: error.to_string(),
            hint: "try again when the other command is done",
        })?;
        self.check_conversation(&self.store.run(&parent.id)?)?;
        Ok(lock)
    }

    /// Whether the conversation of a run has ended, and no other run continues it.
    pub(super) fn check_conversation(&self, parent: &RunRow) -> Result<(), CreateError> {
        let refuse = |message: String, hint| Err(CreateError::State { message, hint });
        let id = &parent.id;
        if !parent.state.is_terminal() {
            return refuse(format!("{id} is {}", parent.state), "send it a message with agency send, or stop it first");
        }
        if parent.removed_at.is_some() {
            let others = self.store.runs_in_worktree(parent.worktree_path.as_deref())?;
            if let Some(other) = others.iter().find(|other| other.id != *id) {
                return refuse(
                    format!("{id} was removed, and {} has its workspace", other.id),
                    "resume that run instead",
                );
            }
            return refuse(
                format!("{id} was removed, and its workspace with it"),
                "agency restore brings saved work back",
            );
        }
        if parent.kind == RunKind::Ask {
            return refuse(format!("{id} is an ask and has no conversation to resume"), "ask again with agency ask");
        }
        // The tasks of a workflow may outlive what drives it, which then finds them again.
        let is_own_task = |other: &RunRow| parent.kind == RunKind::Workflow && other.kind == RunKind::Task;
        let continues_here = |other: &&RunRow| {
            other.parent_id.as_ref() == Some(id)
                || (other.worktree_path.is_some() && other.worktree_path == parent.worktree_path && !is_own_task(other))
        };
        if let Some(other) = self.store.live()?.iter().find(continues_here) {
            return refuse(format!("{} is at work in the same workspace", other.id), "wait for it, or stop it first");
        }
        let is_left = |orphan: &&Orphan| orphan.row.id == *id || continues_here(&&orphan.row);
        if let Some(orphan) = self.orphans()?.iter().find(is_left) {
            let processes: Vec<String> = orphan.processes.iter().map(|process| process.pid().to_string()).collect();
            let message = format!(
                "{} lost its supervisor; its processes {} are still running",
                orphan.row.id,
                processes.join(", ")
            );
            return refuse(message, "agency agent orphans lists what is left of it, with the command that ends it");
        }
        Ok(())
    }
}
