//! Following a session: what happens in it, as it happens, and what its agents ask.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agency_model::workflow::{HistoryEntry, SessionState};
use agency_model::{QuestionId, SessionId};

use super::{Orchestrator, OrchestratorError};
use crate::store::QuestionRow;
use crate::watch::DirectoryWatch;

/// How often we look whether the user lost patience.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Something that happened in a session.
#[derive(Debug, Clone)]
pub enum SessionEvent {
    /// A fact.
    Fact(Box<HistoryEntry>),
    /// An agent, or the workflow itself, asks the user.
    Interaction(Box<QuestionRow>),
}

/// How following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowEnd {
    /// The session stands still.
    Over(SessionState),
    /// It has no driver any more.
    NotDriven(SessionState),
    /// The user has seen enough.
    Interrupted,
}

impl Orchestrator {
    /// Reports each thing that happens after the fact of this number, until the session has settled.
    pub fn follow(
        &mut self,
        id: &SessionId,
        after: u64,
        interrupted: &AtomicBool,
        mut each: impl FnMut(SessionEvent) -> std::io::Result<()>,
    ) -> Result<FollowEnd, OrchestratorError> {
        let directory = self.sessions.directory(id);
        let watch = DirectoryWatch::begin(&[directory.path()])?;
        let problem = |source| crate::home::HomeError::new("tell what happens in", directory.path(), source);
        let mut told = after;
        let mut asked: HashSet<QuestionId> = HashSet::new();
        loop {
            // Whether it has a driver is checked first: what was written before the driver's end is read after the check.
            let driven = self.driver(id)?.is_some();
            let session = self.show(id)?;
            for entry in session.entries.iter().filter(|entry| entry.seq > told) {
                each(SessionEvent::Fact(Box::new(entry.clone()))).map_err(problem)?;
            }
            told = session.entries.last().map_or(told, |entry| entry.seq.max(told));
            for question in self.agency.store.questions_in_session(id)? {
                if asked.insert(question.id.clone()) {
                    each(SessionEvent::Interaction(Box::new(question))).map_err(problem)?;
                }
            }
            match (session.state(), driven) {
                // Its driver exits in a moment, and the caller may need its run to have finished.
                (state, false) if state.is_settled() => return Ok(FollowEnd::Over(state)),
                (state, false) => return Ok(FollowEnd::NotDriven(state)),
                (_, true) => {}
            }
            if interrupted.load(Ordering::Relaxed) {
                return Ok(FollowEnd::Interrupted);
            }
            watch.wait(INTERRUPT_POLL_INTERVAL);
        }
    }
}
