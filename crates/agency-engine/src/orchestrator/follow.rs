//! Following a session: what happens in it, as it happens, and what its agents ask.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agency_model::workflow::{HistoryEntry, SessionState};
use agency_model::{QuestionId, SessionId};

use super::{Orchestrator, OrchestratorError};
use crate::store::QuestionRow;
use crate::watch::{DirectoryWatch, StopHandle};

/// How often an interrupt by the user is checked for.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Something that happened in a session.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SessionEvent {
    /// A fact.
    Fact(Box<HistoryEntry>),
    /// An agent, or the workflow itself, asks the user.
    Interaction(Box<QuestionRow>),
}

/// How following ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FollowEnd {
    /// The session is not being driven.
    Over(SessionState),
    /// It has no driver any more.
    NotDriven(SessionState),
    /// The user has seen enough.
    Interrupted,
}

/// What happens in a session, one thing after the other, until it has settled or its [`StopHandle`] is stopped.
///
/// It has a database connection of its own, so that the [`Orchestrator`] can be used meanwhile, and it may be moved to
/// another thread.
#[derive(Debug)]
pub struct SessionEvents {
    orchestrator: Orchestrator,
    id: SessionId,
    watch: DirectoryWatch,
    stop: StopHandle,
    told: u64,
    asked: HashSet<QuestionId>,
    arrived: VecDeque<SessionEvent>,
    end: Option<FollowEnd>,
}

impl Orchestrator {
    /// What happens in a session after the fact of this number, as an iterator that waits for the next thing.
    ///
    /// # Errors
    ///
    /// Fails when the database cannot be opened again, or the directory of the session not be watched.
    pub fn session_events(&self, id: &SessionId, after: u64) -> Result<SessionEvents, OrchestratorError> {
        let stop = StopHandle::new();
        Ok(SessionEvents {
            orchestrator: Self::new(self.agency.try_clone()?),
            watch: DirectoryWatch::stopped_by(&[self.sessions.directory(id).path()], &stop)?,
            id: id.clone(),
            stop,
            told: after,
            asked: HashSet::new(),
            arrived: VecDeque::new(),
            end: None,
        })
    }

    /// Reports each thing that happens after the fact of this number, until the session has settled, `each` breaks, or
    /// the flag is set. The orchestrator can be used meanwhile.
    pub fn follow(
        &self,
        id: &SessionId,
        after: u64,
        interrupted: &AtomicBool,
        mut each: impl FnMut(SessionEvent) -> ControlFlow<()>,
    ) -> Result<FollowEnd, OrchestratorError> {
        let mut events = self.session_events(id, after)?;
        loop {
            events.look()?;
            while let Some(event) = events.arrived.pop_front() {
                if each(event).is_break() {
                    return Ok(FollowEnd::Interrupted);
                }
            }
            if let Some(end) = events.end {
                return Ok(end);
            }
            if interrupted.load(Ordering::Relaxed) {
                return Ok(FollowEnd::Interrupted);
            }
            events.watch.wait(INTERRUPT_POLL_INTERVAL);
        }
    }
}

impl SessionEvents {
    /// Ends the iteration, from any thread. The session continues.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// How following ended, once the iterator has returned `None`.
    #[must_use]
    pub const fn end(&self) -> Option<FollowEnd> {
        self.end
    }

    /// Collects what happened since the last look, and whether that was all.
    fn look(&mut self) -> Result<(), OrchestratorError> {
        // Whether it has a driver is checked first: what was written before the driver's end is read after the check.
        let driven = self.orchestrator.driver(&self.id)?.is_some();
        let session = self.orchestrator.show(&self.id)?;
        let fresh = session.entries.iter().filter(|entry| entry.seq > self.told);
        self.arrived.extend(fresh.map(|entry| SessionEvent::Fact(Box::new(entry.clone()))));
        self.told = session.entries.last().map_or(self.told, |entry| entry.seq.max(self.told));
        for question in self.orchestrator.agency.store.questions_in_session(&self.id)? {
            if self.asked.insert(question.id.clone()) {
                self.arrived.push_back(SessionEvent::Interaction(Box::new(question)));
            }
        }
        self.end = match (session.state(), driven) {
            // Its driver exits in a moment, and the caller may need its run to have finished.
            (state, false) if state.is_settled() => Some(FollowEnd::Over(state)),
            (state, false) => Some(FollowEnd::NotDriven(state)),
            (_, true) => None,
        };
        Ok(())
    }
}

impl Iterator for SessionEvents {
    type Item = Result<SessionEvent, OrchestratorError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.stop.is_stopped() {
                self.end = Some(FollowEnd::Interrupted);
                return None;
            }
            if let Some(event) = self.arrived.pop_front() {
                return Some(Ok(event));
            }
            if self.end.is_some() {
                return None;
            }
            if let Err(error) = self.look() {
                self.end = Some(FollowEnd::Interrupted);
                return Some(Err(error));
            }
            if self.arrived.is_empty() && self.end.is_none() {
                self.watch.wait(Duration::MAX);
            }
        }
    }
}
