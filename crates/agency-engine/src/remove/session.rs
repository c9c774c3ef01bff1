//! Whether a workflow session still needs the worktree of a run.
//!
//! The one rule: a session that can still be resumed or retried keeps all of its runs until a person gives it up.

use std::collections::HashMap;

use agency_model::SessionId;
use agency_model::workflow::SessionState;

use crate::home::Home;
use crate::orchestrator::{SessionError, SessionManager};
use crate::store::RunRow;

/// Looks sessions up, each of them once.
#[derive(Debug)]
pub struct SessionsInUse {
    sessions: SessionManager,
    found: HashMap<SessionId, Found>,
}

#[derive(Debug, Clone, Copy)]
enum Found {
    Nothing,
    /// Nothing says that it is over.
    Unreadable,
    State(SessionState),
}

impl SessionsInUse {
    pub(super) fn new(home: Home) -> Self {
        Self { sessions: SessionManager::new(home), found: HashMap::new() }
    }

    /// The session that can still be resumed or retried, and with it needs this run; its state where it can be read.
    pub fn session_of(&mut self, row: &RunRow) -> Option<(SessionId, Option<SessionState>)> {
        let id = row.workflow_session.clone()?;
        let found = self.found.entry(id.clone()).or_insert_with(|| match self.sessions.load(&id) {
            Ok(session) => Found::State(session.state()),
            Err(SessionError::NotFound(_)) => Found::Nothing,
            Err(_) => Found::Unreadable,
        });
        match *found {
            Found::Nothing => None,
            Found::Unreadable => Some((id, None)),
            Found::State(state) => state.can_continue().then_some((id, Some(state))),
        }
    }
}
