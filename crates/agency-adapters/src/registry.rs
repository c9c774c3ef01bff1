//! The list of adapters. A new built-in agent is one line here; a program registers those of its own.

use std::any::TypeId;
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
static REGISTERED: RwLock<Vec<Registered>> = RwLock::new(Vec::new());

/// What was found out about an adapter before it was registered: its own code may look for adapters.
struct Registered {
    adapter: &'static dyn AgentAdapter,
    name: &'static str,
    type_id: TypeId,
    defaults: &'static str,
}

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

/// Registers an adapter of the program's own in this process. The same one may be registered again: an adapter of the
/// same type with the same defaults.
pub fn register(name: &str, adapter: &'static dyn AgentAdapter) -> Result<(), RegisterError> {
    let new = Registered {
        adapter,
        name: adapter.name(),
        type_id: AgentAdapter::type_id(adapter),
        defaults: adapter.defaults(),
    };
    if new.name != name {
        return Err(RegisterError::OtherName { registered: name.to_owned(), own: new.name });
    }
    if built_in().chain([WORKFLOW_DRIVER]).any(|known| known.name() == name) {
        return Err(RegisterError::Taken(name.to_owned()));
    }
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    match registered.iter().find(|known| known.name == name) {
        None => registered.push(new),
        Some(known) if (known.type_id, known.defaults) == (new.type_id, new.defaults) => {}
        Some(_) => return Err(RegisterError::Taken(name.to_owned())),
    }
    Ok(())
}

/// The adapters that the program has registered.
#[must_use]
pub fn registered() -> Vec<&'static dyn AgentAdapter> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).iter().map(|known| known.adapter).collect()
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

    struct Asking;

    impl AgentAdapter for Asking {
        fn name(&self) -> &'static str {
            "asking"
        }

        fn defaults(&self) -> &'static str {
            // An adapter may look at the others.
            let _ = find_adapter("asking");
            "[agents.asking]"
        }
    }

    struct Named(&'static str);

    impl AgentAdapter for Named {
        fn name(&self) -> &'static str {
            self.0
        }

        fn defaults(&self) -> &'static str {
            if self.0 == "codex" { Codex.defaults() } else { "[agents.asking]" }
        }
    }

    #[test]
    fn an_adapter_may_look_for_adapters_while_it_is_registered_again() {
        register("asking", &Asking).unwrap();
        register("asking", &Asking).unwrap();
        assert_eq!(registered().iter().filter(|known| known.name() == "asking").count(), 1);
        let other = register("asking", &Named("asking"));
        assert_eq!(other, Err(RegisterError::Taken("asking".to_owned())), "another type with the same defaults");
    }

    #[test]
    fn the_names_of_built_in_agents_are_taken() {
        assert_eq!(register("codex", &Named("codex")), Err(RegisterError::Taken("codex".to_owned())));
    }

    #[test]
    fn the_screen_rules_of_every_adapter_are_understood() {
        let example: &dyn AgentAdapter = &Acme;
        for adapter in built_in().chain([example]) {
            let rules = adapter.screen_rules().map(|rules| ScreenRules::parse(Path::new(adapter.name()), rules));
            assert!(rules.is_none_or(|rules| rules.is_ok()), "{adapter:?}");
        }
    }
}
