//! Which settings hold, and what gave each of them.

use super::{AgentConfig, Config, agent_name, document::Document, entries::dotted};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// One setting under its key in the file.
#[derive(Debug, Clone, PartialEq)]
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
pub enum Origin {
    /// Nobody set it.
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
pub(super) struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// Finds the lines of a file's keys.
    pub(super) fn of(document: &Document<'_>) -> Self {
        let lines = document.entries.iter().map(|entry| {
            let key = match entry.keys().as_slice() {
                ["agents", name, rest @ ..] => dotted(&[&["agents", &agent_name::normalised(name)], rest].concat()),
                keys => dotted(keys),
            };
            (key, document.source.line(entry.key_offset))
        });
        Self(lines.collect())
    }

    fn origin(&self, key: &str, file: Option<&Path>) -> Origin {
        match (file, self.0.get(key)) {
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
        wrapper,
        tmux_socket,
        max_minutes,
        stop_grace,
        lock_timeout,
        agents,
        file,
        lines,
    } = config;
    let wrapper = wrapper.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let settings = [
        ("default_agent", json!(default_agent)),
        ("max_agents", json!(max_agents)),
        ("host", json!(host.word())),
        ("wrapper", json!(wrapper)),
        ("tmux.socket", json!(tmux_socket.as_deref().unwrap_or_default())),
        ("limits.max_minutes", json!(max_minutes.unwrap_or_default())),
        ("limits.stop_grace_seconds", json!(stop_grace.as_secs())),
        ("database.lock_timeout_seconds", json!(lock_timeout.as_secs())),
    ];
    settings
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .chain(agents.iter().flat_map(|(name, agent)| agent_values(name, agent)))
        .map(|(key, value)| ConfigValue { origin: lines.origin(&key, file.as_deref()), key, value })
        .collect()
}

fn agent_values(name: &str, agent: &AgentConfig) -> [(String, Value); 5] {
    let env: Value = agent.env.keys().map(|name| (name.clone(), json!(MASK))).collect();
    [
        ("command", json!(agent.command)),
        ("args", json!(agent.args)),
        ("env", env),
        ("prompt", prompt_value(agent)),
        ("stream", json!(agent.stream)),
    ]
    .map(|(key, value)| (dotted(&["agents", name, key]), value))
}

/// The prompt's way as the file would have it, or both ways where the modes differ, which only a default can say.
fn prompt_value(agent: &AgentConfig) -> Value {
    let (interactive, headless) = (agent.interactive.prompt.to_string(), agent.headless.prompt.to_string());
    if interactive == headless {
        return json!(interactive);
    }
    json!({ "interactive": interactive, "headless": headless })
}
