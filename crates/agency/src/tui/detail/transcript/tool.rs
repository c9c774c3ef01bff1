//! A tool call: one line, or all of it.

use std::sync::Arc;

use agency_model::{Event, EventLine};
use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::output::{one_line, subject};
use crate::tui::detail::scroll::RowStyle;
use crate::tui::draw::width;
use crate::tui::theme::Role;
use crate::tui::wrap::{cut, plain};

/// How many lines of an input or an output are shown.
const MAX_LINES: usize = 500;
/// How much of a line is.
const MAX_LINE_BYTES: usize = 2000;
/// How much of a text in an input is looked at.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The names under which agents give a command to their shell.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// A tool call and its answer, as far as they are loaded.
#[derive(Debug)]
pub(super) struct Tool {
    name: String,
    subject: String,
    used: Option<Arc<EventLine>>,
    result: Option<Arc<EventLine>>,
    /// How many lines the answer has.
    size: usize,
}

impl Tool {
    pub(super) fn used(name: &str, input: &Value, line: &Arc<EventLine>) -> Self {
        let command = command_of(input).map(one_line);
        Self {
            name: one_line(name),
            subject: command.unwrap_or_else(|| subject(input)),
            used: Some(Arc::clone(line)),
            result: None,
            size: 0,
        }
    }

    /// An answer to a call that is not loaded.
    pub(super) fn only_answered(name: &str, line: &Arc<EventLine>) -> Self {
        let mut tool = Self { name: one_line(name), subject: String::new(), used: None, result: None, size: 0 };
        tool.answer(line);
        tool
    }

    /// Takes in what came of it.
    pub(super) fn answer(&mut self, line: &Arc<EventLine>) {
        self.result = Some(Arc::clone(line));
        self.size = self.told().map_or(0, |(output, _)| output.lines().count());
    }

    pub(super) fn is_answered_by(&self, name: &str, id: Option<&str>) -> bool {
        let Some(Event::ToolUse { tool_name, tool_id, .. }) = self.used.as_ref().map(|line| &line.event) else {
            return false;
        };
        match (id, tool_id) {
            (Some(id), Some(own)) => id == own,
            (None, _) | (_, None) => self.result.is_none() && tool_name == name,
        }
    }

    /// The one line that is always there: what was called, on what, and what came of it.
    pub(super) fn heading(&self, unfolded: bool, row_style: RowStyle) -> Line<'static> {
        let theme = row_style.theme;
        let sign = if unfolded { theme.glyph("▾", "v") } else { theme.glyph("▸", ">") };
        let (verdict, role) = match self.told() {
            None => (theme.glyph("…", "...").to_owned(), Role::Busy),
            Some((_, success)) => {
                let size = match self.size {
                    0 => String::new(),
                    1 => " 1 line".to_owned(),
                    count => format!(" {count} lines"),
                };
                match success {
                    true => (format!("{}{size}", theme.glyph("✓", "+")), Role::Good),
                    false => (format!("{}{size}", theme.glyph("✗", "x")), Role::Bad),
                }
            }
        };
        let name = format!("{sign} {} ", self.name);
        let room = row_style.width.saturating_sub(width(&name).saturating_add(width(&verdict)).saturating_add(1));
        let subject = shortened(&self.subject, room, theme.glyph("…", "~"));
        let gap = if subject.is_empty() { "" } else { " " };
        Line::from(vec![
            Span::styled(name, theme.style(Role::Title)),
            Span::styled(format!("{subject}{gap}"), theme.style(Role::Quiet)),
            Span::styled(verdict, theme.style(role)),
        ])
    }

    fn told(&self) -> Option<(&str, bool)> {
        let Event::ToolResult { output, success, .. } = &self.result.as_ref()?.event else { return None };
        Some((output, *success))
    }

    /// The whole input and the whole answer, up to a measure.
    pub(super) fn details(&self) -> Vec<(String, Role)> {
        let mut lines = vec![];
        if let Some(Event::ToolUse { input, .. }) = self.used.as_ref().map(|line| &line.event) {
            let words = match command_of(input) {
                Some(command) => {
                    let mut rest = input.clone();
                    if let Some(fields) = rest.as_object_mut() {
                        fields.retain(|name, _| !COMMANDS.contains(&name.as_str()));
                    }
                    let rest = rest.as_object().is_some_and(|fields| !fields.is_empty()).then(|| pretty(&rest));
                    format!("$ {command}{}", rest.map_or_else(String::new, |rest| format!("\n{rest}")))
                }
                None if input.is_null() => String::new(),
                None => pretty(input),
            };
            bounded(&words, words.lines().count(), Role::Accent, &mut lines);
        }
        match self.told() {
            Some((output, success)) => {
                let role = if success { Role::Plain } else { Role::Removed };
                bounded(output, self.size, role, &mut lines);
            }
            None => lines.push(("no answer yet".to_owned(), Role::Quiet)),
        }
        lines
    }
}

fn command_of(input: &Value) -> Option<&str> {
    COMMANDS.iter().find_map(|name| input.get(name)?.as_str())
}

fn pretty(input: &Value) -> String {
    serde_json::to_string_pretty(&without_long_texts(input)).unwrap_or_default()
}

/// The same with texts up to a limit, so that showing it is cheap.
fn without_long_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_BYTES => {
            let (shown, rest) = cut(text, MAX_TEXT_BYTES);
            Value::String(format!("{shown}… ({} more bytes)", rest.len()))
        }
        Value::Array(values) => values.iter().take(MAX_LINES).map(without_long_texts).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), without_long_texts(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn bounded(text: &str, size: usize, role: Role, lines: &mut Vec<(String, Role)>) {
    for line in text.lines().take(MAX_LINES) {
        let (shown, rest) = cut(line, MAX_LINE_BYTES);
        let more = if rest.is_empty() { "" } else { "…" };
        lines.push((format!("{}{more}", plain(shown)), role));
    }
    match size.saturating_sub(MAX_LINES) {
        0 => {}
        1 => lines.push(("1 more line".to_owned(), Role::Quiet)),
        more => lines.push((format!("{more} more lines"), Role::Quiet)),
    }
}

/// As much of a text as there is room for, with a sign where it is cut.
fn shortened(text: &str, room: u16, sign: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if width(&short) >= room {
            short.pop();
            break;
        }
    }
    if room > 0 { format!("{short}{sign}") } else { String::new() }
}
