//! What an event says about the activity of the agent.

use super::Event;
use crate::Activity;

impl Event {
    /// What an event says about the agent that caused it, and the event in a few words; nothing for events that say
    /// nothing about it.
    #[must_use]
    pub fn activity(&self) -> Option<(Activity, String)> {
        match self {
            Self::Output { .. } => Some((Activity::Writing, "output".to_owned())),
            Self::Thinking { .. } => Some((Activity::Thinking, "thinking".to_owned())),
            Self::ToolUse { tool_name, .. } => Some((Activity::by_tool(tool_name), format!("tool_use {tool_name}"))),
            Self::ToolResult { tool_name, .. } => Some((Activity::Thinking, format!("tool_result {tool_name}"))),
            Self::Question { .. }
            | Self::Answer { .. }
            | Self::Attempt { .. }
            | Self::StateChange { .. }
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
            | Self::Unknown { .. }
            | Self::Work(_) => None,
        }
    }
}
