//! Workflow files: steps, their prompts, and what comes next.
//!
//! The one rule: nothing starts before the whole file is understood. A [`Plan`] has no mistakes left that can be known
//! without running it.

mod check;
mod contract;
mod duration;
mod fields;
mod flow;
mod history;
mod located;
mod parse;
mod plan;
mod prompt;
mod reader;
mod result;
mod schema;
mod step;
mod task;

use crate::Position;

pub use check::{Surrounding, check_workflow};
pub use contract::{AgentOutput, MAX_ANSWER_BYTES, OutputError, judge};
pub use duration::{InvalidDuration, format_duration, parse_duration};
pub use fields::{Field, Holds, Need, Shape};
pub use flow::{
    Action, BlockedMerge, Flow, HistoryError, Recorded, RejectedFact, Running, StepProgress, StepSurroundings,
    StopCause, next,
};
pub use history::{
    Approval, BlockedCheckout, ClockReading, Fact, HISTORY_VERSION, HistoryEntry, MergeAnswer, SessionState, StepPath,
};
pub use located::{Located, TemplateText};
pub use parse::{MAX_WORKFLOW_BYTES, Partly, parse_partly, parse_values, parse_workflow};
pub use plan::{Defaults, Plan, Spelling, WORKFLOW_TIMEOUT};
pub use prompt::{PromptParts, SPELL_CONTENT};
pub use result::{MAX_LINE_BYTES, MAX_OUTPUT_BYTES, RESULT_FIELDS, StepResult, StepStatus};
pub use schema::workflow_schema;
pub use step::{
    AGENT_TIMEOUT, AgentStep, ApprovalStep, Command, Contract, InputValue, Instruction, LoopStep, MAX_ITERATIONS,
    MergeStep, MergeStrategy, OnFail, OnMaxIterations, OnSuccess, ParallelStep, SCRIPT_TIMEOUT, ScriptStep, Step,
    StepKind, Work, WorkspaceChoice, default_timeout, template_name,
};
pub use task::{TASK_FIELDS, Task, TaskError};
