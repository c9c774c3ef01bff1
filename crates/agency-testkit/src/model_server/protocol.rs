//! The protocols between agents and models. Each file has the messages of one, without connections.

use super::http::ServerEvent;
use super::script::Turn;
use super::{anthropic, chat, gemini, responses};
use serde_json::Value;

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl Protocol {
    /// The protocol of requests for an answer at this path.
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let suffixes = [
            ("/messages", Self::Anthropic),
            ("/responses", Self::Responses),
            ("/chat/completions", Self::Chat),
            (":generateContent", Self::Gemini),
            (":streamGenerateContent", Self::Gemini),
        ];
        suffixes.into_iter().find(|(suffix, _)| path.ends_with(suffix)).map(|(_, protocol)| protocol)
    }

    /// The number of the turn that a request asks for: how often the model has spoken in the history that it carries.
    ///
    /// Nothing is remembered between requests, so retries, resumed sessions and several agents get what they should.
    /// `None` for a request that offers no tools: it is not part of the work.
    pub(super) fn turn_number(self, body: &Value) -> Option<usize> {
        let tools = body["tools"].as_array().filter(|tools| !tools.is_empty())?;
        match self {
            Self::Anthropic | Self::Chat => {
                Some(times_spoken(&body["messages"], |message| message["role"] == "assistant"))
            }
            Self::Responses => Some(times_spoken(&body["input"], responses::is_spoken)),
            Self::Gemini => {
                tools.iter().find(|tool| !tool["functionDeclarations"].is_null())?;
                Some(times_spoken(&body["contents"], |content| content["role"] == "model"))
            }
        }
    }

    /// Whether the answer is streamed.
    pub(super) fn is_streamed(self, path: &str, body: &Value) -> bool {
        match self {
            Self::Anthropic | Self::Responses | Self::Chat => body["stream"] == true,
            Self::Gemini => path.contains(":streamGenerateContent"),
        }
    }

    /// The answer in one piece.
    pub(super) fn whole(self, turn: &Turn, model: &Value) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(turn, model),
            Self::Responses => responses::whole(turn, model),
            Self::Chat => chat::whole(turn, model),
            Self::Gemini => gemini::whole(turn),
        }
    }

    /// The answer as a stream.
    pub(super) fn stream(self, turn: &Turn, model: &Value) -> Vec<ServerEvent> {
        match self {
            Self::Anthropic => anthropic::stream(turn, model),
            Self::Responses => responses::stream(turn, model),
            Self::Chat => chat::stream(turn, model),
            Self::Gemini => gemini::stream(turn),
        }
    }
}

/// How often the model has spoken: entries that follow each other are one answer.
fn times_spoken(history: &Value, is_spoken: impl Fn(&Value) -> bool) -> usize {
    let mut times = 0;
    let mut was_spoken = false;
    for entry in history.as_array().into_iter().flatten() {
        let is_spoken = is_spoken(entry);
        times += usize::from(is_spoken && !was_spoken);
        was_spoken = is_spoken;
    }
    times
}
