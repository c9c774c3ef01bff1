//! The shape of the file: what may be written there, and what holds where nothing is.

use super::{
    CommandTemplate, ForecastConfig, GcConfig, PromptDelivery,
    number::{DAY_IN_SECONDS, pauses, whole_number},
    tui::TuiFile,
};
use agency_adapters::{DEFAULT_AGENT, StreamFormat};
use agency_model::policy::Policy;
use agency_model::run::FAILURES_ALLOWED;
use agency_model::{BranchTemplate, HostChoice, ThemeChoice, VcsChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::str::FromStr;

const YEAR_IN_MINUTES: u32 = 525_600;
const MAX_FAILURES: u32 = 1000;
const MAX_ATTEMPTS: u32 = 100;

/// The configuration of agency.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table of settings")]
#[schemars(title = "agency configuration")]
pub(super) struct ConfigFile {
    /// The agent of a run that names none.
    pub(super) default_agent: String,
    /// How many agents may be live at once, across all agency processes.
    #[serde(deserialize_with = "whole_number::<_, 1, { u32::MAX }>")]
    #[schemars(range(min = 1))]
    pub(super) max_agents: u32,
    /// What supervisors run in: `auto` is tmux where it is installed, and detached elsewhere.
    #[serde(deserialize_with = "host")]
    pub(super) host: HostChoice,
    /// How the branches of runs are named, with `{name}`, `{date}`, `{agent}` or `{id}`. Empty: `agency/{id}`.
    #[serde(deserialize_with = "branch_template")]
    #[schemars(with = "String")]
    pub(super) branch_template: Option<BranchTemplate>,
    /// What makes workspaces: `auto` is jj in a repository of jj, and git in all others.
    #[serde(deserialize_with = "vcs")]
    pub(super) vcs: VcsChoice,
    /// Whether agents are started with trust in the worktrees that agency makes for them.
    pub(super) trust_worktrees: bool,
    /// Whether agents, and the programs that they start, may answer questions of agents.
    pub(super) allow_self_answer: bool,
    /// A program that supervises, started as `<wrapper> <run_id>`. Empty: agency itself.
    pub(super) wrapper: String,
    /// The program that shows diffs on a terminal, such as `delta` or `difft`. Empty: agency itself.
    pub(super) diff_tool: String,
    /// Where pid files are kept. Empty: `pids` in the home.
    pub(super) pid_dir: String,
    /// The tmux server to use.
    pub(super) tmux: Tmux,
    /// How long things may take.
    pub(super) limits: Limits,
    /// How agents that crash are started again.
    pub(super) restart: Restart,
    /// The database of runs.
    pub(super) database: Database,
    /// What agents may do without asking: rules in their order, of which the first that is about it decides.
    pub(super) approval_policy: Policy,
    /// Notifications when an agent asks, or when a run has finished.
    pub(super) notify: Notify,
    /// Forecasts of conflicts.
    pub(super) forecast: ForecastConfig,
    /// What `agency gc` may remove.
    pub(super) gc: GcConfig,
    /// How work lands.
    pub(super) land: LandFile,
    /// What other agents may do through the MCP server.
    pub(super) mcp: McpFile,
    /// How the TUI looks.
    pub(super) tui: TuiFile,
    /// Where the clones of git sources are. Empty: `sources` in the home.
    pub(super) sources_dir: String,
    /// Agents by name: built-in ones to change, and custom ones.
    pub(super) agents: BTreeMap<String, Agent>,
}

/// The tmux server to use.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Tmux {
    /// The server's name, or the path of its socket. Empty: the user's default server.
    pub(super) socket: String,
}

/// How work lands.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct LandFile {
    /// How often an agent may try to resolve the conflicts of its work.
    #[serde(deserialize_with = "whole_number::<_, 1, MAX_ATTEMPTS>")]
    #[schemars(range(min = 1, max = MAX_ATTEMPTS))]
    pub(super) attempts: u32,
}

/// What other agents may do through the MCP server.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct McpFile {
    /// Whether they may land work without a question.
    pub(super) allow_land: bool,
}

/// How long things may take.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Limits {
    /// How many minutes a run may take. 0: no limit.
    #[serde(deserialize_with = "whole_number::<_, 0, YEAR_IN_MINUTES>")]
    #[schemars(range(max = YEAR_IN_MINUTES))]
    pub(super) max_minutes: u32,
    /// How many minutes may pass without progress of an agent. 0: no limit.
    #[serde(deserialize_with = "whole_number::<_, 0, YEAR_IN_MINUTES>")]
    #[schemars(range(max = YEAR_IN_MINUTES))]
    pub(super) no_progress_minutes: u32,
    /// How many minutes a question of an agent may wait for its answer. 0: no limit.
    #[serde(deserialize_with = "whole_number::<_, 0, YEAR_IN_MINUTES>")]
    #[schemars(range(max = YEAR_IN_MINUTES))]
    pub(super) question_minutes: u32,
    /// After how many minutes a screen that is not recognised becomes a question. 0: never.
    #[serde(deserialize_with = "whole_number::<_, 0, YEAR_IN_MINUTES>")]
    #[schemars(range(max = YEAR_IN_MINUTES))]
    pub(super) unknown_minutes: u32,
    /// How many seconds a stopped agent may take to end by itself.
    #[serde(deserialize_with = "whole_number::<_, 0, DAY_IN_SECONDS>")]
    #[schemars(range(max = DAY_IN_SECONDS))]
    pub(super) stop_grace_seconds: u32,
    /// How many seconds the agents may take to end by themselves when all are shut down.
    #[serde(deserialize_with = "whole_number::<_, 0, DAY_IN_SECONDS>")]
    #[schemars(range(max = DAY_IN_SECONDS))]
    pub(super) shutdown_grace_seconds: u32,
}

/// How agents that crash are started again.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Restart {
    /// How many crashes in a row are too many.
    #[serde(deserialize_with = "whole_number::<_, 1, MAX_FAILURES>")]
    #[schemars(range(min = 1, max = MAX_FAILURES))]
    pub(super) failures: u32,
    /// How many seconds to wait after the first crash, the second, and so on; the last one holds for all that follow.
    #[serde(deserialize_with = "pauses")]
    #[schemars(inner(range(max = DAY_IN_SECONDS)), length(min = 1))]
    pub(super) pauses_seconds: Vec<u32>,
    /// After how many minutes without a crash the earlier ones do not count any more.
    #[serde(deserialize_with = "whole_number::<_, 1, YEAR_IN_MINUTES>")]
    #[schemars(range(min = 1, max = YEAR_IN_MINUTES))]
    pub(super) healthy_minutes: u32,
}

/// The database of runs.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Database {
    /// How many seconds to wait for another process's write.
    #[serde(deserialize_with = "whole_number::<_, 0, DAY_IN_SECONDS>")]
    #[schemars(range(max = DAY_IN_SECONDS))]
    pub(super) lock_timeout_seconds: u32,
}

/// Notifications when an agent asks, or when a run has finished.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Notify {
    /// Whether the bell rings in the run's tmux pane, and in a terminal that follows the inbox.
    pub(super) bell: bool,
    /// Whether the desktop shows a notification, where it can.
    pub(super) desktop: bool,
    /// A program and its arguments; it gets JSON on its standard input. Empty: none.
    #[serde(deserialize_with = "program_and_arguments")]
    pub(super) command: Vec<String>,
    /// Whether this also holds for runs that are not started from a terminal.
    pub(super) always: bool,
}

/// An agent: what is not given here is taken from the built-in one of that name.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct Agent {
    /// The program: a name to look up, or a path. A custom agent needs it.
    #[serde(deserialize_with = "command", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(min = 1))]
    pub(super) command: Option<String>,
    /// Arguments, put after agency's own.
    pub(super) args: Vec<String>,
    /// Variables set for the agent.
    #[serde(deserialize_with = "variables")]
    pub(super) env: BTreeMap<String, String>,
    /// How the prompt reaches the agent, in all forms.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PromptDelivery")]
    pub(super) prompt: Option<PromptDelivery>,
    /// What the agent prints in headless mode.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StreamFormat")]
    pub(super) stream: Option<StreamFormat>,
    /// A file with rules by which the agent's screen is read.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) screen: Option<String>,
    /// How it is started on a terminal.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentForm")]
    pub(super) interactive: Option<AgentForm>,
    /// How it is started on pipes.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentForm")]
    pub(super) headless: Option<AgentForm>,
    /// How it is started on pipes where it is to ask nothing.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentForm")]
    pub(super) one_shot: Option<AgentForm>,
    /// The command that answers a question about sources: `{prompt_file}` and `{mcp_config}` stand for paths.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CommandTemplate")]
    pub(super) ask: Option<CommandTemplate>,
    /// The command that talks with you about sources.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CommandTemplate")]
    pub(super) chat: Option<CommandTemplate>,
}

/// One form in which an agent is started: what is not given here is as for the whole agent.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct AgentForm {
    /// Arguments, put before the agent's.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub(super) args: Option<Vec<String>>,
    /// How the prompt reaches the agent.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PromptDelivery")]
    pub(super) prompt: Option<PromptDelivery>,
    /// What the agent prints.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "StreamFormat")]
    pub(super) stream: Option<StreamFormat>,
    /// The arguments instead of `args` that resume a conversation; `{session}` stands for its id.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>")]
    pub(super) resume: Option<Vec<String>>,
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self {
            default_agent: DEFAULT_AGENT.name().to_owned(),
            max_agents: 8,
            host: HostChoice::Auto,
            branch_template: None,
            vcs: VcsChoice::Auto,
            trust_worktrees: false,
            allow_self_answer: false,
            wrapper: String::new(),
            diff_tool: String::new(),
            pid_dir: String::new(),
            tmux: Tmux::default(),
            limits: Limits::default(),
            restart: Restart::default(),
            database: Database::default(),
            approval_policy: Policy::default(),
            notify: Notify::default(),
            forecast: ForecastConfig::default(),
            gc: GcConfig::default(),
            land: LandFile::default(),
            mcp: McpFile::default(),
            tui: TuiFile::default(),
            sources_dir: String::new(),
            agents: BTreeMap::new(),
        }
    }
}

impl Default for LandFile {
    fn default() -> Self {
        Self { attempts: 2 }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_minutes: 0,
            no_progress_minutes: 0,
            question_minutes: 0,
            unknown_minutes: 3,
            stop_grace_seconds: 10,
            shutdown_grace_seconds: 30,
        }
    }
}

impl Default for Restart {
    fn default() -> Self {
        Self { failures: FAILURES_ALLOWED, pauses_seconds: vec![1, 5, 15], healthy_minutes: 10 }
    }
}

impl Default for Database {
    fn default() -> Self {
        Self { lock_timeout_seconds: 30 }
    }
}

impl Default for Notify {
    fn default() -> Self {
        Self { bell: true, desktop: true, command: vec![], always: false }
    }
}

fn branch_template<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BranchTemplate>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    BranchTemplate::try_from(text).map(Some).map_err(de::Error::custom)
}

fn host<'de, D: Deserializer<'de>>(deserializer: D) -> Result<HostChoice, D::Error> {
    choice(deserializer, HostChoice::ALL.iter().map(|host| host.as_str()))
}

fn vcs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<VcsChoice, D::Error> {
    choice(deserializer, VcsChoice::ALL.iter().map(|choice| choice.as_str()))
}

pub(super) fn theme<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ThemeChoice, D::Error> {
    choice(deserializer, ThemeChoice::ALL.iter().map(|theme| theme.as_str()))
}

/// Reads one of the known values, and names them all if it is none of them.
fn choice<'de, D: Deserializer<'de>, T: FromStr>(
    deserializer: D,
    known: impl Iterator<Item = &'static str>,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| {
        let known: Vec<String> = known.map(|known| format!("{known:?}")).collect();
        de::Error::invalid_value(de::Unexpected::Str(&text), &known.join(" or ").as_str())
    })
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let command = String::deserialize(deserializer)?;
    if command.is_empty() {
        return Err(de::Error::invalid_value(de::Unexpected::Str(""), &"the name or path of a program"));
    }
    Ok(Some(command))
}

fn program_and_arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    if words.first().is_some_and(String::is_empty) {
        return Err(de::Error::invalid_value(de::Unexpected::Str(""), &"the name or path of a program"));
    }
    Ok(words)
}

/// Reads variables. What the operating system cannot take is refused here, before a run depends on it; the answer does
/// not repeat the name, because a `=` in it may be followed by a secret.
fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let variables = BTreeMap::<String, String>::deserialize(deserializer)?;
    if variables.keys().any(|name| name.is_empty() || name.contains(['=', '\0'])) {
        return Err(de::Error::custom("a variable's name is not empty and has no `=`"));
    }
    Ok(variables)
}

/// Reads a value that is left out or given, but never null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
