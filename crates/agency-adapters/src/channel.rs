//! The stream of one agent process: its bytes into items, and messages into its bytes.
//!
//! The one rule: the pieces in which bytes arrive do not change the items.

use agency_model::Usage;

use super::json_lines::{Dialect, parse_line};
use super::lines::Lines;
use super::{EncodeError, StreamItem, ToAgent};

/// A parser of an agent's standard output, and for a conversation in both directions also the encoder of its input.
pub struct Channel {
    lines: Lines,
    dialect: Box<dyn Dialect>,
}

impl Channel {
    pub(super) fn new(dialect: impl Dialect + 'static) -> Self {
        Self { lines: Lines::default(), dialect: Box::new(dialect) }
    }

    /// The items that are complete with these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<StreamItem> {
        let Self { lines, dialect } = self;
        let mut items = dialect.take_pending();
        lines.feed(bytes, |line| parse_line(dialect.as_mut(), line, &mut items));
        items
    }

    /// The items that are left at the end of the stream, such as those of a half line.
    pub fn finish(&mut self) -> Vec<StreamItem> {
        let Self { lines, dialect } = self;
        let mut items = dialect.take_pending();
        lines.finish(|line| parse_line(dialect.as_mut(), line, &mut items));
        dialect.finish(&mut items);
        items
    }

    /// The first bytes, to be written as soon as the process exists.
    pub fn open(&mut self) -> Vec<u8> {
        self.dialect.open()
    }

    /// The bytes of a message to the agent; none where it is sent later. Items that follow from it, such as withdrawn
    /// questions, come with the next feed, which may be an empty one.
    pub fn encode(&mut self, message: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        self.dialect.encode(message)
    }

    /// Whether the reason of a denial reaches the agent, with the denial or after it.
    #[must_use]
    pub fn denial_takes_words(&self) -> bool {
        self.dialect.denial_takes_words()
    }

    /// Sets what the conversation used before this process, for agents that count the whole conversation.
    pub fn count_from(&mut self, used: Usage) {
        self.dialect.count_from(used);
    }

    /// Sets the first of the ids of the messages to this process, for agents that report on messages by id. An agent may
    /// ignore a message whose id its conversation has had before, so that it is random for each process.
    pub fn identify_from(&mut self, first: u128) {
        self.dialect.identify_from(first);
    }
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Channel").field("lines", &self.lines).finish_non_exhaustive()
    }
}
