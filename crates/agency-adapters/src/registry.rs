//! The list of adapters. A new built-in agent is one line here; a program registers those of its own.

use std::sync::{PoisonError, RwLock};

use super::agent_adapter::AgentAdapter;
use super::claude_code::ClaudeCode;
use super::codex::Codex;
use super::cursor::Cursor;
use super::gemini::Gemini;
use super::opencode::Opencode;
use super::scripted::Scripted;
use super::workflow_driver::WorkflowDriver;

/// The agents that are known without a configuration file.
const BUILT_IN: &[&dyn AgentAdapter] = &[&ClaudeCode, &Codex, &Gemini, &Opencode, &Cursor, &Scripted];

/// The agent of a run that names none.
pub const DEFAULT_AGENT: &dyn AgentAdapter = &ClaudeCode;

/// What drives a workflow; not in the list, because no run can ask for it.
pub const WORKFLOW_DRIVER: &dyn AgentAdapter = &WorkflowDriver;

/// An agent of the user's own, of which only the configuration is known.
pub const CUSTOM: &dyn AgentAdapter = &Custom;

/// The adapters of the built-in agents.
pub fn built_in() -> impl Iterator<Item = &'static dyn AgentAdapter> {
    BUILT_IN.iter().copied()
}

/// The adapters that the program has registered, in this process.
static REGISTERED: RwLock<Vec<&'static dyn AgentAdapter>> = RwLock::new(Vec::new());

/// Why an adapter was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another adapter has the name.
    #[error("another adapter has the name '{0}'")]
    Taken(String),
    /// The adapter calls itself otherwise.
    #[error("the adapter is registered as '{registered}', but AgentAdapter::name says '{own}'")]
    OtherName {
        /// The name that it is registered under.
        registered: String,
        /// What it calls itself.
        own: &'static str,
    },
}

/// Registers an adapter of the program's own in this process. The same one may be registered again.
pub fn register(name: &str, adapter: &'static dyn AgentAdapter) -> Result<(), RegisterError> {
    if adapter.name() != name {
        return Err(RegisterError::OtherName { registered: name.to_owned(), own: adapter.name() });
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let known = built_in().chain([WORKFLOW_DRIVER]).chain(registered.iter().copied());
    match known.into_iter().find(|known| known.name() == name) {
        None => registered.push(adapter),
        Some(known) if known.defaults() == adapter.defaults() => {}
        Some(_) => return Err(RegisterError::Taken(name.to_owned())),
    }
    Ok(())
}

/// The adapters that the program has registered.
#[must_use]
pub fn registered() -> Vec<&'static dyn AgentAdapter> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The adapter with this name: a built-in one, one that is registered, or that of a custom agent for the empty name.
#[must_use]
pub fn find_adapter(name: &str) -> Option<&'static dyn AgentAdapter> {
    built_in().chain(registered()).chain([CUSTOM]).find(|adapter| adapter.name() == name)
}

/// The adapter with this name; that of a custom agent where none has it.
#[must_use]
pub fn adapter(name: &str) -> &'static dyn AgentAdapter {
    find_adapter(name).unwrap_or(CUSTOM)
}

struct Custom;

impl AgentAdapter for Custom {
    fn name(&self) -> &'static str {
        ""
    }

    fn defaults(&self) -> &'static str {
        ""
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::acme::Acme;
    use crate::screen::ScreenRules;

    #[test]
    fn the_screen_rules_of_every_adapter_are_understood() {
        let example: &dyn AgentAdapter = &Acme;
        for adapter in built_in().chain([example]) {
            let rules = adapter.screen_rules().map(|rules| ScreenRules::parse(Path::new(adapter.name()), rules));
            assert!(rules.is_none_or(|rules| rules.is_ok()), "{adapter:?}");
        }
    }
}
