//! The limits of time: of a step, of a step that contains others, of the whole session.
//!
//! The one rule: limits are measured with a clock that does not advance while the machine sleeps and that setting the time
//! does not change. That of a session does not advance while a user is asked or while it has no driver, either.

use std::collections::HashMap;
use std::time::Duration;

use agency_model::workflow::{ClockReading, Fact, Flow, HistoryEntry, SessionState, StepPath};
use agency_system::process::{boot_id, monotonic};
use jiff::Timestamp;

use crate::store;

/// Knows when steps began, and how long the session has worked. Times are those of one line on which the drivers of all
/// starts of the machine follow each other without the gaps between the starts.
#[derive(Debug)]
pub(super) struct Clock {
    began: HashMap<StepPath, Duration>,
    /// When a user last continued it; limits begin anew then.
    retried: Option<Duration>,
    /// What it has worked before `since`.
    worked: Duration,
    /// Since when it works; absent while a user is asked.
    since: Option<Duration>,
    /// When this driver came, on the line and by the clock of the machine.
    came: Duration,
    opened: Now,
}

/// The clocks of the machine.
#[derive(Debug, Clone)]
pub(super) struct Now {
    boot: String,
    monotonic: Duration,
    /// For facts of older versions, which have no other time.
    wall: Timestamp,
}

/// What a fact is stored with that begins all limits anew.
pub(crate) fn fresh_reading() -> ClockReading {
    Now::read().reading(Duration::ZERO)
}

/// What is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// A step took too long.
    Step(StepPath),
    /// The session took too long.
    Session,
}

impl Now {
    /// Reads the clocks.
    pub(super) fn read() -> Self {
        // Without a boot id every driver is taken for one of another start, and counts from its own beginning.
        let boot = boot_id().unwrap_or_else(|_| format!("unknown-{}", std::process::id()));
        Self { boot, monotonic: monotonic(), wall: store::now() }
    }

    /// The reading of a session that has worked so long.
    pub(super) fn reading(&self, worked: Duration) -> ClockReading {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        ClockReading { boot: self.boot.clone(), monotonic_ms: millis(self.monotonic), worked_ms: millis(worked) }
    }
}

impl Clock {
    /// A clock of which the facts before now are known, and when drivers came.
    pub(super) fn new(entries: &[HistoryEntry], drivers: &[Timestamp], now: Now) -> Self {
        let mut past = Past::default();
        for entry in entries {
            past.take(entry, drivers);
        }
        let came = past.line.at(Some(&now.reading(Duration::ZERO)), now.wall);
        let Past { began, retried, worked, .. } = past;
        Self { began, retried, worked: worked.total, since: None, came, opened: now }
    }

    /// The driver begins to work.
    pub(super) fn go_on(&mut self, state: SessionState) {
        self.go_on_at(monotonic(), state);
    }

    fn go_on_at(&mut self, monotonic: Duration, state: SessionState) {
        let now = self.on_line(monotonic);
        self.worked = self.worked_until(now);
        let waits = matches!(state, SessionState::Waiting | SessionState::PendingMerge);
        self.since = (!waits).then_some(now);
    }

    /// What a fact is stored with.
    pub(super) fn reading(&self) -> ClockReading {
        let now = Now { monotonic: monotonic(), ..self.opened.clone() };
        now.reading(self.worked_until(self.on_line(now.monotonic)))
    }

    /// Takes in a fact that was just stored.
    pub(super) fn take(&mut self, entry: &HistoryEntry, state: SessionState) {
        let at = entry.clock.as_ref().map_or_else(monotonic, |clock| Duration::from_millis(clock.monotonic_ms));
        self.go_on_at(at, state);
        if let Fact::StepStarted { path, .. } = &entry.fact {
            self.began.insert(path.clone(), self.on_line(at));
        }
    }

    /// What is due, or how long nothing is.
    pub(super) fn look(&self, flow: &Flow) -> Result<Due, Option<Duration>> {
        self.look_at(self.on_line(monotonic()), flow)
    }

    fn look_at(&self, now: Duration, flow: &Flow) -> Result<Due, Option<Duration>> {
        let mut next: Option<Duration> = None;
        let mut wait = |left: Duration| next = Some(next.map_or(left, |next| next.min(left)));
        if self.since.is_some() {
            match flow.plan().timeout.checked_sub(self.worked_until(now)).filter(|left| !left.is_zero()) {
                Some(left) => wait(left),
                None => return Ok(Due::Session),
            }
        }
        for (path, limit) in flow.limits() {
            let Some(began) = self.began.get(&path).copied() else { continue };
            let began = self.retried.map_or(began, |retried| began.max(retried));
            match limit.checked_sub(now.saturating_sub(began)).filter(|left| !left.is_zero()) {
                Some(left) => wait(left),
                None => return Ok(Due::Step(path)),
            }
        }
        Err(next)
    }

    /// A time of this driver on the line of all drivers.
    fn on_line(&self, monotonic: Duration) -> Duration {
        self.came + monotonic.saturating_sub(self.opened.monotonic)
    }

    fn worked_until(&self, now: Duration) -> Duration {
        self.worked + self.since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }
}

/// What the earlier facts record.
#[derive(Default)]
struct Past {
    line: BootTimeline,
    began: HashMap<StepPath, Duration>,
    retried: Option<Duration>,
    worked: Worked,
}

impl Past {
    fn take(&mut self, entry: &HistoryEntry, drivers: &[Timestamp]) {
        let at = self.line.at(entry.clock.as_ref(), entry.at);
        self.worked.take(entry, drivers);
        if let Fact::StepStarted { path, .. } = &entry.fact {
            self.began.insert(path.clone(), at);
        }
        if matches!(entry.fact, Fact::RetryAsked { .. }) {
            self.retried = Some(at);
            self.worked.total = Duration::ZERO;
        }
    }
}

/// Puts readings of different starts of the machine on one line.
#[derive(Default)]
struct BootTimeline {
    end: Duration,
    last: Option<(Option<ClockReading>, Timestamp)>,
}

impl BootTimeline {
    /// The place of a reading, which becomes the end of the line.
    fn at(&mut self, reading: Option<&ClockReading>, wall: Timestamp) -> Duration {
        self.end += match (&self.last, reading) {
            (Some((Some(last), _)), Some(reading)) if last.boot == reading.boot => {
                Duration::from_millis(reading.monotonic_ms.saturating_sub(last.monotonic_ms))
            }
            // Older versions had nothing but the time of day.
            (Some((None, last)), _) => between(*last, wall),
            (Some((Some(_), _)) | None, _) => Duration::ZERO,
        };
        self.last = Some((reading.cloned(), wall));
        self.end
    }
}

/// How long a session has worked, by its facts.
#[derive(Default)]
struct Worked {
    total: Duration,
    /// Since when it works by the time of day, for facts of older versions.
    since: Option<Timestamp>,
    waits: usize,
}

impl Worked {
    fn take(&mut self, entry: &HistoryEntry, drivers: &[Timestamp]) {
        let asked = matches!(entry.fact, Fact::StepAsked { .. } | Fact::MergeBlocked { .. });
        let answered = matches!(entry.fact, Fact::StepAnswered { .. } | Fact::MergeAnswered { .. });
        self.waits = (self.waits + usize::from(asked)).saturating_sub(usize::from(answered));
        let since = self.since.take();
        if let Some(clock) = &entry.clock {
            self.total = Duration::from_millis(clock.worked_ms);
            return;
        }
        if let Some(since) = since {
            // A driver that came in between was not there before.
            let came = drivers.iter().copied().filter(|came| (since..=entry.at).contains(came)).max();
            self.total += between(came.unwrap_or(since), entry.at);
        }
        self.since = (self.waits == 0).then_some(entry.at);
    }
}

fn between(from: Timestamp, to: Timestamp) -> Duration {
    to.duration_since(from).try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests;
