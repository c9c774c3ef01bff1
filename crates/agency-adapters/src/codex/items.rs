//! What Codex does, item by item: the part that `codex exec` and `codex app-server` have in common.

use std::borrow::Cow;

use agency_model::{Event, PlanStep, StepStatus};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::json_lines::NotUnderstood;
use crate::tools::Tools;

/// How far an item has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemStage {
    /// It has begun.
    Started,
    /// There is more of it.
    Updated,
    /// It is whole.
    Completed,
}

/// A union of all kinds of items, so that it is read in one pass. The names are those of `exec`; `app-server` writes
/// the same ones in camel case.
#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    id: Option<String>,
    status: Option<String>,
    pub(super) text: Option<String>,
    pub(super) summary: Option<Vec<String>>,
    pub(super) content: Option<Value>,
    message: Option<String>,
    command: Option<Value>,
    #[serde(alias = "aggregatedOutput")]
    aggregated_output: Option<String>,
    #[serde(alias = "exitCode")]
    exit_code: Option<i64>,
    changes: Option<Value>,
    server: Option<String>,
    tool: Option<String>,
    arguments: Option<Value>,
    result: Option<Value>,
    error: Option<Value>,
    query: Option<Value>,
    prompt: Option<Value>,
    path: Option<Value>,
    items: Option<Vec<Todo>>,
}

#[derive(Deserialize)]
struct Todo {
    text: String,
    completed: bool,
}

/// The tools that are at work.
#[derive(Debug, Default)]
pub(super) struct Items {
    tools: Tools,
}

impl Items {
    /// What an item says at this stage.
    pub(super) fn events(&mut self, stage: ItemStage, item: Item<'_>) -> Result<Vec<Event>, NotUnderstood> {
        match (item.kind.as_ref(), stage) {
            ("agent_message", ItemStage::Completed) => {
                let text = item.text.ok_or(NotUnderstood)?;
                Ok(vec![Event::output(text)])
            }
            ("reasoning", ItemStage::Completed) => Ok(vec![Event::thinking(item.text.ok_or(NotUnderstood)?)]),
            ("error", _) => {
                let message = item.message.ok_or(NotUnderstood)?;
                Ok(vec![Event::Error { message }])
            }
            ("todo_list", _) => {
                let items = item.items.ok_or(NotUnderstood)?;
                let step = |Todo { text, completed }| {
                    let status = if completed { StepStatus::Completed } else { StepStatus::Pending };
                    PlanStep { text, status }
                };
                Ok(vec![Event::Plan { steps: items.into_iter().map(step).collect(), text: None }])
            }
            (tool, ItemStage::Started) if is_tool(tool) => Ok(vec![self.used(item)]),
            (tool, ItemStage::Completed) if is_tool(tool) => Ok(self.answered(item)),
            _ => Err(NotUnderstood),
        }
    }

    fn used(&mut self, item: Item<'_>) -> Event {
        let tool_name = item.tool_name();
        if let Some(id) = &item.id {
            self.tools.opened(id, &tool_name);
        }
        Event::ToolUse { tool_name, input: item.input(), tool_id: item.id, parent_tool_id: None }
    }

    /// An item that was never started is reported as both: every result has its use.
    fn answered(&mut self, mut item: Item<'_>) -> Vec<Event> {
        let seen = item.id.as_ref().and_then(|id| self.tools.closed(id)).is_some();
        let status = item.status.take();
        let success = matches!(status.as_deref(), None | Some("completed")) && matches!(item.exit_code, None | Some(0));
        let told = item.aggregated_output.take();
        let told = told.or_else(|| item.error.take().or_else(|| item.result.take()).map(|told| text(&told)));
        let result = Event::ToolResult {
            tool_name: item.tool_name(),
            output: told.or(status.filter(|_| !success)).unwrap_or_default().into(),
            success,
            tool_id: item.id.clone(),
            parent_tool_id: None,
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
}

impl Item<'_> {
    /// The name of a tool; one of an MCP server is named after both.
    fn tool_name(&self) -> String {
        match (&self.server, &self.tool) {
            (Some(server), Some(tool)) => format!("{server}.{tool}"),
            (None, Some(tool)) => tool.clone(),
            (_, None) => self.kind.clone().into_owned(),
        }
    }

    /// What a tool is given.
    fn input(&self) -> Value {
        match self.kind.as_ref() {
            "command_execution" => json!({ "command": self.command }),
            "file_change" => json!({ "changes": self.changes }),
            "web_search" => json!({ "query": self.query }),
            "collab_agent_tool_call" => json!({ "prompt": self.prompt }),
            "image_view" => json!({ "path": self.path }),
            _ => self.arguments.clone().unwrap_or_default(),
        }
    }
}

fn is_tool(kind: &str) -> bool {
    matches!(
        kind,
        "command_execution" | "file_change" | "mcp_tool_call" | "web_search" | "collab_agent_tool_call" | "image_view"
    )
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
