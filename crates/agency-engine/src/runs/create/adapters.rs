//! The agents that can be run, and what each can do.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use agency_adapters::StreamFormat;
use agency_adapters::screen::ScreenRules;
use schemars::JsonSchema;
use serde::Serialize;

use super::find_agent::{SearchPath, find_program};
use super::version;
use crate::agency::Agency;
use crate::config::{AgentConfig, ScreenSource};

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Adapter {
    /// Its name in specs and flags.
    pub name: String,
    /// Whether it is known without a configuration file.
    pub built_in: bool,
    /// The program as configured.
    pub command: String,
    /// Where the program is; absent if it was not found.
    pub program: Option<String>,
    /// The version that it names.
    pub version: Option<String>,
    /// The version that agency was tested with.
    pub tested_version: Option<String>,
    /// How to get it.
    pub install: Option<String>,
    /// What it can do.
    pub supports: Supports,
}

/// What an agent can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a yes or no in a table for people")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Supports {
    /// In headless mode, what it does becomes typed events.
    pub events: bool,
    /// In headless mode, it asks and can receive messages while it runs.
    pub conversation: bool,
    /// It has a form that asks nothing.
    pub one_shot: bool,
    /// In interactive mode, its screen is understood.
    pub screen: bool,
    /// Its headless conversations can be resumed in another run.
    pub resume_headless: bool,
    /// Its conversations can be resumed on its own screen.
    pub resume_interactive: bool,
}

impl Agency {
    /// The names of the agents whose programs are found, without asking them anything.
    #[must_use]
    pub fn installed_agents(&self, here: &Path, environment: &BTreeMap<OsString, OsString>) -> Vec<String> {
        let search_path = SearchPath { current_directory: here, environment };
        let is_there =
            |agent: &AgentConfig| !agent.own_command && find_program(OsStr::new(&agent.command), &search_path).is_ok();
        let installed = self.config.agents.iter().filter(|(_, agent)| is_there(agent));
        installed.map(|(name, _)| name.replace('_', "-")).collect()
    }
}

impl Adapter {
    /// What it can do, in words.
    #[must_use]
    pub fn abilities(&self) -> Vec<&'static str> {
        let Supports { events, conversation, one_shot, screen, resume_headless, resume_interactive } = self.supports;
        let words = [
            (true, "interactive"),
            (true, "headless"),
            (events, "events"),
            (conversation, "questions and messages"),
            (one_shot, "one-shot"),
            (screen, "screen rules"),
            (resume_headless || resume_interactive, "resume"),
        ];
        words.into_iter().filter_map(|(can, word)| can.then_some(word)).collect()
    }
}

impl Agency {
    /// Every agent, built-in and configured.
    #[must_use]
    pub fn adapters(&self, here: &Path, environment: &BTreeMap<OsString, OsString>) -> Vec<Adapter> {
        let search_path = SearchPath { current_directory: here, environment };
        let agents = self.config.agents.iter();
        agents.map(|(name, agent)| self.adapter(name, agent, &search_path)).collect()
    }

    fn adapter(&self, name: &str, agent: &AgentConfig, search_path: &SearchPath<'_>) -> Adapter {
        let program = match agent.own_command {
            true => Some(self.executable.clone()),
            false => find_program(OsStr::new(&agent.command), search_path).ok(),
        };
        let asked = program.as_deref().filter(|_| agent.built_in && !agent.own_command);
        Adapter {
            name: name.to_owned(),
            built_in: agent.built_in,
            command: agent.command.clone(),
            version: asked.and_then(|program| version::of(&self.home, program, search_path.environment)),
            program: program.map(|program| program.display().to_string()),
            tested_version: agent.adapter.tested_version().map(str::to_owned),
            install: agent.adapter.install_hint().map(str::to_owned),
            supports: Supports {
                events: agent.headless.stream != StreamFormat::Text,
                conversation: agent.headless.is_two_way(),
                one_shot: agent.one_shot.is_some() || !agent.headless.is_two_way(),
                screen: match &agent.screen {
                    ScreenSource::None => false,
                    ScreenSource::BuiltIn(name) => ScreenRules::built_in(name).is_some(),
                    ScreenSource::File(_) => true,
                },
                resume_headless: agent.headless.resume.is_some(),
                resume_interactive: agent.interactive.resume.is_some(),
            },
        }
    }
}
