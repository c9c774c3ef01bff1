//! What the agent is doing, how we know, and whether it still does anything.

use std::time::Duration;

use agency_model::run::{Input, StopCause};
use agency_model::{Activity, Event};
use jiff::Timestamp;
use tokio::time::Instant;

use super::turn::Supervisor;
use crate::store::now;

/// The row follows the agent at this pace; the events tell every step.
const PACE: Duration = Duration::from_millis(250);

/// What the agent is doing.
#[derive(Debug)]
pub(super) struct Doing {
    pub(super) activity: Option<Activity>,
    pub(super) since: Timestamp,
    noted: Instant,
    last_sign_of_life: Instant,
}

impl Doing {
    pub(super) fn nothing_yet() -> Self {
        let started = Instant::now();
        Self { activity: None, since: now(), noted: started - PACE, last_sign_of_life: started }
    }
}

impl Supervisor<'_> {
    /// Appends an event, and what it says about the agent's activity.
    pub(super) fn note_event(&mut self, event: Event) {
        let activity = Activity::after(&event);
        self.note_event_as(event, activity);
    }

    /// Appends an event of which we know more than it says: what the agent does then.
    pub(super) fn note_event_as(&mut self, event: Event, activity: Option<Activity>) {
        // What an agent does after an answer is seen on its screen, where it has one.
        let seen = self.screen.is_some() && self.eye.understands() && matches!(event, Event::Answer { .. });
        // Who waits for an answer waits, whatever else is heard meanwhile.
        let waits = self.asking.is_waiting() && !matches!(event, Event::Question { .. });
        let activity = activity.filter(|_| !seen && !waits);
        let because = activity.filter(|activity| self.doing.activity != Some(*activity)).map(|_| reason(&event));
        let seq = self.events.append(self.run.attempt(), event);
        if let (Some(activity), Some(because)) = (activity, because) {
            self.does(activity, &format!("event {seq}, {because}"), None);
        }
    }

    /// The agent does something; an event if that is news.
    pub(super) fn does(&mut self, activity: Activity, because: &str, line: Option<u32>) {
        if self.doing.activity == Some(activity) {
            return;
        }
        self.doing.activity = Some(activity);
        self.doing.since = now();
        let because = because.to_owned();
        self.events.append(self.run.attempt(), Event::Activity { activity, because, line });
        if activity == Activity::WaitingForUser || self.doing.noted.elapsed() >= PACE {
            self.note_activity();
        } else if self.timers.note.is_none() {
            self.timers.note = Some(Instant::now() + PACE);
        }
    }

    /// Brings the row up to date.
    pub(super) fn note_activity(&mut self) {
        self.timers.note = None;
        self.doing.noted = Instant::now();
        self.note_agent();
    }

    /// The agent lives.
    pub(super) fn give_sign_of_life(&mut self) {
        self.doing.last_sign_of_life = Instant::now();
    }

    /// Starts to count the time without a sign of life.
    pub(super) fn watch_for_life(&mut self) {
        self.give_sign_of_life();
        let limit = self.launch.no_progress_ms.map(Duration::from_millis);
        self.timers.life = limit.map(|limit| Instant::now() + limit);
    }

    /// The time without a sign of life may be over. Who waits for a human gives none, and need not.
    pub(super) fn look_for_life(&mut self) {
        let Some(limit) = self.launch.no_progress_ms.map(Duration::from_millis) else { return };
        if self.asking.is_waiting() || self.talk.lingering || self.is_waiting_for_message() {
            self.give_sign_of_life();
        }
        let due = self.doing.last_sign_of_life + limit;
        if due <= Instant::now() {
            self.feed(&Input::Stop(StopCause::NoProgress));
        } else {
            self.timers.life = Some(due);
        }
    }
}

impl Supervisor<'_> {
    fn is_waiting_for_message(&self) -> bool {
        self.launch.stays && self.doing.activity == Some(Activity::Idle)
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
