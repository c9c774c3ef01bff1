//! One step of a workflow.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Located, Position, TemplateText};
use crate::string_enum::string_enum;
use crate::{McpServers, Mode};

/// How long an agent step may take if it does not say.
pub const AGENT_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How long a script step may take if it does not say.
pub const SCRIPT_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// How long a step may take if it does not say; no limit of its own where absent.
#[must_use]
pub const fn default_timeout(kind: StepKind) -> Option<Duration> {
    match kind {
        StepKind::Agent => Some(AGENT_TIMEOUT),
        StepKind::Script => Some(SCRIPT_TIMEOUT),
        StepKind::Loop | StepKind::Parallel | StepKind::Merge | StepKind::Approval => None,
    }
}

/// How many iterations a loop has if it does not say.
pub const MAX_ITERATIONS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name, which no other step has.
    pub name: String,
    /// Where it begins in the file.
    pub at: Position,
    /// A template; the step is skipped unless it is true.
    pub when: Option<TemplateText>,
    /// How long it may take; no limit of its own where absent.
    #[serde(with = "super::duration::optional")]
    pub timeout: Option<Duration>,
    /// Where the file sets that limit; absent for a default, and in plans that older versions stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_at: Option<Position>,
    /// What its failure means for the workflow.
    pub on_fail: OnFail,
    /// What its success means for the loop around it.
    pub on_success: OnSuccess,
    /// What is done.
    pub work: Work,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Runs an agent.
    Agent(Box<AgentStep>),
    /// Runs a command.
    Script(ScriptStep),
    /// Repeats steps.
    Loop(LoopStep),
    /// Does steps at the same time.
    Parallel(ParallelStep),
    /// Brings the work into a branch.
    Merge(MergeStep),
    /// Waits until a user agrees.
    Approval(ApprovalStep),
}

string_enum! {
    /// The types of steps.
    StepKind {
        /// Runs an agent.
        Agent = "agent",
        /// Runs a command.
        Script = "script",
        /// Repeats steps.
        Loop = "loop",
        /// Does steps at the same time.
        Parallel = "parallel",
        /// Brings the work into a branch.
        Merge = "merge",
        /// Waits until a user agrees.
        Approval = "approval",
    }
}

string_enum! {
    /// What the failure of a step means for the workflow.
    OnFail {
        /// It stops there, until the user acts.
        Block = "block",
        /// It continues.
        Continue = "continue",
    }
}

string_enum! {
    /// What the success of a step means for the loop around it.
    OnSuccess {
        /// Nothing.
        GoOn = "go_on",
        /// The loop is done.
        ExitLoop = "exit_loop",
    }
}

/// Runs an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentStep {
    /// The prompt of the agent.
    pub instruction: Instruction,
    /// Variables for the templates of the instruction.
    pub input: BTreeMap<String, InputValue>,
    /// The variable that also holds the result.
    pub output: Option<Located<String>>,
    /// The agent; without it, that of the defaults.
    pub adapter: Option<Located<String>>,
    /// What the agent is connected to: a screen or a stream.
    pub mode: Mode,
    /// Further arguments for its command.
    pub extra_args: Vec<String>,
    /// Where in the workspace it works.
    pub cwd: Option<Located<String>>,
    /// What is added to its environment; the values are templates.
    pub env: BTreeMap<String, TemplateText>,
    /// Servers beside those of the workflow; the same name replaces one.
    pub mcp_servers: McpServers,
    /// Which workspace it works in.
    pub workspace: WorkspaceChoice,
    /// Its label; the name of the step if nothing else is given.
    pub display_name: String,
}

impl AgentStep {
    /// What the agent has to say at its end.
    #[must_use]
    pub const fn contract(&self) -> Contract {
        match self.instruction {
            Instruction::Spell(_) | Instruction::InlineSpell(_) => Contract::Required,
            Instruction::Prompt(_) | Instruction::Nothing => Contract::Optional,
        }
    }
}

/// The prompt of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Instruction {
    /// The spell of this name, within the system prompt.
    Spell(Located<String>),
    /// This spell, within the system prompt.
    InlineSpell(TemplateText),
    /// This template, and nothing around it.
    Prompt(TemplateText),
    /// Nothing: a user works with it.
    Nothing,
}

/// The value of a variable; every text in it is a template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputValue {
    /// A template.
    Text(TemplateText),
    /// Several values.
    List(Vec<InputValue>),
    /// Values by name.
    Map(BTreeMap<String, InputValue>),
    /// A number, true, false or null.
    Plain(Value),
}

/// What an agent has to say at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contract {
    /// A JSON block that says how it went; without it the step has failed.
    Required,
    /// Its process decides; a JSON block that is there counts too.
    Optional,
}

string_enum! {
    /// Which workspace an agent works in.
    WorkspaceChoice {
        /// That of the session.
        Shared = "shared",
        /// One of its own, made from the state that the session's has then.
        Own = "own",
    }
}

/// Runs a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptStep {
    /// The command.
    pub command: Command,
    /// What is added to its environment; the values are templates.
    pub env: BTreeMap<String, TemplateText>,
    /// Where in the workspace it runs.
    pub workdir: Option<Located<String>>,
    /// The variable that also holds the output.
    pub output: Option<Located<String>>,
}

/// A command, whose texts are templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A line for the shell.
    Shell(TemplateText),
    /// A program and its arguments, which no shell reads.
    Words(Vec<TemplateText>),
}

/// Repeats steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopStep {
    /// What is repeated.
    pub steps: Vec<Step>,
    /// How often at most.
    pub max_iterations: NonZeroU32,
    /// What it means that it ran that many iterations and nothing ended it.
    pub on_max_iterations: OnMaxIterations,
}

string_enum! {
    /// What it means that a loop reached its maximum of iterations.
    OnMaxIterations {
        /// The loop has failed.
        Block = "block",
        /// The loop is done.
        Continue = "continue",
    }
}

/// Does steps at the same time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParallelStep {
    /// What is done.
    pub steps: Vec<Step>,
    /// How many at once; all of them where absent.
    pub max_parallel: Option<NonZeroU32>,
    /// Whether a failure stops the others.
    pub fail_fast: bool,
}

/// Brings the work into a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeStep {
    /// Whether a user reviews it first.
    pub require_review: bool,
    /// The branch; without it, the one that the session began from.
    pub into: Option<Located<String>>,
    /// A template for the message of the commit.
    pub commit_message: Option<TemplateText>,
    /// How.
    pub strategy: MergeStrategy,
    /// Commands that have to succeed on the merged files. Sessions of earlier versions have none.
    #[serde(default)]
    pub check: Vec<String>,
    /// Whether the reviewer is shown, and later steps get, which other runs conflict then.
    #[serde(default)]
    pub forecast: bool,
}

string_enum! {
    /// How work is brought into a branch.
    MergeStrategy {
        /// By a merge commit.
        Merge = "merge",
        /// As one commit.
        Squash = "squash",
        /// Commit by commit.
        Rebase = "rebase",
    }
}

/// Waits until a user agrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalStep {
    /// A template for the question to the user.
    pub message: Option<TemplateText>,
}

impl Step {
    /// Its type.
    #[must_use]
    pub const fn kind(&self) -> StepKind {
        match self.work {
            Work::Agent(_) => StepKind::Agent,
            Work::Script(_) => StepKind::Script,
            Work::Loop(_) => StepKind::Loop,
            Work::Parallel(_) => StepKind::Parallel,
            Work::Merge(_) => StepKind::Merge,
            Work::Approval(_) => StepKind::Approval,
        }
    }

    /// The steps inside it.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        match &self.work {
            Work::Loop(inner) => &inner.steps,
            Work::Parallel(inner) => &inner.steps,
            Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => &[],
        }
    }

    /// Lets a user review what it merges, and the steps inside it.
    pub(super) fn review_merges(&mut self) {
        match &mut self.work {
            Work::Merge(merge) => merge.require_review = true,
            Work::Loop(inner) => inner.steps.iter_mut().for_each(Self::review_merges),
            Work::Parallel(inner) => inner.steps.iter_mut().for_each(Self::review_merges),
            Work::Agent(_) | Work::Script(_) | Work::Approval(_) => {}
        }
    }

    /// The variable that also holds its result.
    #[must_use]
    pub fn output(&self) -> Option<&Located<String>> {
        match &self.work {
            Work::Agent(agent) => agent.output.as_ref(),
            Work::Script(script) => script.output.as_ref(),
            Work::Loop(_) | Work::Parallel(_) | Work::Merge(_) | Work::Approval(_) => None,
        }
    }
}

/// A step's name as templates write it after a dot: a hyphen would not be legal there.
#[must_use]
pub fn template_name(name: &str) -> String {
    name.replace('-', "_")
}
