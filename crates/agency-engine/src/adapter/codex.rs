//! Codex: `codex exec --json`.

use std::borrow::Cow;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::objects::{Dialect, Head, NotUnderstood};
use super::tools::Tools;
use super::{Heard, Outcome};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(super) struct Codex {
    session: Option<String>,
    tools: Tools,
    answer: Option<String>,
    /// The last usage, which counts the whole thread.
    total: Tokens,
}

#[derive(Deserialize)]
struct Thread {
    thread_id: String,
}

#[derive(Deserialize)]
struct Changed<'a> {
    #[serde(borrow)]
    item: Item<'a>,
}

/// A union of all kinds of items, so that it is read in one pass.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    id: Option<String>,
    status: Option<String>,
    text: Option<String>,
    message: Option<String>,
    command: Option<Value>,
    aggregated_output: Option<String>,
    exit_code: Option<i64>,
    changes: Option<Value>,
    server: Option<String>,
    tool: Option<String>,
    arguments: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
    query: Option<Value>,
    items: Option<Vec<Todo>>,
}

#[derive(Deserialize)]
struct Todo {
    text: String,
    completed: bool,
}

#[derive(Deserialize)]
struct Completed {
    usage: Option<Tokens>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    cached_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Failed {
    error: Message,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

impl Dialect for Codex {
    fn hear(&mut self, object: &str, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        let head: Head<'_> = serde_json::from_str(object)?;
        match head.kind.as_ref() {
            "thread.started" => {
                let Thread { thread_id } = serde_json::from_str(object)?;
                super::session(&mut self.session, thread_id, heard);
            }
            "turn.started" => self.answer = None,
            "item.started" | "item.updated" | "item.completed" => {
                let Changed { item } = serde_json::from_str(object)?;
                heard.extend(self.item(&head.kind, item)?.into_iter().map(Heard::Event));
            }
            "turn.completed" => self.completed(&serde_json::from_str(object)?, heard),
            "turn.failed" => {
                let failed: Failed = serde_json::from_str(object)?;
                heard.push(Heard::Result(Outcome::failure(failed.error.message)));
            }
            // Also told of each retry; only `turn.failed` is the end.
            "error" => {
                let Message { message } = serde_json::from_str(object)?;
                heard.push(Heard::Event(Event::Error { message }));
            }
            _ => return Err(NotUnderstood),
        }
        Ok(())
    }
}

impl Codex {
    fn item(&mut self, change: &str, item: Item<'_>) -> Result<Vec<Event>, NotUnderstood> {
        match (item.kind.as_ref(), change) {
            ("agent_message", "item.completed") => {
                let text = item.text.ok_or(NotUnderstood)?;
                self.answer = Some(text.clone());
                Ok(vec![Event::Output { text }])
            }
            ("reasoning", "item.completed") => Ok(vec![super::thinking(&item.text.ok_or(NotUnderstood)?)]),
            ("error", _) => {
                let message = item.message.ok_or(NotUnderstood)?;
                Ok(vec![Event::Error { message }])
            }
            ("todo_list", _) => {
                let message = plan(&item.items.ok_or(NotUnderstood)?);
                Ok(vec![Event::Notice { message }])
            }
            ("command_execution" | "file_change" | "mcp_tool_call" | "web_search", "item.started") => {
                Ok(vec![self.used(item)])
            }
            ("command_execution" | "file_change" | "mcp_tool_call" | "web_search", "item.completed") => {
                Ok(self.answered(item))
            }
            _ => Err(NotUnderstood),
        }
    }

    fn used(&mut self, item: Item<'_>) -> Event {
        let tool_name = tool_name(&item);
        if let Some(id) = &item.id {
            self.tools.opened(id, &tool_name);
        }
        let input = match item.kind.as_ref() {
            "command_execution" => json!({ "command": item.command }),
            "file_change" => json!({ "changes": item.changes }),
            "web_search" => json!({ "query": item.query }),
            _ => item.arguments.unwrap_or_default(),
        };
        Event::ToolUse { tool_name, input, tool_id: item.id }
    }

    /// An item that was never started is told as both: every result has its use.
    fn answered(&mut self, mut item: Item<'_>) -> Vec<Event> {
        let seen = item.id.as_ref().and_then(|id| self.tools.closed(id)).is_some();
        let status = item.status.take();
        let success = matches!(status.as_deref(), None | Some("completed")) && matches!(item.exit_code, None | Some(0));
        let told = item.aggregated_output.take();
        let told = told.or_else(|| item.error.take().or_else(|| item.result.take()).map(|told| text(&told)));
        let result = Event::ToolResult {
            tool_name: tool_name(&item),
            output: told.or(status.filter(|_| !success)).unwrap_or_default(),
            success,
            tool_id: item.id.clone(),
        };
        if seen {
            return vec![result];
        }
        let used = self.used(item);
        if let Event::ToolUse { tool_id: Some(id), .. } = &used {
            self.tools.closed(id);
        }
        vec![used, result]
    }

    fn completed(&mut self, completed: &Completed, heard: &mut Vec<Heard>) {
        if let Some(total) = completed.usage {
            let before = std::mem::replace(&mut self.total, total);
            let since = |total: Option<u64>, before: Option<u64>| {
                total.map(|total| total.checked_sub(before.unwrap_or(0)).unwrap_or(total))
            };
            heard.push(Heard::Event(Event::Usage(Usage {
                input_tokens: since(total.input_tokens, before.input_tokens),
                output_tokens: since(total.output_tokens, before.output_tokens),
                cached_tokens: since(total.cached_input_tokens, before.cached_input_tokens),
                cost_usd: None,
            })));
        }
        heard.push(Heard::Result(Outcome::success(self.answer.take())));
    }
}

fn tool_name(item: &Item<'_>) -> String {
    match (&item.server, &item.tool) {
        (Some(server), Some(tool)) => format!("{server}.{tool}"),
        (None, Some(tool)) => tool.clone(),
        (_, None) => item.kind.clone().into_owned(),
    }
}

fn plan(items: &[Todo]) -> String {
    let items = items.iter().map(|Todo { text, completed }| {
        let mark = if *completed { "x" } else { " " };
        format!("[{mark}] {text}")
    });
    format!("plan: {}", items.collect::<Vec<_>>().join("; "))
}

/// The readable part of an answer or an error.
fn text(told: &Value) -> String {
    let parts = |parts: &Vec<Value>| {
        let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
        Some(texts?.join("\n"))
    };
    let message = told.as_str().or_else(|| told.get("message")?.as_str()).map(str::to_owned);
    message.or_else(|| told.get("content")?.as_array().and_then(parts)).unwrap_or_else(|| told.to_string())
}
