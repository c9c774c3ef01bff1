//! How work is done here, written down once: steps, what they are told, and what comes next.
//!
//! The one rule: nothing starts before the whole file is understood. A [`Plan`] has no mistakes left that can be known
//! without running it.

mod duration;
mod located;
mod mcp;
mod plan;
mod step;

pub use duration::{InvalidDuration, format_duration, parse_duration};
pub use located::{Located, Position};
pub use mcp::{McpPreset, McpServer, McpServers};
pub use plan::{Defaults, Plan, Spelling, WORKFLOW_TIMEOUT};
pub use step::{
    AGENT_TIMEOUT, AgentStep, ApprovalStep, Command, Contract, Instruction, LoopStep, MAX_ITERATIONS, MergeStep,
    MergeStrategy, OnFail, OnMaxIterations, OnSuccess, ParallelStep, SCRIPT_TIMEOUT, ScriptStep, Step, StepKind, Work,
    WorkspaceChoice, template_name,
};
