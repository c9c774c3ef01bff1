//! What the agent is doing, in the events and in the row.

use std::time::Duration;

use agency_model::conversation::{ActivityChange, Evidence};
use agency_model::{Activity, Event};
use jiff::Timestamp;
use tokio::time::Instant;

use super::render::rendered;
use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::store::now;

/// The row is brought up to date at most so often; the events have every step.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// What the row has of the activity.
#[derive(Debug)]
pub(super) struct ActivityRow {
    /// When the present activity began.
    pub(super) since: Timestamp,
    stored_at: Instant,
}

impl Default for ActivityRow {
    fn default() -> Self {
        Self { since: now(), stored_at: Instant::now() - STORE_INTERVAL }
    }
}

impl Supervisor<'_> {
    /// Appends an event, and shows it to viewers if they should see it.
    pub(super) fn record_event(&mut self, event: Event, shown: bool) {
        if shown
            && self.is_watched()
            && let Some(text) = rendered(&event)
        {
            self.show(&text);
        }
        self.events.append(self.run.attempt(), event);
    }

    /// Appends what the agent does now, and stores it in the row.
    pub(super) fn record_activity(&mut self, change: ActivityChange) {
        let ActivityChange { activity, evidence } = change;
        let (because, line) = match evidence {
            Evidence::Event(event) => (format!("event {}, {event}", self.events.last_seq()), None),
            Evidence::Fact(fact) => (fact, None),
            Evidence::Screen { rule, line } => (rule, line),
        };
        self.activity_row.since = now();
        self.events.append(self.run.attempt(), Event::Activity { activity, because, line });
        let is_due = self.activity_row.stored_at.elapsed() >= STORE_INTERVAL;
        if is_due || activity == Activity::WaitingForUser {
            self.store_activity();
        } else {
            self.timers.arm_once(Timer::StoreActivity, STORE_INTERVAL);
        }
    }

    /// Brings the row up to date.
    pub(super) fn store_activity(&mut self) {
        self.timers.disarm(&Timer::StoreActivity);
        self.activity_row.stored_at = Instant::now();
        self.store_agent_note();
    }
}
