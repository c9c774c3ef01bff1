//! What a removal is asked to do, and which workflow session may object.

use std::fmt;

use agency_model::SessionId;
use agency_model::workflow::SessionState;
use agency_workspace::RemoveOptions;

use super::RemoveError;
use crate::store::RunRow;

/// A workflow session that can still be resumed or retried, and needs a run for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedingSession {
    /// The session.
    pub session: SessionId,
    /// Its state, where it can be read.
    pub state: Option<SessionState>,
}

/// Whether the commands of `worktree.teardown` are executed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Teardown {
    /// They are, if the user approved them as they are now. A failure keeps the worktree.
    #[default]
    Execute,
    /// They are not.
    Skip,
}

/// How to remove runs.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RemoveRequest<'a> {
    /// What may be deleted.
    pub options: RemoveOptions,
    /// Whether the commands of `worktree.teardown` are executed first.
    pub teardown: Teardown,
    /// Looks up the session that needs a run. Sessions are made of runs and not the other way round, so the caller
    /// brings it: [`needing_session`](crate::orchestrator::needing_session).
    pub needed_by: &'a (dyn Fn(&RunRow) -> Option<NeedingSession> + Sync),
}

impl fmt::Debug for RemoveRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RemoveRequest").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'a> RemoveRequest<'a> {
    /// Keeps the branch, and refuses whatever would need force. `needed_by` is usually
    /// [`needing_session`](crate::orchestrator::needing_session).
    pub fn new(needed_by: &'a (dyn Fn(&RunRow) -> Option<NeedingSession> + Sync)) -> Self {
        Self { options: RemoveOptions::default(), teardown: Teardown::Execute, needed_by }
    }

    /// What may be deleted.
    #[must_use]
    pub const fn options(mut self, options: RemoveOptions) -> Self {
        self.options = options;
        self
    }
}

impl RemoveRequest<'_> {
    /// Refuses to remove a run that a session needs.
    pub(super) fn check_session(&self, row: &RunRow) -> Result<(), RemoveError> {
        if self.options.force || row.removed_at.is_some() {
            return Ok(());
        }
        match (self.needed_by)(row) {
            Some(NeedingSession { session, state }) => {
                Err(RemoveError::NeededBySession { id: row.id.clone(), session, state })
            }
            None => Ok(()),
        }
    }
}
