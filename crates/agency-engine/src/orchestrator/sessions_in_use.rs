//! Whether a workflow session still needs the worktree of a run.
//!
//! The one rule: a session that can still be resumed or retried keeps all of its runs until a user gives it up.

use std::collections::HashMap;

use agency_model::SessionId;
use agency_model::workflow::SessionState;

use super::{SessionError, SessionManager};
use crate::home::Home;
use crate::runs::remove::NeedingSession;
use crate::store::RunRow;

/// Looks sessions up, each of them once.
#[derive(Debug)]
pub struct SessionsInUse {
    sessions: SessionManager,
    found: HashMap<SessionId, SessionUse>,
}

#[derive(Debug, Clone, Copy)]
enum SessionUse {
    Nothing,
    /// Nothing says that it has finished.
    Unreadable,
    State(SessionState),
}

impl SessionsInUse {
    /// Looks at the sessions of a home.
    #[must_use]
    pub fn new(home: Home) -> Self {
        Self { sessions: SessionManager::new(home), found: HashMap::new() }
    }

    /// The session that can still be resumed or retried, and with it needs this run.
    pub fn session_of(&mut self, row: &RunRow) -> Option<NeedingSession> {
        let id = row.workflow_session.clone()?;
        let found = self.found.entry(id.clone()).or_insert_with(|| match self.sessions.load(&id) {
            Ok(session) => SessionUse::State(session.state()),
            Err(SessionError::NotFound(_)) => SessionUse::Nothing,
            Err(_) => SessionUse::Unreadable,
        });
        match *found {
            SessionUse::Nothing => None,
            SessionUse::Unreadable => Some(NeedingSession { session: id, state: None }),
            SessionUse::State(state) => {
                state.can_continue().then_some(NeedingSession { session: id, state: Some(state) })
            }
        }
    }
}

/// Looks up which session needs a run, anew for each run: what [`RemoveRequest`](crate::runs::remove::RemoveRequest) asks.
pub fn needing_session(home: &Home) -> impl Fn(&RunRow) -> Option<NeedingSession> + use<> {
    let home = home.clone();
    move |row| SessionsInUse::new(home.clone()).session_of(row)
}
