//! Which settings hold, and what gave each of them.

use super::{
    AgentConfig, CommandTemplate, Config, ForecastConfig, Form, GcConfig, NotifyConfig, RestartConfig, ScreenSource,
    TuiConfig, agent_name,
    document::{Document, dotted},
};
use agency_model::document::{Node, dotted_key};
use agency_model::duration_text;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// One setting under its key in the file.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ConfigValue {
    /// The key with its tables, such as `limits.max_minutes`.
    pub key: String,
    /// The value as the file would have it. Values of variables are `***`.
    pub value: Value,
    /// What gave it.
    pub origin: Origin,
}

/// What gave a setting its value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Origin {
    /// It is not set anywhere.
    Default,
    /// The configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line of the key, where it is known.
        line: Option<usize>,
    },
}

const MASK: &str = "***";

/// The line of every key that a file has, by dotted key and the one right name of each agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KeyLines(BTreeMap<String, usize>);

impl KeyLines {
    /// Finds the lines of a file's keys.
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut lines = Self::default();
        lines.add(&document.root, "");
        lines
    }

    fn add(&mut self, table: &Node, parent: &str) {
        for (key, value) in table.entries() {
            let name = if parent == "agents" { agent_name::normalised(&key.name) } else { key.name.clone() };
            let path = dotted_key(parent, &name);
            self.add(value, &path);
            self.0.insert(path, key.at.line);
        }
    }

    fn origin(&self, key: &str, file: Option<&Path>) -> Origin {
        // Settings of the whole agent change each form as well.
        let of_agent = key.rsplit_once('.').filter(|(_, form)| ["interactive", "headless"].contains(form));
        let of_agent = of_agent.and_then(|(agent, _)| {
            let line = |key: &str| self.0.get(&format!("{agent}.{key}"));
            line("prompt").or_else(|| line("stream"))
        });
        match (file, self.0.get(key).or(of_agent)) {
            (Some(path), Some(line)) => Origin::File { path: path.to_owned(), line: Some(*line) },
            (Some(_) | None, _) => Origin::Default,
        }
    }
}

/// Every setting of a configuration.
pub(super) fn values(config: &Config) -> Vec<ConfigValue> {
    let Config {
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
        forecast: ForecastConfig { automatic, tell_agents },
        gc: GcConfig { auto, age, landed_after, unused_after, max_gb, min_free_gb },
        land_attempts,
        mcp_allow_land,
        tui: TuiConfig { theme, colors },
        sources_dir,
        agents,
        file,
        lines,
    } = config;
    let [wrapper, pid_dir, sources_dir] =
        [wrapper, pid_dir, sources_dir].map(|path| path.as_deref().map(Path::to_string_lossy).unwrap_or_default());
    let settings = [
        ("default_agent", json!(default_agent)),
        ("max_agents", json!(max_agents)),
        ("host", json!(host.as_str())),
        ("branch_template", json!(branch_template.as_ref().map_or("", |template| template.as_str()))),
        ("vcs", json!(vcs.as_str())),
        ("trust_worktrees", json!(trust_worktrees)),
        ("allow_self_answer", json!(allow_self_answer)),
        ("wrapper", json!(wrapper)),
        ("diff_tool", json!(diff_tool.as_deref().unwrap_or_default())),
        ("pid_dir", json!(pid_dir)),
        ("sources_dir", json!(sources_dir)),
        ("tmux.socket", json!(tmux_socket.as_deref().unwrap_or_default())),
        ("limits.max_minutes", json!(limits.max_minutes.unwrap_or_default())),
        ("limits.no_progress_minutes", json!(limits.no_progress_minutes.unwrap_or_default())),
        ("limits.question_minutes", json!(limits.question_minutes.unwrap_or_default())),
        ("limits.unknown_minutes", json!(limits.unknown_minutes.unwrap_or_default())),
        ("limits.stop_grace_seconds", json!(stop_grace.as_secs())),
        ("limits.shutdown_grace_seconds", json!(shutdown_grace.as_secs())),
        ("restart.failures", json!(failures)),
        ("restart.pauses_seconds", json!(pauses.iter().map(Duration::as_secs).collect::<Vec<_>>())),
        ("restart.healthy_minutes", json!(healthy_minutes)),
        ("database.lock_timeout_seconds", json!(lock_timeout.as_secs())),
        ("approval_policy", json!(approval_policy)),
        ("notify.bell", json!(bell)),
        ("notify.desktop", json!(desktop)),
        ("notify.command", json!(command)),
        ("notify.always", json!(always)),
        ("forecast.automatic", json!(automatic)),
        ("forecast.tell_agents", json!(tell_agents)),
        ("gc.auto", json!(auto)),
        ("gc.age", json!(duration_text(*age))),
        ("gc.landed_after", json!(duration_text(*landed_after))),
        ("gc.unused_after", json!(duration_text(*unused_after))),
        ("gc.max_gb", json!(max_gb)),
        ("gc.min_free_gb", json!(min_free_gb)),
        ("land.attempts", json!(land_attempts)),
        ("mcp.allow_land", json!(mcp_allow_land)),
        ("tui.theme", json!(theme.as_str())),
        ("tui.colors", json!(colors)),
    ];
    settings
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .chain(agents.iter().flat_map(|(name, agent)| agent_values(name, agent)))
        .map(|(key, value)| ConfigValue { origin: lines.origin(&key, file.as_deref()), key, value })
        .collect()
}

fn agent_values(name: &str, agent: &AgentConfig) -> Vec<(String, Value)> {
    let env: Value = agent.env.keys().map(|name| (name.clone(), json!(MASK))).collect();
    let screen = match &agent.screen {
        ScreenSource::File(path) => json!(path),
        ScreenSource::BuiltIn(_) | ScreenSource::None => json!(""),
    };
    let mut values = vec![
        ("command", json!(agent.command)),
        ("args", json!(agent.args)),
        ("env", env),
        ("screen", screen),
        ("interactive", form_value(&agent.interactive)),
        ("headless", form_value(&agent.headless)),
    ];
    let command =
        |template: &Option<CommandTemplate>| json!(template.as_ref().map(ToString::to_string).unwrap_or_default());
    values.extend([("ask", command(&agent.ask)), ("chat", command(&agent.chat))]);
    values.extend(agent.one_shot.as_ref().map(|form| ("one_shot", form_value(form))));
    values.into_iter().map(|(key, value)| (dotted(&["agents", name, key]), value)).collect()
}

/// A form as the file would have it.
fn form_value(form: &Form) -> Value {
    let Form { args, prompt, stream, resume } = form;
    json!({ "args": args, "prompt": prompt.to_string(), "stream": stream, "resume": resume })
}
