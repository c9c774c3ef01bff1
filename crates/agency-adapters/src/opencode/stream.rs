//! opencode: `opencode run --format json`.

use std::borrow::Cow;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::json_lines::{Dialect, NotUnderstood};
use crate::{Outcome, StreamItem};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(crate) struct Opencode {
    session: Option<String>,
    /// The last text: no event holds the result.
    answer: Option<String>,
}

/// What every event has.
#[derive(Deserialize)]
struct EventHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(rename = "sessionID")]
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct With<P> {
    part: P,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct ToolPart {
    tool: String,
    #[serde(rename = "callID")]
    call_id: Option<String>,
    state: ToolState,
}

#[derive(Deserialize)]
struct ToolState {
    status: String,
    input: Option<Value>,
    output: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct StepFinish {
    reason: Option<String>,
    tokens: Option<OpencodeTokens>,
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct OpencodeTokens {
    input: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    cache: Option<Cache>,
}

#[derive(Deserialize)]
struct Cache {
    read: Option<u64>,
    write: Option<u64>,
}

#[derive(Deserialize)]
struct Failed<'a> {
    #[serde(borrow)]
    error: Failure<'a>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    data: Option<FailureData>,
}

#[derive(Deserialize)]
struct FailureData {
    message: Option<String>,
}

impl Dialect for Opencode {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        let head: EventHead<'_> = serde_json::from_str(object)?;
        let said = match head.kind.as_ref() {
            "step_start" => vec![],
            "text" => {
                let With { part: Text { text } } = serde_json::from_str(object)?;
                self.answer = Some(text.clone());
                vec![StreamItem::Event(Event::output(text))]
            }
            "reasoning" => {
                let With { part: Text { text } } = serde_json::from_str(object)?;
                vec![StreamItem::Event(Event::thinking(text))]
            }
            "tool_use" => {
                let With { part } = serde_json::from_str(object)?;
                tool(part).into_iter().map(StreamItem::Event).collect()
            }
            "step_finish" => {
                let With { part } = serde_json::from_str(object)?;
                self.step(&part)
            }
            "error" => {
                let Failed { error } = serde_json::from_str(object)?;
                failed(error)
            }
            _ => return Err(NotUnderstood),
        };
        if let Some(id) = head.session_id {
            crate::session(&mut self.session, id, items);
        }
        items.extend(said);
        Ok(())
    }
}

impl Opencode {
    fn step(&mut self, step: &StepFinish) -> Vec<StreamItem> {
        let mut items = vec![];
        if let Some(tokens) = &step.tokens {
            let sum = |counts: &[Option<u64>]| counts.iter().copied().flatten().reduce(u64::saturating_add);
            let read = tokens.cache.as_ref().and_then(|cache| cache.read);
            let written = tokens.cache.as_ref().and_then(|cache| cache.write);
            items.push(StreamItem::Event(Event::Usage(Usage {
                input_tokens: sum(&[tokens.input, read, written]),
                output_tokens: sum(&[tokens.output, tokens.reasoning]),
                cached_tokens: read,
                cost_usd: step.cost,
            })));
        }
        match step.reason.as_deref() {
            Some("stop") => items.push(StreamItem::Result(Outcome::success(self.answer.take()))),
            Some(reason @ ("length" | "content-filter" | "error")) => {
                let error = format!("the model stopped before it was done: {reason}");
                items.push(StreamItem::Result(Outcome::failure(error)));
            }
            // Another step follows, or the process ends.
            _ => {}
        }
        items
    }
}

/// A tool is reported once, when it is done.
fn tool(part: ToolPart) -> [Event; 2] {
    let ToolPart { tool, call_id, state } = part;
    let used = Event::ToolUse {
        tool_name: tool.clone(),
        input: state.input.unwrap_or_default(),
        tool_id: call_id.clone(),
        parent_tool_id: None,
    };
    // A call that opencode refused is reported as a completed one of the tool `invalid`.
    let success = state.status == "completed" && tool != "invalid";
    let answered = Event::ToolResult {
        tool_name: tool,
        output: state.output.or(state.error).unwrap_or_default().into(),
        success,
        tool_id: call_id,
        parent_tool_id: None,
    };
    [used, answered]
}

fn failed(error: Failure<'_>) -> Vec<StreamItem> {
    let message = error.data.and_then(|data| data.message);
    let message =
        message.map_or_else(|| error.name.clone().into_owned(), |message| format!("{}: {message}", error.name));
    vec![StreamItem::Event(Event::Error { message: message.clone() }), StreamItem::Result(Outcome::failure(message))]
}
