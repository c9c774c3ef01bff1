//! The list of adapters. A new built-in agent is one line here.

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

/// The adapter with this name; that of a custom agent where no built-in one has it.
#[must_use]
pub fn adapter(name: &str) -> &'static dyn AgentAdapter {
    built_in().find(|adapter| adapter.name() == name).unwrap_or(CUSTOM)
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
