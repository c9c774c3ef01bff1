//! A transcript as text: what an agent wrote and did, with its tool calls folded.

use std::collections::VecDeque;
use std::sync::Arc;

use agency_model::transcript::{DetailKind, Entry, EntryContent, NoteKind, ToolCall, Transcript};
use agency_model::{EventLine, Usage};
use anstyle::{AnsiColor, Style};

use crate::output::{dollars, styled};

/// How many lines of what a failed tool printed are shown.
const MAX_FAILURE_LINES: usize = 5;

/// Turns events into lines, each as soon as it is complete.
#[derive(Debug, Default)]
pub(crate) struct TranscriptText {
    transcript: Transcript,
    offset: u64,
    printed: usize,
    /// The entries that were printed as calls without a result.
    open: VecDeque<usize>,
}

impl TranscriptText {
    /// Takes in the next event.
    pub(crate) fn push(&mut self, line: EventLine) {
        self.transcript.push(self.offset, &Arc::new(line));
        self.offset += 1;
    }

    /// The lines that are new.
    pub(crate) fn ready(&mut self) -> String {
        self.up_to(self.transcript.settled())
    }

    /// All lines that are left.
    pub(crate) fn finish(&mut self) -> String {
        self.up_to(self.transcript.entries().len())
    }

    fn up_to(&mut self, end: usize) -> String {
        let mut text = String::new();
        let entries = self.transcript.entries();
        self.open.retain(|index| match entries.get(*index).map(|entry| &entry.content) {
            Some(EntryContent::Tool(tool)) if tool.result().is_some() => {
                text.push_str(&late_result(tool));
                false
            }
            Some(_) | None => true,
        });
        for (index, entry) in entries.iter().enumerate().take(end).skip(self.printed) {
            text.push_str(&entry_text(entry));
            if matches!(&entry.content, EntryContent::Tool(tool) if tool.result().is_none()) {
                self.open.push_back(index);
            }
        }
        self.printed = self.printed.max(end);
        text
    }
}

fn entry_text(entry: &Entry) -> String {
    match &entry.content {
        EntryContent::Text(line) => format!("{line}\n"),
        EntryContent::Tool(tool) => tool_text(tool),
        EntryContent::Note { kind, text } => {
            let (sign, style) = note_style(*kind);
            let mut lines = text.split('\n');
            let first = format!("{sign} {}", lines.next().unwrap_or_default());
            let rest = lines.map(|line| format!("  {line}"));
            [first].into_iter().chain(rest).map(|line| styled(style, &line) + "\n").collect()
        }
    }
}

fn tool_text(tool: &ToolCall) -> String {
    let name = styled(Style::new().bold(), &format!("▸ {}", tool.name()));
    let subject = Some(tool.subject()).filter(|subject| !subject.is_empty());
    let subject = subject.map_or_else(String::new, |subject| format!(" {subject}"));
    format!("{name}{}{}\n{}", styled(Style::new().dimmed(), &subject), verdict(tool), failure(tool))
}

/// The result of a call that was printed before.
fn late_result(tool: &ToolCall) -> String {
    format!("{}{}\n{}", styled(Style::new().dimmed(), &format!("  {}", tool.name())), verdict(tool), failure(tool))
}

fn verdict(tool: &ToolCall) -> String {
    let Some(result) = tool.result() else { return styled(AnsiColor::Yellow.on_default(), " …") };
    let size = match result.lines {
        0 => String::new(),
        1 => " 1 line".to_owned(),
        count => format!(" {count} lines"),
    };
    match result.success {
        true => styled(AnsiColor::Green.on_default(), &format!(" ✓{size}")),
        false => styled(AnsiColor::Red.on_default(), &format!(" ✗{size}")),
    }
}

/// What a failed tool printed.
fn failure(tool: &ToolCall) -> String {
    if tool.result().is_none_or(|result| result.success) {
        return String::new();
    }
    let printed: Vec<String> =
        tool.details().into_iter().filter(|(_, kind)| *kind == DetailKind::Failure).map(|(line, _)| line).collect();
    // Replacing a single line by a note about it saves no line.
    let most = if printed.len() == MAX_FAILURE_LINES + 1 { printed.len() } else { MAX_FAILURE_LINES };
    let more = printed.len().saturating_sub(most);
    let red = AnsiColor::Red.on_default();
    let mut text: String = printed.iter().take(most).map(|line| styled(red, &format!("  {line}")) + "\n").collect();
    if more > 0 {
        text.push_str(&styled(Style::new().dimmed(), &format!("  … {more} more lines")));
        text.push('\n');
    }
    text
}

const fn note_style(kind: NoteKind) -> (&'static str, Style) {
    match kind {
        NoteKind::Message => (">", AnsiColor::Cyan.on_default()),
        NoteKind::Question => ("?", AnsiColor::Yellow.on_default().bold()),
        NoteKind::Answer => ("=", AnsiColor::Cyan.on_default()),
        NoteKind::Error | NoteKind::Failed => ("✗", AnsiColor::Red.on_default()),
        NoteKind::Notice => ("·", Style::new().dimmed()),
        NoteKind::Restart => ("↻", AnsiColor::Yellow.on_default()),
        NoteKind::Completed => ("✓", AnsiColor::Green.on_default()),
        NoteKind::Stopped => ("■", Style::new()),
        NoteKind::Thinking => ("~", Style::new().dimmed()),
        NoteKind::Plan => ("☐", AnsiColor::Cyan.on_default()),
        NoteKind::SubAgent => ("│", Style::new().dimmed()),
    }
}

/// What a run used, on a line of its own; empty if its agent did not report it.
pub(crate) fn usage_line(usage: &Usage) -> String {
    let tokens = |count: Option<u64>, what: &str| count.map(|count| format!("{count} tokens {what}"));
    let parts =
        [usage.cost_usd.map(dollars), tokens(usage.input_tokens, "read"), tokens(usage.output_tokens, "written")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::new(),
        false => styled(Style::new().dimmed(), &format!("· {}", parts.join(", "))) + "\n",
    }
}

#[cfg(test)]
mod tests {
    use agency_model::Event;
    use serde_json::json;

    use super::*;

    fn line(event: Event) -> EventLine {
        EventLine { seq: 1, at: jiff::Timestamp::UNIX_EPOCH, attempt: 1, event }
    }

    fn call(id: &str) -> EventLine {
        let (tool_name, tool_id) = ("Bash".to_owned(), Some(id.to_owned()));
        line(Event::ToolUse { tool_name, input: json!({ "command": "ls" }), tool_id, parent_tool_id: None })
    }

    fn result(id: &str, output: &str, success: bool) -> EventLine {
        let (tool_name, tool_id) = ("Bash".to_owned(), Some(id.to_owned()));
        line(Event::ToolResult { tool_name, output: output.into(), success, tool_id, parent_tool_id: None })
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_whole_transcript_has_one_line_per_tool_call_and_the_beginning_of_failures() {
        let mut text = TranscriptText::default();
        let output: String = (0..8).map(|number| format!("wrong {number}\n")).collect();
        let said = line(Event::output("Looking.\nNow "));
        for event in [said, call("1"), result("1", "a\nb\n", true), call("2"), result("2", &output, false)] {
            text.push(event);
        }
        let expected = "Looking.\nNow \n▸ Bash ls ✓ 2 lines\n▸ Bash ls ✗ 8 lines\n  wrong 0\n  wrong 1\n  wrong 2\n  \
                        wrong 3\n  wrong 4\n  … 3 more lines\n";
        assert_eq!(plain(&text.finish()), expected);
    }

    #[test]
    fn while_a_run_is_followed_every_line_comes_once() {
        let mut text = TranscriptText::default();
        text.push(line(Event::output("one\ntw")));
        assert_eq!(plain(&text.ready()), "one\n");
        text.push(line(Event::output("o")));
        assert_eq!(plain(&text.ready()), "");
        text.push(call("1"));
        assert_eq!(plain(&text.ready()), "two\n▸ Bash ls …\n");
        text.push(result("1", "x", true));
        assert_eq!(plain(&text.ready()), "  Bash ✓ 1 line\n");
        assert_eq!(plain(&text.finish()), "");
    }

    #[test]
    fn the_cost_is_a_line_if_it_is_known() {
        assert_eq!(usage_line(&Usage::default()), "");
        let usage = Usage { cost_usd: Some(0.5), input_tokens: Some(7), ..Usage::default() };
        assert_eq!(plain(&usage_line(&usage)), "· $0.5000, 7 tokens read\n");
    }
}
