//! The answers of a model server, scripted by a test.

use super::request::Request;
use serde_json::{Value, json};
use std::time::Duration;

/// The turns of a model, one for each request of an agent.
#[derive(Debug, Clone, Default)]
pub struct Script {
    turns: Vec<Turn>,
    beside: Vec<(String, Script)>,
}

impl Script {
    /// A script without turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// A model that answers every request with this HTTP status.
    pub fn failing(status: u16) -> Self {
        Self::new().turn(Turn::failing(status))
    }

    /// Adds a turn.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Gives other turns to a conversation that begins with these words, such as that of a sub-agent.
    #[must_use]
    pub fn beside(mut self, words: &str, script: Script) -> Self {
        self.beside.push((words.to_owned(), script));
        self
    }

    /// The script of the conversation that a request belongs to.
    pub(super) fn of(&self, request: &Request) -> &Self {
        let other = self.beside.iter().find(|(words, _)| request.begins_with(words));
        other.map_or(self, |(_, script)| script)
    }

    /// Adds a turn that only says something, with which most agents end.
    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.turn(Turn::new().say(text))
    }

    /// Adds a turn that calls a tool.
    #[must_use]
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.turn(Turn::new().tool(name, input))
    }

    /// The turn with that number, counted from 0. An agent that continues after the last receives that there is no more.
    pub(super) fn at(&self, number: usize) -> Turn {
        self.turns.get(number).cloned().unwrap_or_else(|| Turn::new().say("(end of the script)"))
    }

    /// The answer to a request that is not part of the work, such as one for a title: it fails if the work fails from the start.
    pub(super) fn side_answer(&self) -> Turn {
        let failing = self.turns.first().filter(|turn| turn.status.is_some());
        failing.cloned().unwrap_or_else(|| Turn::new().say("side answer"))
    }
}

/// One answer of a model.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub(super) parts: Vec<Part>,
    pub(super) status: Option<u16>,
    pub(super) first_byte_after: Duration,
    pub(super) pause: Duration,
    pub(super) is_dropped: bool,
}

/// A piece of an answer.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Thinking(String),
    Text(String),
    Tool { name: String, input: Value },
    CustomTool { name: String, input: String },
}

impl Part {
    /// The name and the input of a call of a tool, in protocols in which every input is an object.
    pub(super) fn call(&self) -> Option<(&str, Value)> {
        match self {
            Self::Tool { name, input } => Some((name, input.clone())),
            Self::CustomTool { name, input } => Some((name, json!({ "input": input }))),
            Self::Thinking(_) | Self::Text(_) => None,
        }
    }
}

impl Turn {
    /// A turn that says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A turn that is refused with an HTTP status, as often as it is asked for.
    pub fn failing(status: u16) -> Self {
        Self { status: Some(status), ..Self::default() }
    }

    /// Adds text.
    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.part(Part::Text(text.to_owned()))
    }

    /// Adds a thought, which only some protocols can carry; the others leave it out.
    #[must_use]
    pub fn think(self, text: &str) -> Self {
        self.part(Part::Thinking(text.to_owned()))
    }

    /// Adds a call of a tool. Several in one turn are parallel calls.
    #[must_use]
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.part(Part::Tool { name: name.to_owned(), input })
    }

    /// Adds a call of a tool that takes plain text. Only the responses protocol has such; the others pass it as `input`.
    #[must_use]
    pub fn custom_tool(self, name: &str, input: &str) -> Self {
        self.part(Part::CustomTool { name: name.to_owned(), input: input.to_owned() })
    }

    /// Adds what another turn says and calls.
    #[must_use]
    pub fn and(mut self, other: Turn) -> Self {
        self.parts.extend(other.parts);
        self
    }

    /// Lets the agent wait before anything of the answer comes.
    #[must_use]
    pub fn first_byte_after(mut self, wait: Duration) -> Self {
        self.first_byte_after = wait;
        self
    }

    /// Lets the agent wait between the pieces of a streamed answer.
    #[must_use]
    pub fn pause_between_chunks(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Closes the connection in the middle of the answer.
    #[must_use]
    pub fn drop_midway(mut self) -> Self {
        self.is_dropped = true;
        self
    }

    /// Whether it calls a tool, so that the agent has something to do.
    pub(super) fn calls_tools(&self) -> bool {
        self.parts.iter().any(|part| part.call().is_some())
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

/// A text in the pieces in which it is streamed.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = String> {
    const LENGTH: usize = 12;
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(LENGTH).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
