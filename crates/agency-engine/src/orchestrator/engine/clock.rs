//! The limits of time: of a step, of a step that contains others, of the whole session.
//!
//! The one rule: the clock of a session stands still while a person is asked and while nobody drives it.

use std::collections::HashMap;
use std::time::Duration;

use agency_model::workflow::{Entry, Fact, Flow, SessionState, StepPath};
use jiff::Timestamp;

use crate::store::now;

/// Knows when steps began, and how long the session has worked.
#[derive(Debug)]
pub(super) struct Clock {
    began: HashMap<StepPath, Timestamp>,
    /// When somebody last wanted it to go on; limits begin anew then.
    retried_at: Option<Timestamp>,
    /// What it has worked before `since`.
    worked: Duration,
    /// Since when it works; absent while a person is asked.
    since: Option<Timestamp>,
}

/// What is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// A step took too long.
    Step(StepPath),
    /// The session took too long.
    Session,
}

impl Clock {
    /// A clock of which the facts before now are known, and when drivers came.
    pub(super) fn new(entries: &[Entry], drivers: &[Timestamp]) -> Self {
        let mut clock = Self { began: HashMap::new(), retried_at: None, worked: Duration::ZERO, since: None };
        let mut waits = 0_usize;
        for entry in entries {
            let asked = matches!(entry.fact, Fact::StepAsked { .. } | Fact::MergeBlocked { .. });
            let answered = matches!(entry.fact, Fact::StepAnswered { .. } | Fact::MergeAnswered { .. });
            waits = (waits + usize::from(asked)).saturating_sub(usize::from(answered));
            clock.notice(entry, waits > 0, drivers);
        }
        // Nobody was there from the last fact until now.
        clock.since = None;
        clock
    }

    /// Takes in a fact that was just stored.
    pub(super) fn take(&mut self, entry: &Entry, state: SessionState) {
        let waits = matches!(state, SessionState::Waiting | SessionState::PendingMerge);
        self.notice(entry, waits, &[]);
    }

    fn notice(&mut self, entry: &Entry, waits: bool, drivers: &[Timestamp]) {
        if let Some(since) = self.since.take() {
            // A driver that came in between was not there before.
            let came = drivers.iter().copied().filter(|came| (since..=entry.at).contains(came)).max();
            self.worked += between(came.unwrap_or(since), entry.at);
        }
        if let Fact::StepStarted { path, .. } = &entry.fact {
            self.began.insert(path.clone(), entry.at);
        }
        if matches!(entry.fact, Fact::RetryAsked { .. }) {
            self.retried_at = Some(entry.at);
            self.worked = Duration::ZERO;
        }
        self.since = (!waits).then_some(entry.at);
    }

    /// The driver is here.
    pub(super) fn go_on(&mut self, state: SessionState) {
        let waits = matches!(state, SessionState::Waiting | SessionState::PendingMerge);
        self.since = (!waits).then(now);
    }

    /// What is due, or how long nothing is.
    pub(super) fn look(&self, flow: &Flow) -> Result<Due, Option<Duration>> {
        let at = now();
        let mut next: Option<Duration> = None;
        let mut wait = |left: Duration| next = Some(next.map_or(left, |next| next.min(left)));
        if let Some(since) = self.since {
            match flow.plan().timeout.checked_sub(self.worked + between(since, at)).filter(|left| !left.is_zero()) {
                Some(left) => wait(left),
                None => return Ok(Due::Session),
            }
        }
        for (path, limit) in flow.limits() {
            let Some(began) = self.began.get(&path).copied() else { continue };
            let began = self.retried_at.map_or(began, |retried| began.max(retried));
            match limit.checked_sub(between(began, at)).filter(|left| !left.is_zero()) {
                Some(left) => wait(left),
                None => return Ok(Due::Step(path)),
            }
        }
        Err(next)
    }
}

fn between(from: Timestamp, to: Timestamp) -> Duration {
    to.duration_since(from).try_into().unwrap_or_default()
}
