//! What an agent is about, in a word: a view of its run's state and activity.

use agency_model::run::{Phase, Reason, State};
use agency_model::{Activity, Event};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::RunRow;

/// What an agent is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// It waits: for its start, or for a message.
    Idle,
    /// It is at work.
    Running,
    /// It ended, was stopped, or crashed too often.
    Stopped,
    /// It crashed and is about to be restarted, or could not continue.
    Error,
}

impl AgentState {
    /// The name that users see.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Error => "error",
        }
    }

    /// What an agent is about whose newest run is this.
    #[must_use]
    pub fn of(row: &RunRow) -> Self {
        let backs_off = row.phase.as_deref() == Some(Phase::BackingOff.as_str());
        match (row.state, row.activity) {
            (State::Queued, _) => Self::Idle,
            (State::Running, _) if backs_off => Self::Error,
            (State::Running, Some(Activity::Idle)) => Self::Idle,
            (State::Running, _) => Self::Running,
            (State::Completed | State::Killed | State::Failed, _) => Self::ended(row.state, row.reason),
        }
    }

    /// What it is about after an event.
    #[must_use]
    pub fn after(self, event: &Event) -> Self {
        match event {
            Event::Attempt { .. } => Self::Running,
            Event::Restart { .. } => Self::Error,
            Event::Activity { activity: Activity::Idle, .. } => Self::Idle,
            Event::Activity { .. } => Self::Running,
            Event::Completed { state, reason, .. } => Self::ended(*state, Some(*reason)),
            Event::StateChange { .. }
            | Event::Exit { .. }
            | Event::Notice { .. }
            | Event::Error { .. }
            | Event::Output { .. }
            | Event::Thinking { .. }
            | Event::Plan { .. }
            | Event::Task { .. }
            | Event::RateLimit { .. }
            | Event::Compaction { .. }
            | Event::ToolUse { .. }
            | Event::ToolResult { .. }
            | Event::Usage(_)
            | Event::Message { .. }
            | Event::Question { .. }
            | Event::Answer { .. }
            | Event::Unknown { .. }
            | Event::Work(_) => self,
        }
    }

    /// An agent that crashed too often is stopped; one that could not be started, or ran out of time, is an error.
    const fn ended(state: State, reason: Option<Reason>) -> Self {
        match (state, reason) {
            (State::Failed, Some(Reason::Exited)) => Self::Stopped,
            (State::Failed, _) => Self::Error,
            (State::Queued | State::Running | State::Completed | State::Killed, _) => Self::Stopped,
        }
    }
}
