//! The scripted agent: agency itself, which plays a script instead of asking a model.

use super::agent_adapter::AgentAdapter;

pub(super) struct Scripted;

impl AgentAdapter for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn defaults(&self) -> &'static str {
        include_str!("scripted/agent.toml")
    }

    fn is_own_program(&self) -> bool {
        true
    }
}
