//! Every field of a workflow file, once: what is read, what the JSON Schema says and what the documentation lists.

use super::{MergeStrategy, OnFail, OnMaxIterations, StepKind, WorkspaceChoice};
use crate::{Host, Mode};

/// One field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Whether it has to be there.
    pub need: Need,
    /// What its value is.
    pub holds: Holds,
    /// What holds without it, in a few words; empty where it is simply absent.
    pub default: &'static str,
    /// What it is for.
    pub what: &'static str,
}

/// Whether a field has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Always.
    Required,
    /// Or another one that says the same in another way.
    OneOf(&'static str),
    /// No.
    Optional,
}

/// What the value of a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A name: letters, digits, `_` and `-`.
    Name,
    /// A text.
    Text,
    /// A text in Go's template syntax.
    Template,
    /// A duration as Go writes it.
    Duration,
    /// A whole number from 1.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A map of templates.
    Environment,
    /// A map of any values.
    Variables,
    /// A text for the shell, or a list of words.
    Command,
    /// A map of servers, or a list of presets.
    McpServers,
    /// An object of this shape.
    Object(Shape),
    /// A list of objects of this shape.
    Objects(Shape),
    /// A list of steps.
    Steps,
}

/// The objects of a workflow file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The whole file.
    Workflow,
    /// `defaults`.
    Defaults,
    /// A step of this type.
    Step(StepKind),
    /// A stage.
    Stage,
    /// A task of a stage.
    Task,
    /// A server that is not a preset.
    McpServer,
}

impl Shape {
    /// Every shape.
    pub const ALL: &'static [Self] = &[
        Self::Workflow,
        Self::Defaults,
        Self::Step(StepKind::Agent),
        Self::Step(StepKind::Script),
        Self::Step(StepKind::Loop),
        Self::Step(StepKind::Parallel),
        Self::Step(StepKind::Merge),
        Self::Step(StepKind::Approval),
        Self::Stage,
        Self::Task,
        Self::McpServer,
    ];

    /// Its fields in the order in which the documentation lists them.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        let (common, own): (&[Field], &[Field]) = match self {
            Self::Workflow => (&[], WORKFLOW),
            Self::Defaults => (&[], DEFAULTS),
            Self::Step(StepKind::Agent) => (STEP, AGENT),
            Self::Step(StepKind::Script) => (STEP, SCRIPT),
            Self::Step(StepKind::Loop) => (STEP, LOOP),
            Self::Step(StepKind::Parallel) => (STEP, PARALLEL),
            Self::Step(StepKind::Merge) => (STEP, MERGE),
            Self::Step(StepKind::Approval) => (STEP, APPROVAL),
            Self::Stage => (&[], STAGE),
            Self::Task => (&[], TASK),
            Self::McpServer => (&[], MCP_SERVER),
        };
        common.iter().chain(own)
    }

    /// Its name in messages.
    #[must_use]
    pub const fn described(self) -> &'static str {
        match self {
            Self::Workflow => "a workflow",
            Self::Defaults => "`defaults`",
            Self::Step(StepKind::Agent) => "an agent step",
            Self::Step(StepKind::Script) => "a script step",
            Self::Step(StepKind::Loop) => "a loop",
            Self::Step(StepKind::Parallel) => "a parallel step",
            Self::Step(StepKind::Merge) => "a merge step",
            Self::Step(StepKind::Approval) => "an approval step",
            Self::Stage => "a stage",
            Self::Task => "a task",
            Self::McpServer => "an MCP server",
        }
    }
}

/// The words of a closed set.
macro_rules! word_list {
    ($($value:expr),+) => { Holds::Word(&[$($value.as_str()),+]) };
}

const STEP_TYPES: Holds = word_list!(
    StepKind::Agent,
    StepKind::Script,
    StepKind::Loop,
    StepKind::Parallel,
    StepKind::Merge,
    StepKind::Approval
);
const MODES: Holds = word_list!(Mode::Interactive, Mode::Headless);
const HOSTS: Holds = word_list!(Host::Tmux, Host::Detached);
const ON_FAIL: Holds = word_list!(OnFail::Block, OnFail::Continue);
const ON_MAX: Holds = word_list!(OnMaxIterations::Block, OnMaxIterations::Continue);
const STRATEGIES: Holds = word_list!(MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase);
const WORKSPACES: Holds = word_list!(WorkspaceChoice::Shared, WorkspaceChoice::Own);

const fn required(name: &'static str, holds: Holds, what: &'static str) -> Field {
    Field { name, need: Need::Required, holds, default: "", what }
}

const fn one_of(name: &'static str, other: &'static str, holds: Holds, what: &'static str) -> Field {
    Field { name, need: Need::OneOf(other), holds, default: "", what }
}

const fn optional(name: &'static str, holds: Holds, default: &'static str, what: &'static str) -> Field {
    Field { name, need: Need::Optional, holds, default, what }
}

const WORKFLOW: &[Field] = &[
    one_of("name", "id", Holds::Name, "Its name. A file with stages says `id` instead."),
    one_of("id", "name", Holds::Name, "Its name, in a file with stages."),
    optional("description", Holds::Text, "", "What it is for."),
    optional("goal", Holds::Text, "", "What the session is to achieve: `{{.goal}}`. `--goal` replaces it."),
    optional("timeout", Holds::Duration, "1h", "How long a session may take."),
    optional("mcp_servers", Holds::McpServers, "none", "Servers for every agent."),
    optional("defaults", Holds::Object(Shape::Defaults), "", "Values for steps that do not set them."),
    one_of("steps", "stages", Holds::Steps, "What is done, one after the other."),
    one_of("stages", "steps", Holds::Objects(Shape::Stage), "Stages, one after the other."),
];

const DEFAULTS: &[Field] = &[
    optional("adapter", Holds::Text, "`default_agent` of the configuration", "The agent."),
    optional("mode", MODES, "`headless` for steps, `interactive` for tasks", "How agents run."),
    optional("host", HOSTS, "`host` of the configuration", "What supervisors run in."),
];

const STEP: &[Field] = &[
    required("name", Holds::Name, "Its name, which no other step has."),
    required("type", STEP_TYPES, "What it does."),
    optional("when", Holds::Template, "always", "The step is skipped unless this is true."),
    optional("timeout", Holds::Duration, "15m for agents, 5m for scripts, else none", "How long it may take."),
    optional("on_fail", ON_FAIL, "`block`", "The effect of a failure on the workflow."),
    optional("on_success", Holds::Word(&["exit_loop"]), "nothing", "Its success ends the loop around it."),
];

const AGENT: &[Field] = &[
    one_of("spell", "prompt", Holds::Template, "The name of a spell; or the spell itself, if it has several lines."),
    one_of("prompt", "spell", Holds::Template, "The prompt, without a system prompt around it."),
    optional("input", Holds::Variables, "none", "Variables for the spell or prompt."),
    optional("output", Holds::Name, "", "A variable that also holds the result."),
    optional("adapter", Holds::Text, "that of `defaults`", "The agent."),
    optional("mode", MODES, "that of `defaults`, else `headless`", "How the agent runs."),
    optional("extra_args", Holds::Texts, "none", "Further arguments for the agent's command."),
    optional("cwd", Holds::Text, "its root", "Where in the workspace the agent works."),
    optional("env", Holds::Environment, "none", "What is added to its environment."),
    optional(
        "mcp_servers",
        Holds::McpServers,
        "none",
        "Servers beside those of the workflow; the same name replaces one.",
    ),
    optional("workspace", WORKSPACES, "`shared`", "The workspace of the session, or one of its own."),
];

const SCRIPT: &[Field] = &[
    required("command", Holds::Command, "A line for the shell, or a list of a program and its arguments."),
    optional("env", Holds::Environment, "none", "What is added to its environment."),
    optional("workdir", Holds::Text, "its root", "Where in the workspace it runs."),
    optional("output", Holds::Name, "", "A variable that also holds what it printed."),
];

const LOOP: &[Field] = &[
    required("steps", Holds::Steps, "What is repeated."),
    optional("max_iterations", Holds::Count, "10", "How often at most."),
    optional("on_max_iterations", ON_MAX, "`block`", "The effect of reaching `max_iterations`."),
];

const PARALLEL: &[Field] = &[
    required("steps", Holds::Steps, "What is done at the same time."),
    optional("max_parallel", Holds::Count, "all", "How many at once."),
    optional("fail_fast", Holds::Flag, "`false`", "Whether a failure stops the others."),
];

const MERGE: &[Field] = &[
    optional("require_review", Holds::Flag, "`true`", "Whether a user reviews the changes first."),
    optional("into", Holds::Text, "the branch that the session began from", "The branch."),
    optional("commit_message", Holds::Template, "from the task and the workflow", "The message of the commit."),
    optional("strategy", STRATEGIES, "`merge`", "How."),
    optional("check", Holds::Texts, "none", "Commands for the shell that have to succeed on the merged files."),
    optional("forecast", Holds::Flag, "`false`", "Whether the review and the result name the runs that conflict then."),
];

const APPROVAL: &[Field] = &[optional("message", Holds::Template, "the name of the step", "The text of the question.")];

const STAGE: &[Field] = &[
    required("id", Holds::Name, "Its name."),
    required("tasks", Holds::Objects(Shape::Task), "What is done at the same time; the next stage waits for all."),
];

const TASK: &[Field] = &[
    required("id", Holds::Name, "Its name, which no other task has."),
    required("adapter", Holds::Text, "The agent."),
    optional("executionMode", MODES, "that of `defaults`, else `interactive`", "How the agent runs."),
    optional("prompt", Holds::Template, "none; needed if headless", "The prompt."),
    optional("extraArgs", Holds::Texts, "none", "Further arguments for the agent's command."),
    optional("cwd", Holds::Text, "its root", "Where in the workspace the agent works."),
    optional("env", Holds::Environment, "none", "What is added to its environment."),
    optional("name", Holds::Text, "the `id`", "The name that is displayed."),
];

const MCP_SERVER: &[Field] = &[
    one_of("command", "url", Holds::Text, "The program."),
    optional("args", Holds::Texts, "none", "Its arguments."),
    optional("env", Holds::Environment, "none", "What is added to its environment."),
    one_of("url", "command", Holds::Text, "The address of a server that runs already."),
    optional("headers", Holds::Environment, "none", "The headers of each request to that address."),
];
