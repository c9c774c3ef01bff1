//! What the agent is doing, how we know, and whether it still does anything.

use std::time::Duration;

use agency_model::run::{Input, StopCause};
use agency_model::{Activity, Event};
use jiff::Timestamp;
use tokio::time::Instant;

use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::store::now;

/// The row is brought up to date at most so often; the events have every step.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// What the agent is doing.
#[derive(Debug)]
pub(super) struct ActivityTracker {
    pub(super) current: Option<Activity>,
    pub(super) since: Timestamp,
    noted: Instant,
    last_progress: Instant,
}

impl ActivityTracker {
    pub(super) fn nothing_yet() -> Self {
        let started = Instant::now();
        Self { current: None, since: now(), noted: started - STORE_INTERVAL, last_progress: started }
    }
}

impl Supervisor<'_> {
    /// Appends an event, and what it says about the agent's activity.
    pub(super) fn record_event(&mut self, event: Event) {
        let activity = event.activity();
        self.record_event_as(event, activity);
    }

    /// Appends an event of which we know more than it says: what the agent does then.
    pub(super) fn record_event_as(&mut self, event: Event, activity: Option<Activity>) {
        // What an agent does after an answer is seen on its screen, where it has one.
        let seen = self.screen.is_some() && self.screen_reader.understands() && matches!(event, Event::Answer { .. });
        // An agent that waits for an answer is waiting, whatever else it reports meanwhile.
        let waits = self.conversation.is_waiting() && !matches!(event, Event::Question { .. });
        let activity = activity.filter(|_| !seen && !waits);
        let because = activity.filter(|activity| self.activity.current != Some(*activity)).map(|_| reason(&event));
        let seq = self.events.append(self.run.attempt(), event);
        if let (Some(activity), Some(because)) = (activity, because) {
            self.set_activity(activity, &format!("event {seq}, {because}"), None);
        }
    }

    /// The agent does something; an event if that is news.
    pub(super) fn set_activity(&mut self, activity: Activity, because: &str, line: Option<u32>) {
        if self.activity.current == Some(activity) {
            return;
        }
        self.activity.current = Some(activity);
        self.activity.since = now();
        let because = because.to_owned();
        self.events.append(self.run.attempt(), Event::Activity { activity, because, line });
        if activity == Activity::WaitingForUser || self.activity.noted.elapsed() >= STORE_INTERVAL {
            self.store_activity();
        } else {
            self.timers.arm_once(Timer::StoreActivity, STORE_INTERVAL);
        }
    }

    /// Brings the row up to date.
    pub(super) fn store_activity(&mut self) {
        self.timers.disarm(&Timer::StoreActivity);
        self.activity.noted = Instant::now();
        self.store_agent_note();
    }

    /// The agent makes progress.
    pub(super) fn note_progress(&mut self) {
        self.activity.last_progress = Instant::now();
    }

    /// Starts to count the time without progress.
    pub(super) fn watch_progress(&mut self) {
        self.note_progress();
        let limit = self.launch.no_progress_ms.map(Duration::from_millis);
        match limit {
            Some(limit) => self.timers.arm(Timer::Progress, limit),
            None => self.timers.disarm(&Timer::Progress),
        }
    }

    /// The time without progress may be over. An agent that waits for a human need not make any.
    pub(super) fn check_progress(&mut self) {
        let Some(limit) = self.launch.no_progress_ms.map(Duration::from_millis) else { return };
        if self.conversation.is_waiting() || self.messages.lingering || self.is_waiting_for_message() {
            self.note_progress();
        }
        let due = self.activity.last_progress + limit;
        if due <= Instant::now() {
            self.feed(&Input::Stop(StopCause::NoProgress));
        } else {
            self.timers.arm_at(Timer::Progress, due);
        }
    }
}

impl Supervisor<'_> {
    fn is_waiting_for_message(&self) -> bool {
        self.launch.stays && self.activity.current == Some(Activity::Idle)
    }
}

/// An event in a few words.
fn reason(event: &Event) -> String {
    match event {
        Event::ToolUse { tool_name, .. } => format!("tool_use {tool_name}"),
        Event::ToolResult { tool_name, .. } => format!("tool_result {tool_name}"),
        Event::Output { .. } => "output".to_owned(),
        Event::Thinking { .. } => "thinking".to_owned(),
        Event::Question { question_id, .. } => format!("question {question_id}"),
        Event::Answer { question_id, .. } => format!("answer to {question_id}"),
        Event::Attempt { pid, .. } => format!("process {pid} started"),
        Event::Message { .. } => "a message".to_owned(),
        Event::StateChange { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::Notice { .. }
        | Event::Plan { .. }
        | Event::Task { .. }
        | Event::RateLimit { .. }
        | Event::Compaction { .. }
        | Event::Error { .. }
        | Event::Usage(_)
        | Event::Activity { .. }
        | Event::Completed { .. }
        | Event::Unknown { .. } => "something it said".to_owned(),
    }
}
