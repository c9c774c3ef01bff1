//! What the agent CLIs print in headless mode, as events, and what they are told.
//!
//! The one rule: a parser is total. Any bytes, in any pieces, give the same items, and never an error; what is not
//! understood is kept as [`Event::Unknown`].

mod acp;
mod asking;
mod claude;
mod codex;
mod gemini;
mod launch;
mod lines;
mod mcp;
mod objects;
mod opencode;
mod tools;

use std::path::PathBuf;

use agency_model::{Answer, Event, Question, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::launch::{AdapterError, AgentAdapter, FirstWords, LaunchConfig, LaunchRequest, Prompt};
pub use self::mcp::{FileContent, LaunchFile, McpRequest, ReadyServer};
use self::objects::Objects;

/// What a parser heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// Something for the run's events.
    Event(Event),
    /// The agent's own id of the conversation; told once, and again when it is another.
    Session(String),
    /// The agent says that its turn is over. A stream of several turns has several.
    Result(Outcome),
    /// The protocol's own next words, to be written to the agent at once.
    Say(Vec<u8>),
    /// The agent asks a human.
    Asked(Question),
    /// The agent no longer waits for the answer to the question with this key.
    Withdrawn(String),
    /// A turn has begun: the model is at work.
    TurnStarted,
    /// So many tasks of the agent run in its background; they may outlast its turn.
    Background(usize),
}

/// How a turn ended, in the agent's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the agent calls it a success.
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

/// Turns the bytes of an agent's standard output into items.
pub trait StreamParser: Send {
    /// The items that are complete with these bytes.
    fn feed(&mut self, bytes: &[u8]) -> Vec<Heard>;
    /// The items of what is left when no more bytes come: a half line.
    fn finish(&mut self) -> Vec<Heard>;
}

/// A conversation over an agent's standard streams.
pub trait Channel: StreamParser {
    /// The first words, to be written as soon as the agent exists.
    fn open(&mut self) -> Vec<u8>;
    /// The bytes that tell the agent something; none where it is told later. What follows from it on our side, such as
    /// questions that are withdrawn, comes with the next feed, which may be an empty one.
    fn encode(&mut self, message: &ToAgent) -> Result<Vec<u8>, CannotSay>;
    /// Whether a denial that is encoded brings its words to the agent, by itself or after it.
    fn denial_takes_words(&self) -> bool;
    /// The conversation has used so much before this process: agents that count all of it count from there.
    fn count_from(&mut self, spent: Usage);
}

/// What an agent can be told while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToAgent {
    /// The user's next message. While the agent is at work, it comes into the turn or waits for its end, as the agent
    /// likes.
    Message(String),
    /// Stop what you are doing, and stay.
    Interrupt,
    /// The answer to a question.
    Answer {
        /// The key of the question.
        key: String,
        /// What was answered.
        answer: Answer,
    },
}

/// Why an agent cannot be told something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotSay {
    /// The stream goes one way only.
    #[error("the agent takes no messages while it runs: it was started in its one-shot form")]
    OneWay,
    /// The conversation has not come that far.
    #[error("the agent is not ready for it yet")]
    NotYet,
    /// No such question is open.
    #[error("the agent does not wait for an answer to that")]
    NotAsked,
    /// The answer does not fit the question.
    #[error("{0}")]
    Unfit(String),
}

/// What a conversation begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What the agent is to do; none for an agent that waits for its first message.
    pub prompt: Option<String>,
    /// Where it works.
    pub directory: PathBuf,
    /// The agent's own id of a conversation that is to go on.
    pub resume: Option<String>,
    /// MCP servers that the agent is told of by the protocol.
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
}

impl StreamFormat {
    /// Every value, in the order in which help texts name them.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Acp];

    /// The word that users and files use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Acp => "acp",
        }
    }

    /// The value of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// A parser for a new stream; none where there is nothing to parse.
    #[must_use]
    pub fn parser(self) -> Option<Box<dyn Channel>> {
        match self {
            Self::Text => None,
            Self::Claude => Some(Box::new(Objects::new(claude::Claude::default()))),
            Self::Codex => Some(Box::new(Objects::new(codex::Codex::default()))),
            Self::Gemini => Some(Box::new(Objects::new(gemini::Gemini::default()))),
            Self::Opencode => Some(Box::new(Objects::new(opencode::Opencode::default()))),
            Self::Acp => Some(Box::new(Objects::new(acp::Acp::default()))),
        }
    }

    /// A conversation in both directions; none where the format has only one.
    #[must_use]
    pub fn conversation(self, opening: Opening) -> Option<Box<dyn Channel>> {
        match self {
            Self::Claude => Some(Box::new(Objects::new(claude::Claude::talking(opening)))),
            Self::Codex => Some(Box::new(Objects::new(codex::AppServer::talking(opening)))),
            Self::Acp => Some(Box::new(Objects::new(acp::Acp::talking(opening)))),
            Self::Text | Self::Gemini | Self::Opencode => None,
        }
    }
}

impl std::fmt::Display for StreamFormat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.word())
    }
}

/// Agents tell their session with every turn or every line; it is passed on once.
fn session(known: &mut Option<String>, told: String, heard: &mut Vec<Heard>) {
    if known.as_ref() != Some(&told) {
        *known = Some(told.clone());
        heard.push(Heard::Session(told));
    }
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

    #[test]
    fn a_format_is_the_same_word_everywhere() {
        for format in StreamFormat::ALL {
            assert_eq!(StreamFormat::from_word(format.word()), Some(*format));
            assert_eq!(serde_json::to_string(format).unwrap(), format!("\"{format}\""));
            assert_eq!(format.parser().is_none(), *format == StreamFormat::Text);
        }
        assert_eq!(StreamFormat::from_word("json"), None);
    }
}
