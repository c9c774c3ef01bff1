//! The real agents, each with what it needs to run in a world of a test's own against a [`ModelServer`].
//!
//! The one rule: what one agent needs, and why, is written in the file of that agent and nowhere else.

mod claude;
mod codex;
mod gemini;
mod installed;
mod opencode;

pub use installed::mcp_sdk;

use crate::mcp_server::TOOL;
use crate::{ModelServer, Repo, Turn, World};
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;

/// A key that no vendor issued.
const API_KEY: &str = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz";

/// An agent that is installed by `scripts/agents`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealAgent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

/// The two forms of a headless agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It asks nothing and takes no messages.
    OneShot,
    /// It asks, and can receive messages.
    Conversation,
}

/// The directory of an agent.
struct AgentSetup<'a> {
    /// Whether it is configured to ask before it runs a command.
    asks: bool,
    home: &'a Path,
    repo: &'a Path,
    model_url: &'a str,
}

/// Variables of an agent's environment.
type Variables = Vec<(&'static str, OsString)>;

impl RealAgent {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// Its name among the built-in agents, for `--runner`.
    pub fn runner(self) -> &'static str {
        match self {
            Self::Claude => "claude_code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// The version that is installed.
    pub fn version(self) -> String {
        installed::version(self.runner())
    }

    /// The arguments with which it works headless without asking for any permission.
    pub fn permissive(self, form: Form) -> &'static [&'static str] {
        match (self, form) {
            (Self::Claude, _) => claude::PERMISSIVE,
            (Self::Codex, Form::OneShot) => codex::PERMISSIVE,
            (Self::Codex, Form::Conversation) => codex::PERMISSIVE_SERVER,
            (Self::Gemini, _) => gemini::PERMISSIVE,
            (Self::Opencode, _) => opencode::PERMISSIVE,
        }
    }

    /// The arguments with which it asks before it runs a command of [`Self::run_command_if_allowed`].
    pub fn asking(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::ASKING,
            Self::Codex => codex::ASKING,
            Self::Gemini | Self::Opencode => &[],
        }
    }

    /// A turn in which the model runs a shell command that needs a permission.
    pub fn run_command_if_allowed(self, command: &str) -> Turn {
        match self {
            Self::Codex => codex::run_command_if_allowed(command),
            Self::Claude | Self::Gemini | Self::Opencode => self.run_command(command),
        }
    }

    /// A turn in which the model writes a file; the name is relative to the agent's directory.
    pub fn write_file(self, name: &str, text: &str) -> Turn {
        match self {
            Self::Claude => claude::write_file(name, text),
            Self::Codex => codex::write_file(name, text),
            Self::Gemini => gemini::write_file(name, text),
            Self::Opencode => opencode::write_file(name, text),
        }
    }

    /// A turn in which the model calls the tool of an [`McpServer`](crate::McpServer) that the agent knows by this name.
    pub fn remember(self, server: &str, words: &str) -> Turn {
        let tool = match self {
            Self::Claude | Self::Codex => format!("mcp__{server}__{TOOL}"),
            Self::Gemini => format!("mcp_{server}_{TOOL}"),
            Self::Opencode => format!("{server}_{TOOL}"),
        };
        Turn::new().tool(&tool, json!({ "words": words }))
    }

    /// The arguments with which it calls that tool headless without asking, beside [`Self::permissive`].
    pub fn permissive_of_tools(self) -> &'static [&'static str] {
        match self {
            Self::Claude => claude::PERMISSIVE_OF_TOOLS,
            Self::Codex | Self::Gemini | Self::Opencode => &[],
        }
    }

    /// A turn in which the model runs a shell command.
    pub fn run_command(self, command: &str) -> Turn {
        match self {
            Self::Claude => claude::run_command(command),
            Self::Codex => codex::run_command(command),
            Self::Gemini => gemini::run_command(command),
            Self::Opencode => opencode::run_command(command),
        }
    }

    fn seed(self, place: &AgentSetup<'_>) -> Variables {
        match self {
            Self::Claude => claude::seed(place),
            Self::Codex => codex::seed(place),
            Self::Gemini => gemini::seed(place),
            Self::Opencode => opencode::seed(place),
        }
    }
}

impl World {
    /// Lets the program find a real agent, which finds this model and trusts this repository.
    #[track_caller]
    pub fn real_agent(&mut self, agent: RealAgent, repo: &Repo, model: &ModelServer) {
        self.seed(agent, repo, model, false);
    }

    /// The same for an agent that asks before it runs a command.
    #[track_caller]
    pub fn asking_agent(&mut self, agent: RealAgent, repo: &Repo, model: &ModelServer) {
        self.seed(agent, repo, model, true);
    }

    #[track_caller]
    fn seed(&mut self, agent: RealAgent, repo: &Repo, model: &ModelServer, asks: bool) {
        let home = self.root().join("home");
        let place = AgentSetup { asks, home: &home, repo: &repo.path, model_url: &model.url() };
        let variables = agent.seed(&place);
        let environment = self.environment_mut();
        environment.find_programs_in(&installed::directory());
        for (name, value) in variables {
            environment.set(name, value);
        }
    }
}
