//! What an agent writes and does, from its events: its text, its tool calls, and the messages that it received.
//!
//! The one rule: every text in it is safe to show; whatever could deceive is escaped.

mod tool;

use std::sync::Arc;

use crate::escape::escaped_line;
use crate::event::{Event, EventLine, event_words};
use crate::plain_text::{cut, plain_text};
use crate::run::State;
pub use tool::{DetailKind, ToolCall, ToolResult};

/// A line of text that is longer is kept in pieces, so that none is costly.
const MAX_LINE_BYTES: usize = 8 * 1024;
/// How much of a message, a question or an error is kept.
const MAX_NOTICE_BYTES: usize = 16 * 1024;

/// What an agent wrote and did, as entries that are each shown in one piece.
#[derive(Debug, Default)]
pub struct Transcript {
    entries: Vec<Entry>,
    joins: Joins,
}

/// Something that is shown in one piece.
#[derive(Debug)]
pub struct Entry {
    /// Where its first event begins in the file, and which of its entries this is.
    pub key: EntryKey,
    /// What it is.
    pub content: EntryContent,
}

/// The offset of an event, and the number of the entry among those of the event.
pub type EntryKey = (u64, u32);

/// What an entry is.
#[derive(Debug)]
pub enum EntryContent {
    /// A line of what the agent writes.
    Text(String),
    /// A tool call, with its result as soon as there is one.
    Tool(ToolCall),
    /// Another entry of one line.
    Note {
        /// What it is about.
        kind: NoteKind,
        /// It may have several lines.
        text: String,
    },
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// The agent received it.
    Message,
    /// The agent asks it.
    Question,
    /// What was answered.
    Answer,
    /// Something went wrong.
    Error,
    /// Information.
    Notice,
    /// The agent is started again.
    Restart,
    /// The run completed.
    Completed,
    /// The run failed.
    Failed,
    /// The run was stopped.
    Stopped,
    /// Reasoning that the agent reports.
    Thinking,
    /// The agent's plan.
    Plan,
    /// What a sub-agent writes.
    SubAgent,
}

/// Where further text is appended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Joins {
    /// It begins anew.
    #[default]
    Nothing,
    SameLine,
    /// The last line has ended.
    NextLine,
}

impl Transcript {
    /// The entries so far. Further events can change the last text, and tool calls without a result.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.joins = Joins::Nothing;
    }

    /// How many entries, counted from the first one, no longer change, apart from tool calls without a result.
    #[must_use]
    pub fn settled(&self) -> usize {
        self.entries.len() - usize::from(self.joins == Joins::SameLine)
    }

    /// Takes in the next event, which begins at this offset of its file.
    pub fn push(&mut self, start: u64, line: &Arc<EventLine>) {
        match &line.event {
            Event::Output { text, parent_tool_id: None } => return self.words(start, text),
            Event::Output { text, parent_tool_id: Some(_) } => self.note(start, NoteKind::SubAgent, text),
            Event::Thinking { text, .. } => self.note(start, NoteKind::Thinking, text),
            Event::Plan { .. } => self.note(start, NoteKind::Plan, &line.event.plan_text().unwrap_or_default()),
            // They interrupt the text, and what they report is shown elsewhere.
            Event::Activity { .. } => return,
            Event::ToolUse { tool_name, input, .. } => {
                let tool = ToolCall::used(tool_name, input, line);
                self.add(start, 0, EntryContent::Tool(tool));
            }
            Event::ToolResult { .. } => self.result(start, line),
            Event::Message { text } => self.note(start, NoteKind::Message, text),
            Event::Question { question, .. } => {
                self.note(start, NoteKind::Question, &format!("{}\n{}", question.title, question.detail));
            }
            Event::Answer { answer: None, outcome, .. } => self.note(start, NoteKind::Answer, outcome),
            Event::Answer { answer: Some(answer), outcome, by, .. } => {
                self.note(start, NoteKind::Answer, &format!("{} ({by}): {outcome}", answer.words()));
            }
            Event::Error { .. } => self.note(start, NoteKind::Error, &event_words(line, escaped_line)),
            Event::Notice { .. }
            | Event::Task { .. }
            | Event::RateLimit { .. }
            | Event::Compaction { .. }
            | Event::Unknown { .. }
            | Event::Work(_) => self.note(start, NoteKind::Notice, &event_words(line, escaped_line)),
            Event::Restart { .. } => self.note(start, NoteKind::Restart, &event_words(line, escaped_line)),
            // The first process is not reported.
            Event::Attempt { .. } if line.attempt <= 1 => return,
            Event::Attempt { .. } => self.note(start, NoteKind::Notice, &event_words(line, escaped_line)),
            Event::Exit { exit_code: Some(0), .. } | Event::StateChange { .. } | Event::Usage(_) => {}
            Event::Exit { .. } => self.note(start, NoteKind::Notice, &event_words(line, escaped_line)),
            Event::Completed { state, .. } => {
                let kind = match state {
                    State::Completed => NoteKind::Completed,
                    State::Killed => NoteKind::Stopped,
                    State::Failed | State::Queued | State::Running => NoteKind::Failed,
                };
                self.note(start, kind, &event_words(line, escaped_line));
            }
        }
        self.joins = Joins::Nothing;
    }

    /// Text may come in pieces, each of which continues the last one.
    fn words(&mut self, start: u64, text: &str) {
        let text = plain_text(text);
        let mut part = 0;
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                // A line that ends before anything stands in it is an empty one.
                if self.joins == Joins::NextLine {
                    self.add(start, part, EntryContent::Text(String::new()));
                    part += 1;
                }
                self.joins = Joins::NextLine;
            }
            let mut rest = line;
            if self.joins == Joins::SameLine
                && let Some(Entry { content: EntryContent::Text(words), .. }) = self.entries.last_mut()
            {
                let (piece, after) = cut(rest, MAX_LINE_BYTES.saturating_sub(words.len()));
                words.push_str(piece);
                rest = after;
            }
            while !rest.is_empty() {
                let (piece, after) = cut(rest, MAX_LINE_BYTES);
                self.add(start, part, EntryContent::Text(piece.to_owned()));
                part += 1;
                rest = after;
                self.joins = Joins::SameLine;
            }
        }
    }

    /// An answer belongs to the call that has its number, or else to the last one of this tool that has none yet.
    fn result(&mut self, start: u64, line: &Arc<EventLine>) {
        let Event::ToolResult { tool_name, tool_id, .. } = &line.event else { return };
        let waits = |entry: &mut Entry| match &mut entry.content {
            EntryContent::Tool(tool) if tool.is_answered_by(tool_name, tool_id.as_deref()) => {
                tool.answer(line);
                true
            }
            EntryContent::Tool(_) | EntryContent::Text(_) | EntryContent::Note { .. } => false,
        };
        if !self.entries.iter_mut().rev().any(waits) {
            self.add(start, 0, EntryContent::Tool(ToolCall::only_answered(tool_name, line)));
        }
    }

    fn note(&mut self, start: u64, kind: NoteKind, text: &str) {
        let text = plain_text(text);
        let (shown, rest) = cut(text.trim_end(), MAX_NOTICE_BYTES);
        let more = if rest.is_empty() { String::new() } else { format!("\n({} more bytes)", rest.len()) };
        self.add(start, 0, EntryContent::Note { kind, text: format!("{shown}{more}") });
    }

    fn add(&mut self, start: u64, part: u32, content: EntryContent) {
        self.entries.push(Entry { key: (start, part), content });
    }
}

#[cfg(test)]
mod tests;
