//! The notifications of `codex app-server`.

use std::borrow::Cow;

use agency_model::{Event, PlanStep, StepStatus, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::items::{Item, ItemStage, Items};
use crate::Outcome;
use crate::json_lines::NotUnderstood;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ItemChanged<'a> {
    pub(super) thread_id: String,
    #[serde(borrow)]
    pub(super) item: Item<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TurnChanged {
    pub(super) thread_id: String,
    pub(super) turn: Turn,
}

#[derive(Deserialize)]
pub(super) struct Turn {
    pub(super) id: String,
    status: String,
    error: Option<Failure>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Resolved {
    pub(super) request_id: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenUsage {
    token_usage: Counts,
}

#[derive(Deserialize)]
struct Counts {
    /// Since the last notification; `total` also counts what was before this process.
    last: ThreadTokens,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadTokens {
    input_tokens: Option<u64>,
    cached_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trouble {
    error: Failure,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    message: String,
    additional_details: Option<String>,
}

#[derive(Deserialize)]
struct TurnPlan {
    explanation: Option<String>,
    plan: Vec<ListedStep>,
}

#[derive(Deserialize)]
struct ListedStep {
    step: String,
    status: String,
}

#[derive(Deserialize)]
struct Summary {
    summary: String,
    details: Option<String>,
}

#[derive(Deserialize)]
struct Warning {
    message: String,
}

#[derive(Deserialize)]
struct McpServer {
    name: String,
    status: String,
    error: Option<String>,
}

/// What a notification says that changes nothing; nothing if it is known to say nothing new.
pub(super) fn event(method: &str, params: &str) -> Result<Option<Event>, NotUnderstood> {
    let message = match method {
        "error" => {
            // Also where Codex tries again: an error is not a sign of progress.
            let Trouble { error } = serde_json::from_str(params)?;
            return Ok(Some(Event::Error { message: error.text() }));
        }
        "turn/plan/updated" => {
            let plan: TurnPlan = serde_json::from_str(params)?;
            return Ok(Some(plan.event()));
        }
        "configWarning" | "deprecationNotice" => {
            let Summary { summary, details } = serde_json::from_str(params)?;
            with(summary.trim_end(), details.as_deref())
        }
        "warning" | "guardianWarning" => {
            let Warning { message } = serde_json::from_str(params)?;
            message
        }
        "mcpServer/startupStatus/updated" => {
            let McpServer { name, status, error } = serde_json::from_str(params)?;
            if status != "failed" {
                return Ok(None);
            }
            with(&format!("the MCP server {name} did not start"), error.as_deref())
        }
        _ if is_silent(method) => return Ok(None),
        _ => return Err(NotUnderstood),
    };
    Ok(Some(Event::Notice { message }))
}

/// States that follow from other notifications, and pieces of what comes as a whole.
fn is_silent(method: &str) -> bool {
    let known = matches!(
        method,
        "thread/started"
            | "thread/status/changed"
            | "thread/readState/changed"
            | "thread/settings/updated"
            | "thread/name/updated"
            | "thread/goal/cleared"
            | "thread/compacted"
            | "turn/diff/updated"
            | "item/reasoning/summaryPartAdded"
            | "item/fileChange/patchUpdated"
            | "item/commandExecution/terminalInteraction"
            | "item/mcpToolCall/progress"
            | "account/rateLimits/updated"
            | "skills/changed"
    );
    known || method.starts_with("remoteControl/") || method.ends_with("/delta") || method.ends_with("Delta")
}

/// The events of an item, whose kind is in camel case here.
pub(super) fn item(items: &mut Items, stage: ItemStage, mut item: Item<'_>) -> Result<Vec<Event>, NotUnderstood> {
    match (item.kind.as_ref(), stage) {
        // Our own messages, and the beginnings of items that are reported at their end.
        ("userMessage", _) | ("agentMessage" | "reasoning" | "plan" | "contextCompaction", ItemStage::Started) => {
            return Ok(vec![]);
        }
        ("reasoning", _) => {
            let thoughts = thoughts(&mut item);
            if thoughts.is_empty() {
                return Ok(vec![]);
            }
            item.text = Some(thoughts.join("\n\n"));
        }
        ("plan", _) => {
            let text = item.text.take().ok_or(NotUnderstood)?;
            return Ok(vec![Event::Plan { steps: vec![], text: Some(text) }]);
        }
        ("contextCompaction", _) => {
            return Ok(vec![Event::Compaction { trigger: None, tokens_before: None }]);
        }
        _ => {}
    }
    item.kind = Cow::Owned(snake_case(&item.kind));
    items.events(stage, item)
}

/// Most models show only a summary of what they think, some the whole, some nothing.
fn thoughts(item: &mut Item<'_>) -> Vec<String> {
    let summary = item.summary.take().unwrap_or_default();
    if !summary.is_empty() {
        return summary;
    }
    let whole = item.content.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    whole.iter().filter_map(|part| part.as_str().map(str::to_owned)).collect()
}

fn snake_case(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len() + 4);
    for character in camel.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// What the model used since the last report.
pub(super) fn usage(TokenUsage { token_usage: Counts { last } }: TokenUsage) -> Event {
    Event::Usage(Usage {
        input_tokens: last.input_tokens,
        output_tokens: last.output_tokens,
        cached_tokens: last.cached_input_tokens,
        cost_usd: None,
    })
}

/// The texts of the user's message that an item is.
pub(super) fn user_message<'a>(item: &'a Item<'_>) -> Option<Vec<&'a str>> {
    let parts = item.content.as_ref().filter(|_| item.kind == "userMessage")?.as_array()?;
    Some(parts.iter().filter_map(|part| part.get("text")?.as_str()).collect())
}

impl Turn {
    /// Whether it was ended by an interrupt.
    pub(super) fn is_interrupted(&self) -> bool {
        self.status == "interrupted"
    }

    /// How it ended.
    pub(super) fn outcome(self, answer: &mut Option<String>) -> Result<Outcome, NotUnderstood> {
        match self.status.as_str() {
            "completed" => Ok(Outcome::success(answer.take())),
            "interrupted" => Ok(Outcome::failure("interrupted".to_owned())),
            "failed" => {
                let error = self.error.map(|error| error.text());
                Ok(Outcome::failure(error.unwrap_or_else(|| "failed".to_owned())))
            }
            _ => Err(NotUnderstood),
        }
    }
}

impl TurnPlan {
    fn event(self) -> Event {
        let step = |ListedStep { step, status }: ListedStep| {
            let status = match status.as_str() {
                "completed" => StepStatus::Completed,
                "inProgress" | "in_progress" => StepStatus::InProgress,
                _ => StepStatus::Pending,
            };
            PlanStep { text: step, status }
        };
        let text = self.explanation.filter(|text| !text.trim().is_empty());
        Event::Plan { steps: self.plan.into_iter().map(step).collect(), text }
    }
}

impl Failure {
    fn text(&self) -> String {
        with(&self.message, self.additional_details.as_deref())
    }
}

fn with(message: &str, details: Option<&str>) -> String {
    details.map_or_else(|| message.to_owned(), |details| format!("{message}: {details}"))
}
