//! How one agent program is started.

use agency_model::Mode;

use super::PromptDelivery;
use crate::adapter::StreamFormat;
use std::{collections::BTreeMap, fmt};

/// An agent program and its ways of being started.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// The program: a name to look up, or a path.
    pub command: String,
    /// Whether `command` stands for the running program itself, which the caller resolves.
    pub own_command: bool,
    /// The user's arguments, put after those of the mode.
    pub args: Vec<String>,
    /// Variables set for the agent. They may be secrets, so they are never printed.
    pub env: BTreeMap<String, String>,
    /// How it is started on a terminal.
    pub interactive: ModeLaunch,
    /// How it is started on pipes.
    pub headless: ModeLaunch,
    /// What it prints on pipes.
    pub stream: StreamFormat,
    /// Whether it is known without a configuration file.
    pub built_in: bool,
    /// How to get the program, where that is known.
    pub install_hint: Option<&'static str>,
}

/// What one mode adds to an agent's command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeLaunch {
    /// Arguments, put before the user's.
    pub args: Vec<String>,
    /// How the prompt reaches the agent.
    pub prompt: PromptDelivery,
}

impl AgentConfig {
    /// How it is started in this mode.
    #[must_use]
    pub const fn mode(&self, mode: Mode) -> &ModeLaunch {
        match mode {
            Mode::Interactive => &self.interactive,
            Mode::Headless => &self.headless,
        }
    }

    /// An agent of the user's own, of which only the command is known yet.
    pub(super) fn custom(command: String) -> Self {
        let launch = ModeLaunch { args: Vec::new(), prompt: PromptDelivery::Argument };
        Self {
            command,
            own_command: false,
            args: Vec::new(),
            env: BTreeMap::new(),
            interactive: launch.clone(),
            headless: launch,
            stream: StreamFormat::Text,
            built_in: false,
            install_hint: None,
        }
    }
}

impl fmt::Debug for AgentConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, own_command, args, env, interactive, headless, stream, built_in, install_hint } = self;
        formatter
            .debug_struct("AgentConfig")
            .field("command", command)
            .field("own_command", own_command)
            .field("args", args)
            .field("env_names", &env.keys())
            .field("interactive", interactive)
            .field("headless", headless)
            .field("stream", stream)
            .field("built_in", built_in)
            .field("install_hint", install_hint)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::AgentConfig;

    #[test]
    fn debug_names_variables_but_hides_their_values() {
        let mut agent = AgentConfig::custom("mine".to_owned());
        agent.env.insert("TOKEN".to_owned(), "s3cret".to_owned());
        let text = format!("{agent:?}");
        assert!(text.contains("TOKEN"), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    }
}
