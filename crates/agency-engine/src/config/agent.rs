//! How one agent program is started.

use agency_adapters::{
    AdapterError, AgentAdapter, Form, LaunchConfig, LaunchRequest, Program, PromptDelivery, StreamFormat,
};
use agency_model::Mode;

use super::CommandTemplate;
use crate::own_program::RESERVED_ARGUMENT;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// An agent program and its ways of being started.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AgentConfig {
    /// The program: a name to look up, or a path.
    pub command: String,
    /// Whether `command` stands for the running program itself, which the caller resolves.
    pub own_command: bool,
    /// Whether a runner of the caller starts it, so that its program does not have to be installed.
    pub own_runner: bool,
    /// The user's arguments, put after those of the form.
    pub args: Vec<String>,
    /// Variables set for the agent. They may be secrets, so they are never printed.
    pub env: BTreeMap<String, String>,
    /// How it is started on a terminal.
    pub interactive: Form,
    /// How it is started on pipes.
    pub headless: Form,
    /// How it is started on pipes where it is to ask nothing, if that is another way.
    pub one_shot: Option<Form>,
    /// The user's own command by which it answers a question about sources.
    pub ask: Option<CommandTemplate>,
    /// The user's own command by which it talks with the user about sources.
    pub chat: Option<CommandTemplate>,
    /// How its screen is read.
    pub screen: ScreenSource,
    /// The adapter of the program.
    pub adapter: &'static dyn AgentAdapter,
    /// Whether it is known without a configuration file.
    pub built_in: bool,
}

/// Where the rules for an agent's screen are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ScreenSource {
    /// There are none.
    None,
    /// Those that agency has for its built-in agent of this name.
    BuiltIn(String),
    /// A file.
    File(PathBuf),
}

impl AgentConfig {
    /// How it is started in this mode.
    #[must_use]
    pub fn form(&self, mode: Mode, one_shot: bool) -> &Form {
        match (mode, &self.one_shot) {
            (Mode::Interactive, _) => &self.interactive,
            (Mode::Headless, Some(form)) if one_shot => form,
            (Mode::Headless, _) => &self.headless,
        }
    }

    /// Whether MCP servers can be passed to it when it is started so.
    #[must_use]
    pub fn takes_mcp_servers(&self, mode: Mode, one_shot: bool) -> bool {
        self.adapter.mcp_servers().is_some() || self.form(mode, one_shot).carries_mcp_servers()
    }

    /// How one process of it is started.
    pub fn launch_config(&self, request: &LaunchRequest<'_>) -> Result<LaunchConfig, AdapterError> {
        let form = self.form(request.mode, request.one_shot);
        // The built-in agents all end their options at `--`; of others that is not known.
        let program = Program { form, args: &self.args, ends_options: self.built_in };
        let mut launch = self.adapter.launch_config(&program, request)?;
        if self.own_command {
            launch.args.insert(0, RESERVED_ARGUMENT.to_owned());
        }
        Ok(launch)
    }

    /// An agent of the user's own, of which only the command is known yet: it gets its prompt as its last argument.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        let prompt = PromptDelivery::Argument;
        let form = Form { args: Vec::new(), prompt, stream: StreamFormat::Text, resume: None };
        Self {
            command: command.into(),
            own_command: false,
            own_runner: false,
            args: Vec::new(),
            env: BTreeMap::new(),
            interactive: form.clone(),
            headless: form,
            one_shot: None,
            ask: None,
            chat: None,
            screen: ScreenSource::None,
            adapter: agency_adapters::CUSTOM,
            built_in: false,
        }
    }
}

impl fmt::Debug for AgentConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentConfig")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env_names", &self.env.keys())
            .field("interactive", &self.interactive)
            .field("headless", &self.headless)
            .field("one_shot", &self.one_shot)
            .field("screen", &self.screen)
            .field("built_in", &self.built_in)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::AgentConfig;

    #[test]
    fn debug_names_variables_but_hides_their_values() {
        let mut agent = AgentConfig::new("mine".to_owned());
        agent.env.insert("TOKEN".to_owned(), "s3cret".to_owned());
        let text = format!("{agent:?}");
        assert!(text.contains("TOKEN"), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    }
}
