//! Adapters of the program's own as agents of the configuration.

use super::{AgentConfig, Config, agent_name, built_in, document};
use agency_adapters::{AgentAdapter, RegisterError, adapter};
use std::path::Path;

/// Why an adapter is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdapterRefused {
    /// Its name is not one that an agent can have.
    #[error("{0:?} cannot be the name of an adapter: it has only letters, digits and `_`")]
    Name(String),
    /// Its entry of the configuration is not valid.
    #[error("the defaults of the adapter '{name}' must be a configuration with [agents.{name}] and its command: {why}")]
    Defaults {
        /// The adapter.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The name belongs to another adapter.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// Makes an adapter known to this process, under its name.
pub(crate) fn register_adapter(name: &str, adapter: &'static dyn AgentAdapter) -> Result<(), AdapterRefused> {
    if !agent_name::is_valid(name) || agent_name::normalised(name) != name {
        return Err(AdapterRefused::Name(name.to_owned()));
    }
    let refused = |why: String| AdapterRefused::Defaults { name: name.to_owned(), why };
    let (file, _) = document::parse(Path::new(name), adapter.defaults()).map_err(|error| refused(error.to_string()))?;
    let entry = file.agents.get(name).ok_or_else(|| refused("the entry is missing".to_owned()))?;
    if entry.command.is_none() {
        return Err(refused("the command is missing".to_owned()));
    }
    Ok(agency_adapters::register(name, adapter)?)
}

impl Config {
    /// Adds the agent of an adapter that was registered after this configuration was made.
    pub(crate) fn adopt_adapter(&mut self, adapter: &'static dyn AgentAdapter) {
        match self.agents.get_mut(adapter.name()) {
            // The file described it before its adapter was known.
            Some(agent) => agent.adapter = adapter,
            None => {
                let agent = built_in::registered(adapter);
                self.agents.extend(agent.map(|agent| (adapter.name().to_owned(), agent)));
            }
        }
    }
}

impl AgentConfig {
    /// The name of its adapter, if a process of another program would not know it.
    pub(crate) fn registered_adapter(&self) -> Option<&'static str> {
        let name = self.adapter.name();
        let is_built_in = agency_adapters::built_in().any(|known| known.name() == name);
        (!name.is_empty() && !is_built_in && adapter(name) == self.adapter).then_some(name)
    }
}
