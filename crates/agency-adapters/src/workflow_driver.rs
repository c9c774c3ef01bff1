//! The driver of a workflow: agency itself, as the agent of the run that stands for the workflow.

pub mod protocol;
pub(super) mod stream;

use super::agent_adapter::AgentAdapter;

pub(super) struct WorkflowDriver;

impl AgentAdapter for WorkflowDriver {
    fn name(&self) -> &'static str {
        "workflow"
    }

    fn defaults(&self) -> &'static str {
        include_str!("workflow_driver/agent.toml")
    }

    fn is_own_program(&self) -> bool {
        true
    }
}
