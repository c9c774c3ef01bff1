//! From events to what is shown of them.

use std::sync::Arc;

use agency_model::run::State;
use agency_model::{Event, EventLine};

use super::tool::Tool;
use super::{Block, Joins, Kind, Mark, Transcript};
use crate::output::event_words;
use crate::tui::wrap::{cut, plain};

/// A line of words that is longer is shown in pieces, so that none is costly.
const MAX_LINE_BYTES: usize = 8 * 1024;
/// How much of a message, a question or an error is shown.
const MAX_NOTICE_BYTES: usize = 16 * 1024;

impl Transcript {
    /// Shows the events from one on.
    pub(super) fn append(&mut self, from: usize) {
        let events: Vec<(u64, Arc<EventLine>)> =
            self.window.pieces(from).map(|piece| (piece.start, Arc::clone(&piece.item))).collect();
        for (start, line) in events {
            self.show(start, &line);
        }
    }

    fn show(&mut self, start: u64, line: &Arc<EventLine>) {
        match &line.event {
            Event::Output { text, parent_tool_id: None } => return self.words(start, text),
            Event::Output { text, parent_tool_id: Some(_) } => self.note(start, Mark::SubAgent, text),
            Event::Thinking { text, .. } => self.note(start, Mark::Thinks, text),
            Event::Plan { .. } => self.note(start, Mark::Plan, &line.event.plan_text().unwrap_or_default()),
            // They come in the middle of words, and say nothing that is not seen.
            Event::Activity { .. } => return,
            Event::ToolUse { tool_name, input, .. } => {
                let tool = Tool::used(tool_name, input, line);
                self.push(start, 0, Kind::Tool(tool));
            }
            Event::ToolResult { .. } => self.result(start, line),
            Event::Message { text } => self.note(start, Mark::Told, text),
            Event::Question { question, .. } => {
                self.note(start, Mark::Asks, &format!("{}\n{}", question.title, question.detail));
            }
            Event::Answer { outcome, by, .. } => self.note(start, Mark::Answered, &format!("{outcome} ({by})")),
            Event::Error { .. } => self.note(start, Mark::Error, &event_words(line)),
            Event::Notice { .. }
            | Event::Task { .. }
            | Event::RateLimit { .. }
            | Event::Compaction { .. }
            | Event::Unknown { .. } => self.note(start, Mark::Notice, &event_words(line)),
            Event::Restart { .. } => self.note(start, Mark::Restart, &event_words(line)),
            // That there is a first process needs no word.
            Event::Attempt { .. } if line.attempt <= 1 => return,
            Event::Attempt { .. } => self.note(start, Mark::Notice, &event_words(line)),
            Event::Exit { exit_code: Some(0), .. } | Event::StateChange { .. } | Event::Usage(_) => {}
            Event::Exit { .. } => self.note(start, Mark::Notice, &event_words(line)),
            Event::Completed { state, .. } => {
                let mark = match state {
                    State::Completed => Mark::Good,
                    State::Killed => Mark::Ended,
                    State::Failed | State::Queued | State::Running => Mark::Bad,
                };
                self.note(start, mark, &event_words(line));
            }
        }
        self.joins = Joins::Nothing;
    }

    /// Text may come in pieces, each of which continues the last one.
    fn words(&mut self, start: u64, text: &str) {
        let text = plain(text);
        let mut part = 0;
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                // A line that ends before anything stands in it is an empty one.
                if self.joins == Joins::NextLine {
                    self.push(start, part, Kind::Words(String::new()));
                    part += 1;
                }
                self.joins = Joins::NextLine;
            }
            let mut rest = line;
            if self.joins == Joins::SameLine
                && let Some(Block { kind: Kind::Words(words), .. }) = self.blocks.last_mut()
            {
                let (piece, after) = cut(rest, MAX_LINE_BYTES.saturating_sub(words.len()));
                words.push_str(piece);
                rest = after;
            }
            while !rest.is_empty() {
                let (piece, after) = cut(rest, MAX_LINE_BYTES);
                self.push(start, part, Kind::Words(piece.to_owned()));
                part += 1;
                rest = after;
                self.joins = Joins::SameLine;
            }
        }
    }

    /// An answer belongs to the call that has its number, or else to the last one of this tool that has none yet.
    fn result(&mut self, start: u64, line: &Arc<EventLine>) {
        let Event::ToolResult { tool_name, tool_id, .. } = &line.event else { return };
        let waits = |block: &mut Block| match &mut block.kind {
            Kind::Tool(tool) if tool.is_answered_by(tool_name, tool_id.as_deref()) => {
                tool.answer(line);
                true
            }
            Kind::Tool(_) | Kind::Words(_) | Kind::Note { .. } => false,
        };
        if !self.blocks.iter_mut().rev().any(waits) {
            self.push(start, 0, Kind::Tool(Tool::only_answered(tool_name, line)));
        }
    }

    fn note(&mut self, start: u64, mark: Mark, text: &str) {
        let text = plain(text);
        let (shown, rest) = cut(text.trim_end(), MAX_NOTICE_BYTES);
        let more = if rest.is_empty() { String::new() } else { format!("\n({} more bytes)", rest.len()) };
        self.push(start, 0, Kind::Note { mark, text: format!("{shown}{more}") });
    }

    fn push(&mut self, start: u64, part: u32, kind: Kind) {
        self.blocks.push(Block { key: (start, part), kind });
    }
}
