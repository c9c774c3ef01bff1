//! A tool call: one line, or all of it.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{Event, EventLine, tool_subject};
use crate::plain_text::{cut, one_line, plain_text};

/// How many lines of an input or an output are shown.
const MAX_LINES: usize = 500;
/// How much of a line is shown.
const MAX_LINE_BYTES: usize = 2000;
/// How much of a text in an input is read.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The names under which agents give a command to their shell.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// The result of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolResult {
    /// Whether it succeeded.
    pub success: bool,
    /// How many lines its output has.
    pub lines: usize,
}

/// What a line of a tool call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailKind {
    /// A part of its input.
    Input,
    /// A part of its output.
    Output,
    /// A part of the output of a call that failed.
    Failure,
    /// A remark about what is not there.
    Remark,
}

/// A tool call and its answer, as far as they are loaded.
#[derive(Debug)]
pub struct ToolCall {
    name: String,
    subject: String,
    used: Option<Arc<EventLine>>,
    result: Option<Arc<EventLine>>,
    /// How many lines the answer has.
    size: usize,
}

impl ToolCall {
    pub(super) fn used(name: &str, input: &Value, line: &Arc<EventLine>) -> Self {
        let command = command_of(input).map(one_line);
        Self {
            name: one_line(name),
            subject: command.unwrap_or_else(|| tool_subject(input)),
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

    /// Takes the result.
    pub(super) fn answer(&mut self, line: &Arc<EventLine>) {
        self.result = Some(Arc::clone(line));
        self.size = self.answered().map_or(0, |(output, _)| output.lines().count());
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

    /// Its name, on one line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is applied to, on one line; empty if that is not known.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The result, if it is known.
    #[must_use]
    pub fn result(&self) -> Option<ToolResult> {
        self.answered().map(|(_, success)| ToolResult { success, lines: self.size })
    }

    fn answered(&self) -> Option<(&str, bool)> {
        let Event::ToolResult { output, success, .. } = &self.result.as_ref()?.event else { return None };
        Some((output, *success))
    }

    /// The input and the answer in full, each up to a limit.
    #[must_use]
    pub fn details(&self) -> Vec<(String, DetailKind)> {
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
            bounded(&words, words.lines().count(), DetailKind::Input, &mut lines);
        }
        match self.answered() {
            Some((output, success)) => {
                let role = if success { DetailKind::Output } else { DetailKind::Failure };
                bounded(output, self.size, role, &mut lines);
            }
            None => lines.push(("no answer yet".to_owned(), DetailKind::Remark)),
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

fn bounded(text: &str, size: usize, role: DetailKind, lines: &mut Vec<(String, DetailKind)>) {
    for line in text.lines().take(MAX_LINES) {
        let (shown, rest) = cut(line, MAX_LINE_BYTES);
        let more = if rest.is_empty() { "" } else { "…" };
        lines.push((format!("{}{more}", plain_text(shown)), role));
    }
    match size.saturating_sub(MAX_LINES) {
        0 => {}
        1 => lines.push(("1 more line".to_owned(), DetailKind::Remark)),
        more => lines.push((format!("{more} more lines"), DetailKind::Remark)),
    }
}
