//! Everything that is specific to one agent program: one adapter each, in a folder of its own, behind [`AgentAdapter`].
//!
//! Their protocols are read here as well: output into items, messages into bytes; and their screens, by [`screen`] rules.
//!
//! Nothing here reads a file, starts a program or looks at the clock: what an adapter needs to know is passed in, and what
//! is to be done is described by data.
//!
//! The one rule: a parser is total. Any bytes, in any pieces, give the same items, and never an error; what is not
//! understood is kept as [`Event::Unknown`].

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(test)]
mod acme;
mod acp;
mod agent_adapter;
mod agent_files;
mod channel;
mod claude_code;
mod codex;
mod cursor;
mod error;
mod form;
mod gemini;
mod json_lines;
mod launch;
mod lines;
mod mcp;
mod mcp_client;
mod opencode;
mod prompt_delivery;
mod question_text;
mod read_only;
mod registry;
pub mod screen;
mod scripted;
mod tools;
mod workflow_driver;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use agency_model::{Answer, Event, Question, QuestionKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::agent_adapter::AgentAdapter;
pub use self::agent_files::{
    ConversationFiles, ConversationListing, Conversations, EditTrust, FoundConversation, McpSettings, SandboxSettings,
    SearchedRun, ServerListing, TrustSettings,
};
pub use self::channel::Channel;
pub use self::error::AdapterError;
pub use self::form::Form;
pub use self::launch::{Adjusted, FirstInput, LaunchConfig, LaunchRequest, Program, Prompt};
pub use self::mcp::{FileContent, LaunchFile, McpRequest, PassServers, PassedServers, ReadyServer};
pub use self::mcp_client::{AddCommand, McpClient, ServerNotation};
pub use self::prompt_delivery::{InvalidPrompt, PromptDelivery};
pub use self::read_only::{ReadOnlyEntry, ReadOnlyLaunch, ReadOnlyMode, ReadOnlyRequest, ReadOnlySource, SourcesBelow};
pub use self::registry::{
    CUSTOM, DEFAULT_AGENT, RegisterError, WORKFLOW_DRIVER, adapter, built_in, find_adapter, register, registered,
};
pub use self::workflow_driver::protocol as driver_protocol;

/// The versions of the real agents that the tests run, as `scripts/agents` installs them.
#[doc(hidden)]
pub const AGENT_VERSIONS: &str = include_str!("../data/agent-versions.toml");

/// The environment of a process.
pub type Variables = BTreeMap<OsString, OsString>;

/// One item of an agent's output.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItem {
    /// An event of the run.
    Event(Event),
    /// The agent's own id of the conversation; reported once, and again when it changes.
    Session(String),
    /// The turn has ended. A stream of several turns has several.
    Result(Outcome),
    /// Bytes that the protocol requires next, to be written to the agent at once.
    Reply(Vec<u8>),
    /// The agent asks the user.
    Question(Question),
    /// The agent no longer waits for the answer to the question with this key.
    Withdrawn(QuestionKey),
    /// A turn has begun: the model is working.
    TurnStarted,
    /// A message that the agent received is part of a turn now.
    MessageTaken,
    /// A message that the agent received will not be part of any turn.
    MessageDropped,
    /// The number of the agent's background tasks, which may outlast its turn.
    BackgroundTasks(usize),
}

/// What an agent reads that needs a reason for a denial, where the user gave none.
const DENIAL_WITHOUT_REASON: &str = "The user does not want this.";

/// How a turn ended, as the agent reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the agent reports success.
    pub success: bool,
    /// The final answer.
    pub text: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
}

impl Outcome {
    fn success(text: Option<String>) -> Self {
        Self { success: true, text, error: None }
    }

    fn failure(error: String) -> Self {
        Self { success: false, text: None, error: Some(error) }
    }
}

/// A message to a running agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToAgent {
    /// The user's next message. The agent decides whether it joins a running turn or waits for its end.
    Message(String),
    /// Ends the turn, not the process.
    Interrupt,
    /// The answer to a question.
    Answer {
        /// The key of the question.
        key: QuestionKey,
        /// The answer.
        answer: Answer,
    },
}

/// Why a message cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The stream has one direction only.
    #[error("the agent does not accept messages while it runs: it was started in its one-shot form")]
    OneWay,
    /// The conversation is not open yet.
    #[error("the agent is not ready for it yet")]
    NotReady,
    /// No such question is open.
    #[error("the agent does not wait for an answer to that")]
    UnknownQuestion,
    /// The answer does not fit the question.
    #[error("{0}")]
    Invalid(String),
}

/// How a conversation starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The prompt; none for an agent that waits for its first message.
    pub prompt: Option<String>,
    /// Where it works.
    pub directory: PathBuf,
    /// The agent's own id of the conversation to resume.
    pub resume: Option<String>,
    /// MCP servers that are passed by the protocol.
    #[serde(default)]
    pub mcp_servers: Vec<ReadyServer>,
}

/// What an agent prints in headless mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamFormat {
    /// Anything; only the log keeps it.
    Text,
    /// `claude -p --output-format stream-json --verbose`
    Claude,
    /// `codex exec --json`
    Codex,
    /// `gemini -o stream-json`
    Gemini,
    /// `opencode run --format json`
    Opencode,
    /// The Agent Client Protocol: `gemini --acp`, `opencode acp` and others
    Acp,
    /// The protocol of agency's own workflow driver
    #[schemars(skip)]
    Driver,
}

impl StreamFormat {
    /// Every value, in the order in which help texts name them.
    pub const ALL: &'static [Self] =
        &[Self::Text, Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Acp, Self::Driver];

    /// The name that users and files use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Acp => "acp",
            Self::Driver => "driver",
        }
    }

    /// Whether messages can be sent in this format.
    #[must_use]
    pub const fn is_two_way(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Acp | Self::Driver => true,
            Self::Text | Self::Gemini | Self::Opencode => false,
        }
    }

    /// Whether the beginning of each turn is reported. Some agents of Claude Code's format report only the first.
    #[must_use]
    pub const fn reports_turns(self) -> bool {
        match self {
            Self::Codex | Self::Acp | Self::Driver => true,
            Self::Claude | Self::Text | Self::Gemini | Self::Opencode => false,
        }
    }

    /// Whether a configuration can name it.
    #[must_use]
    pub const fn is_configurable(self) -> bool {
        match self {
            Self::Text | Self::Claude | Self::Codex | Self::Gemini | Self::Opencode | Self::Acp => true,
            Self::Driver => false,
        }
    }

    /// The names of the configurable formats in which messages can be sent, as a message to the user lists them.
    #[must_use]
    pub fn two_way_names() -> String {
        let formats = Self::ALL.iter().filter(|format| format.is_two_way() && format.is_configurable());
        let names: Vec<String> = formats.map(|it| format!("`{it}`")).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// A parser for a new stream; none where there is nothing to parse.
    #[must_use]
    pub fn parser(self) -> Option<Channel> {
        match self {
            Self::Text => None,
            Self::Claude => Some(Channel::new(claude_code::stream::Claude::default())),
            Self::Codex => Some(Channel::new(codex::exec::Codex::default())),
            Self::Gemini => Some(Channel::new(gemini::stream::Gemini::default())),
            Self::Opencode => Some(Channel::new(opencode::stream::Opencode::default())),
            Self::Acp => Some(Channel::new(acp::Acp::default())),
            Self::Driver => Some(Channel::new(workflow_driver::stream::DriverStream::default())),
        }
    }

    /// A conversation in both directions; none where the format has only one.
    #[must_use]
    pub fn conversation(self, opening: Opening) -> Option<Channel> {
        match self {
            Self::Claude => Some(Channel::new(claude_code::stream::Claude::with_conversation(opening))),
            Self::Codex => Some(Channel::new(codex::AppServer::with_conversation(opening))),
            Self::Acp => Some(Channel::new(acp::Acp::with_conversation(opening))),
            Self::Driver => Some(Channel::new(workflow_driver::stream::DriverStream::two_way())),
            Self::Text | Self::Gemini | Self::Opencode => None,
        }
    }
}

impl std::fmt::Display for StreamFormat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Agents report their session with every turn or every line; it is passed on once.
fn session(known: &mut Option<String>, id: String, items: &mut Vec<StreamItem>) {
    if known.as_ref() != Some(&id) {
        *known = Some(id.clone());
        items.push(StreamItem::Session(id));
    }
}

/// A variable that names a path; none where it is empty.
fn variable(environment: &Variables, name: &str) -> Option<PathBuf> {
    environment.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// One line of a protocol.
fn line(message: &serde_json::Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// A difference of sums has digits that mean nothing.
fn dollars(difference: f64) -> f64 {
    (difference * 1e9).round() / 1e9
}

/// The name of a tool whose use was never seen.
fn unnamed() -> String {
    "unknown".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening() -> Opening {
        Opening { prompt: None, directory: PathBuf::new(), resume: None, mcp_servers: vec![] }
    }

    #[test]
    fn a_format_is_the_same_word_everywhere() {
        for format in StreamFormat::ALL {
            assert_eq!(serde_json::to_string(format).unwrap(), format!("\"{format}\""));
            assert_eq!(format.parser().is_none(), *format == StreamFormat::Text);
            assert_eq!(format.conversation(opening()).is_some(), format.is_two_way());
        }
    }
}
