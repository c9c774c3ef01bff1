//! The configuration in force as a file of a run, for a process that has to use the same one.
//!
//! The one rule: the file can hold secrets of agents' environments. It is private, and it is deleted when its run ends.

use super::{
    AgentConfig, AgentTable, CommandTemplate, Config, ForecastConfig, Form, GcConfig, NotifyConfig, PromptDelivery,
    RestartConfig, ScreenSource, TuiConfig, origin::KeyLines,
};
use crate::home::{HomeError, read_whole};
use agency_adapters::{AgentAdapter, StreamFormat, find_adapter};
use agency_model::policy::Policy;
use agency_model::spec::LimitsSpec;
use agency_model::{BranchTemplate, HostChoice, VcsChoice};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path, path::PathBuf, str::FromStr, time::Duration};

/// The version of the file.
const STORED_CONFIG_VERSION: u32 = 1;

/// Why a stored configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// It is not what a program of this version writes.
    #[error("the configuration in {} is not valid: {why}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

#[derive(Serialize, Deserialize)]
struct StoredConfig {
    version: u32,
    default_agent: String,
    max_agents: u32,
    host: HostChoice,
    /// Earlier versions did not have it.
    #[serde(default)]
    branch_template: Option<BranchTemplate>,
    vcs: VcsChoice,
    wrapper: Option<PathBuf>,
    /// Earlier versions did not have it.
    #[serde(default)]
    diff_tool: Option<String>,
    pid_dir: Option<PathBuf>,
    tmux_socket: Option<String>,
    trust_worktrees: bool,
    allow_self_answer: bool,
    limits: LimitsSpec,
    stop_grace: Duration,
    shutdown_grace: Duration,
    restart_failures: u32,
    restart_pauses: Vec<Duration>,
    restart_healthy_minutes: u32,
    lock_timeout: Duration,
    approval_policy: Policy,
    notify_bell: bool,
    notify_desktop: bool,
    notify_command: Vec<String>,
    notify_always: bool,
    /// Earlier versions did not have it.
    #[serde(default = "two")]
    land_attempts: u32,
    /// Earlier versions did not have it.
    #[serde(default)]
    mcp_allow_land: bool,
    /// Earlier versions did not have it.
    #[serde(default)]
    forecast: ForecastConfig,
    /// Earlier versions did not have it.
    #[serde(default)]
    gc: GcConfig,
    /// Earlier versions did not have it.
    #[serde(default)]
    tui: TuiConfig,
    sources_dir: Option<PathBuf>,
    agents: BTreeMap<String, StoredAgent>,
    file: Option<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct StoredAgent {
    command: String,
    own_command: bool,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    interactive: StoredForm,
    headless: StoredForm,
    one_shot: Option<StoredForm>,
    ask: Option<String>,
    chat: Option<String>,
    screen: ScreenSource,
    /// The name of the adapter; empty for an agent of which only the configuration is known.
    adapter: String,
    built_in: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredForm {
    args: Vec<String>,
    prompt: String,
    stream: StreamFormat,
    resume: Option<Vec<String>>,
}

const fn two() -> u32 {
    2
}

impl Config {
    /// The text of a file from which [`Config::restored`] makes the same configuration.
    pub(crate) fn stored(&self) -> serde_json::Result<Vec<u8>> {
        let Self {
            default_agent,
            max_agents,
            host,
            branch_template,
            vcs,
            wrapper,
            diff_tool,
            pid_dir,
            tmux_socket,
            trust_worktrees,
            allow_self_answer,
            limits,
            stop_grace,
            shutdown_grace,
            restart: RestartConfig { failures, pauses, healthy_minutes },
            lock_timeout,
            approval_policy,
            notify: NotifyConfig { bell, desktop, command, always },
            forecast,
            gc,
            land_attempts,
            mcp_allow_land,
            tui,
            sources_dir,
            agents,
            file,
            lines: _,
        } = self.clone();
        serde_json::to_vec(&StoredConfig {
            version: STORED_CONFIG_VERSION,
            default_agent,
            max_agents,
            host,
            branch_template,
            vcs,
            wrapper,
            diff_tool,
            pid_dir,
            tmux_socket,
            trust_worktrees,
            allow_self_answer,
            limits,
            stop_grace,
            shutdown_grace,
            restart_failures: failures,
            restart_pauses: pauses,
            restart_healthy_minutes: healthy_minutes,
            lock_timeout,
            approval_policy,
            notify_bell: bell,
            notify_desktop: desktop,
            notify_command: command,
            notify_always: always,
            forecast,
            gc,
            land_attempts,
            mcp_allow_land,
            tui,
            sources_dir,
            agents: agents.into_iter().map(|(name, agent)| (name, StoredAgent::of(agent))).collect(),
            file,
        })
    }

    /// Reads what [`Config::stored`] wrote. An agent whose adapter is not known in this process cannot be used, and is an
    /// error only of what uses it.
    pub(crate) fn restored(path: &Path) -> Result<Self, StoredConfigError> {
        let invalid = |why: String| StoredConfigError::Invalid { path: path.to_owned(), why };
        let bytes = read_whole(path).map_err(|source| HomeError::new("read", path, source))?;
        let stored: StoredConfig = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
        if stored.version != STORED_CONFIG_VERSION {
            return Err(invalid(format!("it has version {}", stored.version)));
        }
        let (mut agents, mut unknown) = (BTreeMap::new(), BTreeMap::new());
        for (name, agent) in stored.agents {
            match find_adapter(&agent.adapter) {
                Some(adapter) => drop(agents.insert(name, agent.restored(adapter, &invalid)?)),
                None => drop(unknown.insert(name, agent.adapter)),
            }
        }
        Ok(Self {
            default_agent: stored.default_agent,
            max_agents: stored.max_agents,
            host: stored.host,
            branch_template: stored.branch_template,
            vcs: stored.vcs,
            wrapper: stored.wrapper,
            diff_tool: stored.diff_tool,
            pid_dir: stored.pid_dir,
            tmux_socket: stored.tmux_socket,
            trust_worktrees: stored.trust_worktrees,
            allow_self_answer: stored.allow_self_answer,
            limits: stored.limits,
            stop_grace: stored.stop_grace,
            shutdown_grace: stored.shutdown_grace,
            restart: RestartConfig {
                failures: stored.restart_failures,
                pauses: stored.restart_pauses,
                healthy_minutes: stored.restart_healthy_minutes,
            },
            lock_timeout: stored.lock_timeout,
            approval_policy: stored.approval_policy,
            notify: NotifyConfig {
                bell: stored.notify_bell,
                desktop: stored.notify_desktop,
                command: stored.notify_command,
                always: stored.notify_always,
            },
            forecast: stored.forecast,
            gc: stored.gc,
            land_attempts: stored.land_attempts,
            mcp_allow_land: stored.mcp_allow_land,
            tui: stored.tui,
            sources_dir: stored.sources_dir,
            agents: AgentTable::from(agents).with_unknown(unknown),
            file: stored.file,
            lines: KeyLines::default(),
        })
    }
}

impl StoredAgent {
    fn of(agent: AgentConfig) -> Self {
        let template = |template: Option<CommandTemplate>| template.map(|template| template.to_string());
        Self {
            command: agent.command,
            own_command: agent.own_command,
            args: agent.args,
            env: agent.env,
            interactive: StoredForm::of(agent.interactive),
            headless: StoredForm::of(agent.headless),
            one_shot: agent.one_shot.map(StoredForm::of),
            ask: template(agent.ask),
            chat: template(agent.chat),
            screen: agent.screen,
            adapter: agent.adapter.name().to_owned(),
            built_in: agent.built_in,
        }
    }

    fn restored(
        self,
        adapter: &'static dyn AgentAdapter,
        invalid: &dyn Fn(String) -> StoredConfigError,
    ) -> Result<AgentConfig, StoredConfigError> {
        let template = |text: Option<String>| {
            let parsed = text.map(|text| text.parse::<CommandTemplate>()).transpose();
            parsed.map_err(|error| invalid(error.to_string()))
        };
        let form = |form: StoredForm| form.restored().map_err(|error| invalid(error.to_string()));
        Ok(AgentConfig {
            command: self.command,
            own_command: self.own_command,
            // A runner is of one process.
            own_runner: false,
            args: self.args,
            env: self.env,
            interactive: form(self.interactive)?,
            headless: form(self.headless)?,
            one_shot: self.one_shot.map(form).transpose()?,
            ask: template(self.ask)?,
            chat: template(self.chat)?,
            screen: self.screen,
            adapter,
            built_in: self.built_in,
        })
    }
}

impl StoredForm {
    fn of(form: Form) -> Self {
        let Form { args, prompt, stream, resume } = form;
        Self { args, prompt: prompt.to_string(), stream, resume }
    }

    fn restored(self) -> Result<Form, <PromptDelivery as FromStr>::Err> {
        let prompt = self.prompt.parse::<PromptDelivery>()?;
        Ok(Form { args: self.args, prompt, stream: self.stream, resume: self.resume })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_configuration_is_the_stored_one() {
        let text = r#"
            default_agent = "mine"
            max_agents = 3
            wrapper = "/opt/wrapper"
            [limits]
            max_minutes = 5
            [notify]
            command = ["notify", "me"]
            [tui]
            theme = "light"
            colors = { accent = "214" }
            [[approval_policy]]
            tool = "Bash"
            action = "ask"
            [gc]
            auto = true
            age = "36h"
            min_free_gb = 5
            [agents.mine]
            command = "sh"
            args = ["-c", "true"]
            env = { TOKEN = "secret" }
            prompt = "flag:--task"
            ask = "sh -c 'cat {prompt_file}'"
            [agents.codex]
            screen = "screen.toml"
        "#;
        let config = Config::parse(Path::new("/config.toml"), text).map_err(|error| error.to_string()).unwrap();
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config.json");
        std::fs::write(&file, config.stored().unwrap()).unwrap();
        let restored = Config::restored(&file).unwrap();
        assert_eq!(restored, Config { lines: KeyLines::default(), ..config });
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_the_reason() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config.json");
        let text = String::from_utf8(Config::default().stored().unwrap()).unwrap();
        let error_of = |text: String| {
            std::fs::write(&file, text).unwrap();
            Config::restored(&file).unwrap_err().to_string()
        };
        assert!(error_of(text.replace("\"version\":1", "\"version\":2")).contains("it has version 2"));
        assert!(error_of("{".to_owned()).contains("is not valid"));
    }

    #[test]
    fn an_agent_with_an_unknown_adapter_leaves_the_others_usable() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config.json");
        let text = String::from_utf8(Config::default().stored().unwrap()).unwrap();
        std::fs::write(&file, text.replace("\"adapter\":\"codex\"", "\"adapter\":\"unknown\"")).unwrap();
        let mut config = Config::restored(&file).unwrap();
        config.agents.remove("gemini");
        assert!(config.agent("codex").is_none() && config.agent("claude-code").is_some());
        let why = config.adapter_missing_for("codex").unwrap();
        assert!(why.contains("the adapter 'unknown' is not known in this process"), "{why}");
        assert_eq!(config.adapter_missing_for("claude-code"), None);
        assert_eq!(Config::default().adapter_missing_for("no-such-agent"), None);
    }
}
