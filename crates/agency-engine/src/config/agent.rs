//! How one agent program is started.

use agency_model::Mode;

use super::{CommandTemplate, PromptDelivery};
use crate::adapter::StreamFormat;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// An agent program and its ways of being started.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// The program: a name to look up, or a path.
    pub command: String,
    /// Whether `command` stands for the running program itself, which the caller resolves.
    pub own_command: bool,
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
    /// How it is kept from changing anything and from every MCP server where the user has no command of their own.
    pub seclusion: Seclusion,
    /// How its screen is read.
    pub screen: ScreenSource,
    /// How it is told that it may trust a worktree.
    pub trust: Trust,
    /// The arguments by which a new conversation on its screen is given a name, `{session}`; none if it takes none.
    pub names_conversation: Option<&'static [&'static str]>,
    /// Where it keeps conversations that nobody named.
    pub keeps_conversations: KeepsConversations,
    /// How it is told of MCP servers, where it does not speak a protocol that says them.
    pub mcp: McpPassing,
    /// Whether a conversation that goes on within the minute in which it last did is lost.
    pub forgets_within_a_minute: bool,
    /// Whether it is known without a configuration file.
    pub built_in: bool,
    /// The version that agency was tested with.
    pub tested_version: Option<&'static str>,
    /// How to get the program, where that is known.
    pub install_hint: Option<&'static str>,
}

/// One form in which an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Arguments, put before the user's.
    pub args: Vec<String>,
    /// How the prompt reaches the agent.
    pub prompt: PromptDelivery,
    /// What it prints.
    pub stream: StreamFormat,
    /// The arguments instead of `args` that go on with a conversation; `{session}` stands for its id. Absent if the
    /// agent cannot do that in this form.
    pub resume: Option<Vec<String>>,
}

/// Where the rules for an agent's screen are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScreenSource {
    /// There are none.
    None,
    /// Those that agency has for its built-in agent of this name.
    BuiltIn(String),
    /// A file.
    File(PathBuf),
}

/// Where an agent keeps its conversations, by the directory in which it worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeepsConversations {
    /// Nowhere that is known.
    Unknown,
    /// In the files below `$CODEX_HOME/sessions`.
    CodexFiles,
    /// In what `opencode session list` prints.
    OpencodeList,
    /// In the files below `~/.gemini/tmp`.
    GeminiFiles,
}

/// How an agent is told of MCP servers without a change of the user's own settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpPassing {
    /// In no way that is known.
    Unknown,
    /// By a file that an argument names.
    ClaudeFile,
    /// By arguments, with variables for what is secret.
    CodexArguments,
    /// By a home of its own, in which everything but the settings is linked to the user's.
    GeminiHome,
    /// By a variable that holds settings.
    OpencodeVariable,
}

/// How an agent is kept from changing anything and from every MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seclusion {
    /// Nobody knows how.
    Unknown,
    /// By the arguments of Claude Code.
    Claude,
    /// By the sandbox of Codex, and a setting for each server that it knows.
    Codex,
    /// By the arguments of Gemini CLI.
    Gemini,
    /// By settings of opencode, one for each server that it knows.
    Opencode,
}

/// How an agent is told that it may trust a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It never asks.
    NotAsked,
    /// By an entry in `~/.claude.json`.
    ClaudeProjects,
    /// By an argument.
    CodexArgument,
    /// By a variable, and without it by `--skip-trust`, which trusts nothing and asks nothing.
    GeminiVariable,
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

    /// Whether it can be told of MCP servers when it is started so.
    #[must_use]
    pub fn takes_mcp_servers(&self, mode: Mode, one_shot: bool) -> bool {
        self.mcp != McpPassing::Unknown || self.form(mode, one_shot).says_mcp_servers()
    }

    /// An agent of the user's own, of which only the command is known yet.
    pub(super) fn custom(command: String) -> Self {
        let prompt = PromptDelivery::Argument;
        let form = Form { args: Vec::new(), prompt, stream: StreamFormat::Text, resume: None };
        Self {
            command,
            own_command: false,
            args: Vec::new(),
            env: BTreeMap::new(),
            interactive: form.clone(),
            headless: form,
            one_shot: None,
            ask: None,
            chat: None,
            seclusion: Seclusion::Unknown,
            screen: ScreenSource::None,
            trust: Trust::NotAsked,
            names_conversation: None,
            keeps_conversations: KeepsConversations::Unknown,
            mcp: McpPassing::Unknown,
            forgets_within_a_minute: false,
            built_in: false,
            tested_version: None,
            install_hint: None,
        }
    }
}

impl Form {
    /// Whether the agent can be told something while it runs on pipes.
    #[must_use]
    pub fn is_two_way(&self) -> bool {
        self.prompt == PromptDelivery::Protocol
    }

    /// Whether the protocol itself tells the agent of MCP servers.
    #[must_use]
    pub fn says_mcp_servers(&self) -> bool {
        self.is_two_way() && self.stream == StreamFormat::Acp
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
        let mut agent = AgentConfig::custom("mine".to_owned());
        agent.env.insert("TOKEN".to_owned(), "s3cret".to_owned());
        let text = format!("{agent:?}");
        assert!(text.contains("TOKEN"), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    }
}
