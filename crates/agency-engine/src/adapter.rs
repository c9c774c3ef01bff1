//! What the agent CLIs print in headless mode, as events.
//!
//! The one rule: a parser is total. Any bytes, in any pieces, give the same items, and never an error; what is not
//! understood is kept as [`Event::Unknown`].

mod claude;
mod codex;
mod gemini;
mod lines;
mod objects;
mod opencode;
mod tools;

use agency_model::Event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

impl StreamFormat {
    /// Every value, in the order in which help texts name them.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];

    /// The word that users and files use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }

    /// The value of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// A parser for a new stream; none where there is nothing to parse.
    #[must_use]
    pub fn parser(self) -> Option<Box<dyn StreamParser>> {
        match self {
            Self::Text => None,
            Self::Claude => Some(Box::new(Objects::new(claude::Claude::default()))),
            Self::Codex => Some(Box::new(Objects::new(codex::Codex::default()))),
            Self::Gemini => Some(Box::new(Objects::new(gemini::Gemini::default()))),
            Self::Opencode => Some(Box::new(Objects::new(opencode::Opencode::default()))),
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

/// What the model thought before it spoke; no event of its own, and not what the agent said.
fn thinking(text: &str) -> Event {
    Event::Notice { message: format!("thinking: {text}") }
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
