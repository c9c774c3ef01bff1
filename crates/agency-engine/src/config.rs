//! The user's configuration: one file, laid over the built-in defaults.
//!
//! The one rule: a file is either understood whole or refused with all its mistakes and their places. No key is ever
//! skipped, and each value is stored with its origin, the file or a default.
//!
//! ```
//! use agency_engine::config::{AgentConfig, Config, Environment};
//!
//! // In memory: the defaults, and what differs from them.
//! let mut config = Config::default();
//! config.agents.insert("mine".to_owned(), AgentConfig::new("my-agent"));
//! assert_eq!(config.agent("mine").unwrap().1.command, "my-agent");
//!
//! // From a file; without one, `Config::load(None, &Environment::of_process())` finds the user's.
//! # let place = tempfile::tempdir()?;
//! let file = place.path().join("config.toml");
//! std::fs::write(&file, "max_agents = 3\ndefault_agnt = \"mine\"\n")?;
//! let refused = Config::load(Some(&file), &Environment::default()).unwrap_err();
//! assert!(refused.to_string().contains("default_agnt"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod agent_name;
mod agent_table;
mod built_in;
mod command_template;
mod document;
mod file;
mod gc;
mod locate;
mod number;
mod origin;
mod policy_file;
mod problem;
mod read;
mod registered;
mod resolve;
mod stored;
mod strict;
mod suggestion;
mod toml_tree;
mod tui;

pub use agency_adapters::{Form, InvalidPrompt, PromptDelivery};
pub use agent::{AgentConfig, ScreenSource};
pub use agent_table::AgentTable;
pub(crate) use built_in::{WORKFLOW_DRIVER, driver};
pub use command_template::{CommandTemplate, InvalidCommand, TemplatePaths};
pub use gc::GcConfig;
pub(crate) use locate::environment_of_process;
pub use locate::{Environment, Location, NamedBy, locate};
pub(crate) use number::whole_number;
pub use origin::{ConfigValue, Origin};
pub use policy_file::{PolicyFileError, read_policy};
pub use problem::ConfigError;
pub use registered::AdapterRefused;
pub(crate) use registered::register_adapter;
pub use stored::StoredConfigError;
pub(crate) use strict::{Misfit, parse_strictly, read_strictly};
pub use tui::{NotAColor, THEME_ROLES, ThemeColor, TuiConfig};

use agency_model::policy::Policy;
use agency_model::spec::LimitsSpec;
use agency_model::{BranchTemplate, HostChoice, VcsChoice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tracing::debug;

/// The settings in force: those of the file, and the defaults for all others.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Config {
    /// The agent of a run that names none, always one of `agents`.
    pub default_agent: String,
    /// How many agents may be live at once, across all processes.
    pub max_agents: u32,
    /// What supervisors run in.
    pub host: HostChoice,
    /// How the branches of runs are named, where that is not `agency/<run_id>`.
    pub branch_template: Option<BranchTemplate>,
    /// The version control for the workspaces of runs that do not name one.
    pub vcs: VcsChoice,
    /// The program that supervises, where it is not this one.
    pub wrapper: Option<PathBuf>,
    /// The program that shows diffs on a terminal; `None` for agency itself.
    pub diff_tool: Option<String>,
    /// Where pid files are kept, where that is not in the home.
    pub pid_dir: Option<PathBuf>,
    /// The tmux server, where it is not the user's default one.
    pub tmux_socket: Option<String>,
    /// Whether agents are started with trust in the worktrees that agency makes for them.
    pub trust_worktrees: bool,
    /// Whether agents, and the programs that they start, may answer questions of agents.
    pub allow_self_answer: bool,
    /// The bounds of a run that names none.
    pub limits: LimitsSpec,
    /// How long a stopped agent may take to end by itself.
    pub stop_grace: Duration,
    /// How long the agents may take to end by themselves when all are shut down.
    pub shutdown_grace: Duration,
    /// How agents that crash are started again.
    pub restart: RestartConfig,
    /// How long to wait for another process's write to the database.
    pub lock_timeout: Duration,
    /// What agents may do without asking.
    pub approval_policy: Policy,
    /// Notifications when an agent asks, or when a run has finished.
    pub notify: NotifyConfig,
    /// Forecasts of conflicts.
    pub forecast: ForecastConfig,
    /// What `agency gc` may remove.
    pub gc: GcConfig,
    /// How often an agent may try to resolve the conflicts of its work with its target.
    pub land_attempts: u32,
    /// Whether other agents may land work through the MCP server without a question.
    pub mcp_allow_land: bool,
    /// How the TUI looks.
    pub tui: TuiConfig,
    /// Where the clones of git sources are, if not in the home.
    pub sources_dir: Option<PathBuf>,
    /// The agents by name, built-in and custom ones.
    pub agents: AgentTable,
    /// The file that was read, if any.
    pub file: Option<PathBuf>,
    lines: origin::KeyLines,
}

/// Notifications when an agent asks, or when a run has finished.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct NotifyConfig {
    /// Whether the bell rings in the run's tmux pane, and in a terminal that follows the inbox.
    pub bell: bool,
    /// Whether the desktop shows a notification, where it can.
    pub desktop: bool,
    /// A program and its arguments, which gets JSON on its standard input; empty for none.
    pub command: Vec<String>,
    /// Whether this also holds for runs that are not started from a terminal.
    pub always: bool,
}

/// Forecasts of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ForecastConfig {
    /// Whether conflicts are forecast whenever the work of a run was recorded.
    pub automatic: bool,
    /// Whether the agent of the younger of two runs gets a message about a conflict that is new.
    pub tell_agents: bool,
}

impl Default for ForecastConfig {
    fn default() -> Self {
        Self { automatic: true, tell_agents: false }
    }
}

/// How agents that crash are started again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RestartConfig {
    /// How many crashes in a row are too many.
    pub failures: u32,
    /// How long to wait after the first crash, the second, and so on; the last one holds for all that follow.
    pub pauses: Vec<Duration>,
    /// After how many minutes without a crash the earlier ones do not count any more.
    pub healthy_minutes: u32,
}

impl Config {
    /// Reads the configuration from the first place that names one; without any file, these are the defaults.
    pub fn load(flag: Option<&Path>, environment: &Environment) -> Result<Self, ConfigError> {
        match locate(flag, environment) {
            Some(location) => Self::load_from(&location),
            None => Ok(Self::default()),
        }
    }

    fn load_from(location: &Location) -> Result<Self, ConfigError> {
        match read::text(location)? {
            Some(text) => {
                debug!(path = %location.path().display(), "configuration read");
                Self::parse(location.path(), &text)
            }
            None => Ok(Self::default()),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        resolve::file(document::parse(path, text)?)
    }

    /// Finds an agent by name, under its normal spelling: `my-agent` finds `my_agent`. An alias finds the agent of its
    /// adapter, unless an agent of the file has that name.
    #[must_use]
    pub fn agent(&self, name: &str) -> Option<(&str, &AgentConfig)> {
        let found = self.agents.find(&agent_name::normalised(name));
        found.or_else(|| agent_name::aliased(name).and_then(|name| self.agents.find(name)))
    }

    /// Why an agent that is not found cannot be used in this process, if that is for want of its adapter.
    pub(crate) fn adapter_missing_for(&self, name: &str) -> Option<String> {
        if self.agent(name).is_some() {
            return None;
        }
        let adapter = self.agents.unknown_adapter(&agent_name::normalised(name))?;
        Some(format!(
            "the adapter '{adapter}' is not known in this process: pass it to agency_engine::Init::adapter at the top of main"
        ))
    }

    /// The name under which a run records its agent: the one that was given, or for an alias the agent's own.
    pub(crate) fn recorded_agent(&self, name: &str) -> String {
        let is_own = self.agents.find(&agent_name::normalised(name)).is_some();
        let aliased = agent_name::aliased(name).filter(|_| !is_own);
        aliased.map_or_else(|| name.to_owned(), |name| name.replace('_', "-"))
    }

    /// Lists every setting under its key in the file, with its origin. Values of agents' environments are masked.
    #[must_use]
    pub fn values(&self) -> Vec<ConfigValue> {
        origin::values(self)
    }
}

impl Default for Config {
    fn default() -> Self {
        resolve::defaults()
    }
}

/// Describes the shape of the configuration file, for editors.
#[doc(hidden)]
#[must_use]
pub fn config_schema() -> schemars::Schema {
    schemars::schema_for!(file::ConfigFile)
}

#[cfg(test)]
mod tests;
