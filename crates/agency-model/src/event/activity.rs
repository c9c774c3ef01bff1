//! What an event says about the activity of the agent.

use super::Event;
use crate::Activity;

impl Event {
    /// The activity of the agent after this event; nothing for events that say nothing about it.
    #[must_use]
    pub fn activity(&self) -> Option<Activity> {
        match self {
            Self::Attempt { .. } => Some(Activity::Starting),
            Self::Output { .. } => Some(Activity::Writing),
            Self::ToolUse { tool_name, .. } => Some(Activity::by_tool(tool_name)),
            Self::Thinking { .. } | Self::ToolResult { .. } | Self::Answer { .. } => Some(Activity::Thinking),
            Self::Question { .. } => Some(Activity::WaitingForUser),
            Self::StateChange { .. }
            | Self::Activity { .. }
            | Self::Exit { .. }
            | Self::Restart { .. }
            | Self::Notice { .. }
            | Self::Plan { .. }
            | Self::Task { .. }
            | Self::RateLimit { .. }
            | Self::Compaction { .. }
            | Self::Error { .. }
            | Self::Message { .. }
            | Self::Usage(_)
            | Self::Completed { .. }
            | Self::Unknown { .. } => None,
        }
    }
}
