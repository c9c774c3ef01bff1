//! Events as text.

use agency_model::{Event, EventLine, event_words};

use super::field;

/// An event on one line.
pub(crate) fn readable(line: &EventLine, icons: bool) -> String {
    let icon = if icons { format!("{} ", icon(&line.event)) } else { String::new() };
    format!("{:>4}  {}  {icon}{}", line.seq, line.at, event_words(line, field))
}

/// One sign per kind, for eyes that skim; the words say the same.
const fn icon(event: &Event) -> char {
    match event {
        Event::StateChange { .. } => '●',
        Event::Attempt { .. } => '▶',
        Event::Exit { .. } => '■',
        Event::Restart { .. } => '↻',
        Event::Notice { .. } => 'ℹ',
        Event::Error { .. } => '✗',
        Event::Output { .. } => '»',
        Event::Thinking { .. } => '~',
        Event::Plan { .. } => '☐',
        Event::Task { .. } => '&',
        Event::RateLimit { .. } => '◔',
        Event::Compaction { .. } => '≡',
        Event::ToolUse { .. } => '→',
        Event::ToolResult { .. } => '←',
        Event::Usage(_) => '$',
        Event::Message { .. } => '>',
        Event::Activity { .. } => '·',
        Event::Question { .. } => '?',
        Event::Answer { .. } => '=',
        Event::Completed { .. } => '✓',
        Event::Unknown { .. } => '…',
        Event::Work(_) => '⎇',
    }
}
