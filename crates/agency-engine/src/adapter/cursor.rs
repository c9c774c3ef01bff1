//! Cursor's agent. Only its command line is known: it was not available for tests.

use super::agent_adapter::AgentAdapter;

pub(super) struct Cursor;

impl AgentAdapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn defaults(&self) -> &'static str {
        include_str!("cursor/agent.toml")
    }

    fn install_hint(&self) -> Option<&'static str> {
        Some("see Cursor's own documentation of its command line")
    }
}
