//! What the agent is doing, in the events and in the row.

use std::time::Duration;

use agency_model::conversation::{ActivityChange, Evidence};
use agency_model::{Activity, Event};
use jiff::Timestamp;
use tokio::time::Instant;

use super::Supervisor;
use super::render::rendered;
use super::timers::Timer;
use crate::store::now;

/// The row is brought up to date at most so often; the events have every step.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// When the present activity began, and when the row got it.
#[derive(Debug)]
pub(super) struct ActivityTimes {
    since: Timestamp,
    stored_at: Instant,
    /// Whether the row says that the agent is idle.
    pub(super) is_idle_in_row: bool,
}

impl Default for ActivityTimes {
    fn default() -> Self {
        Self { since: now(), stored_at: Instant::now() - STORE_INTERVAL, is_idle_in_row: false }
    }
}

impl Supervisor<'_> {
    /// Appends an event, and shows it to viewers if they should see it.
    pub(super) fn record_event(&mut self, event: Event, shown: bool) {
        if shown
            && self.display.is_watched()
            && let Some(text) = rendered(&event)
        {
            self.display.show_text(&text);
        }
        self.append(event);
    }

    /// Appends what the agent does now, and stores it in the row.
    pub(super) fn record_activity(&mut self, change: ActivityChange) {
        let ActivityChange { activity, evidence } = change;
        self.note_work(activity, matches!(evidence, Evidence::Screen { .. }));
        let (because, line) = match evidence {
            Evidence::Event(event) => (format!("event {}, {event}", self.files.last_seq()), None),
            Evidence::Fact(fact) => (fact, None),
            Evidence::Screen { rule, line } => (rule, line),
        };
        self.row_sync.activity.since = now();
        self.append(Event::Activity { activity, because, line });
        let is_due = self.row_sync.activity.stored_at.elapsed() >= STORE_INTERVAL;
        // Commands that change the files of an idle agent must not find it idle when it is at work again. A turn that began so
        // soon after the last one that the row was not told in between needs no transaction of its own.
        let begins_work = self.row_sync.activity.is_idle_in_row && activity != Activity::Idle;
        if is_due || begins_work || activity == Activity::WaitingForUser {
            self.store_activity();
        } else {
            self.timers.arm_once(Timer::StoreActivity, STORE_INTERVAL);
        }
    }

    /// What the agent is doing, and since when.
    pub(super) fn present_activity(&self) -> Option<(Activity, Timestamp)> {
        let activity = if self.setup.is_running() { Some(Activity::Setup) } else { self.conversation.activity() };
        activity.map(|activity| (activity, self.row_sync.activity.since))
    }

    /// Brings the row up to date.
    pub(super) fn store_activity(&mut self) {
        self.timers.disarm(&Timer::StoreActivity);
        self.row_sync.activity.stored_at = Instant::now();
        self.store_agent_note();
    }
}
