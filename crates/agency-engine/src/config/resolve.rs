//! Lays a file over the defaults.

use super::{
    AgentConfig, Config, ConfigError, Place, agent_name, built_in,
    document::Document,
    entries::dotted,
    file::{Agent, ConfigFile},
    origin::Lines,
};
use std::{
    collections::{BTreeMap, btree_map},
    path::PathBuf,
    time::Duration,
};

/// The configuration without a file.
pub(super) fn defaults() -> Config {
    settings(ConfigFile::default(), built_in::agents(), Lines::default(), None)
}

/// The configuration of a file.
pub(super) fn file((mut file, document): (ConfigFile, Document<'_>)) -> Result<Config, ConfigError> {
    let agents = agents(std::mem::take(&mut file.agents), &document)?;
    let default_agent = agent_name::normalised(&file.default_agent);
    if !agents.contains_key(&default_agent) {
        return Err(ConfigError::UnknownDefaultAgent {
            at: document.value_place(&["default_agent"]),
            nearest: agency_model::nearest(&default_agent, agents.keys().map(String::as_str)).map(str::to_owned),
            known: agents.into_keys().collect(),
            name: file.default_agent,
        });
    }
    file.default_agent = default_agent;
    Ok(settings(file, agents, Lines::of(&document), Some(document.source.path.to_owned())))
}

fn settings(file: ConfigFile, agents: BTreeMap<String, AgentConfig>, lines: Lines, path: Option<PathBuf>) -> Config {
    Config {
        default_agent: file.default_agent,
        max_agents: file.max_agents,
        host: file.host,
        wrapper: non_empty(file.wrapper).map(PathBuf::from),
        tmux_socket: non_empty(file.tmux.socket),
        max_minutes: Some(file.limits.max_minutes).filter(|&minutes| minutes > 0),
        stop_grace: Duration::from_secs(file.limits.stop_grace_seconds.into()),
        lock_timeout: Duration::from_secs(file.database.lock_timeout_seconds.into()),
        agents,
        file: path,
        lines,
    }
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn agents(
    written: BTreeMap<String, Agent>,
    document: &Document<'_>,
) -> Result<BTreeMap<String, AgentConfig>, ConfigError> {
    let mut spellings = BTreeMap::new();
    let mut agents = built_in::agents();
    for (spelling, agent) in written {
        let place = |spelling: &str| document.key_place(&["agents", spelling]);
        if !agent_name::is_valid(&spelling) {
            return Err(ConfigError::InvalidAgentName { at: place(&spelling), key: dotted(&["agents", &spelling]) });
        }
        let name = agent_name::normalised(&spelling);
        if let Some(first) = spellings.insert(name.clone(), spelling.clone()) {
            return Err(ConfigError::SameAgent { at: later(place(&first), place(&spelling)), first, second: spelling });
        }
        match (agents.entry(name), agent.command.clone()) {
            (btree_map::Entry::Occupied(known), _) => overlay(known.into_mut(), agent),
            (btree_map::Entry::Vacant(slot), Some(command)) => {
                overlay(slot.insert(AgentConfig::custom(command)), agent);
            }
            (btree_map::Entry::Vacant(_), None) => {
                let nearest = agency_model::nearest(&spelling, agents.keys().map(String::as_str)).map(str::to_owned);
                return Err(ConfigError::AgentWithoutCommand { at: place(&spelling), name: spelling, nearest });
            }
        }
    }
    Ok(agents)
}

fn later(one: Place, other: Place) -> Place {
    if (one.line, one.column) > (other.line, other.column) { one } else { other }
}

/// Lays what the file says of an agent over what is known of it.
fn overlay(known: &mut AgentConfig, written: Agent) {
    let Agent { command, args, env, prompt, stream } = written;
    if let Some(command) = command {
        known.command = command;
        known.own_command = false;
    }
    known.args = args;
    known.env = env;
    if let Some(prompt) = prompt {
        known.interactive.prompt = prompt.clone();
        known.headless.prompt = prompt;
    }
    if let Some(stream) = stream {
        known.stream = stream;
    }
}
