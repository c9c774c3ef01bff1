//! Gemini: `gemini -o stream-json`.

use std::borrow::Cow;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::json_lines::{Dialect, Head, NotUnderstood};
use crate::lines::MAX_LINE_BYTES;
use crate::tools::Tools;
use crate::{Outcome, StreamItem};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(crate) struct Gemini {
    session: Option<String>,
    tools: Tools,
    /// The pieces since the last tool: the result has no text.
    answer: String,
}

#[derive(Deserialize)]
struct Init {
    session_id: String,
}

#[derive(Deserialize)]
struct ChatMessage<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    content: String,
}

#[derive(Deserialize)]
struct Use {
    tool_name: String,
    tool_id: Option<String>,
    parameters: Option<Value>,
}

#[derive(Deserialize)]
struct ToolAnswer<'a> {
    tool_id: String,
    #[serde(borrow)]
    status: Cow<'a, str>,
    output: Option<String>,
    error: Option<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    message: String,
}

#[derive(Deserialize)]
struct Trouble<'a> {
    #[serde(borrow)]
    severity: Option<Cow<'a, str>>,
    message: String,
}

#[derive(Deserialize)]
struct Finished<'a> {
    #[serde(borrow)]
    status: Cow<'a, str>,
    error: Option<Problem>,
    stats: Option<Stats>,
}

#[derive(Deserialize)]
struct Stats {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cached: Option<u64>,
}

impl Dialect for Gemini {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        let head: Head<'_> = serde_json::from_str(object)?;
        match head.kind.as_ref() {
            "init" => {
                let Init { session_id } = serde_json::from_str(object)?;
                crate::session(&mut self.session, session_id, items);
            }
            "message" => {
                let message: ChatMessage<'_> = serde_json::from_str(object)?;
                match message.role.as_ref() {
                    // An echo of the prompt.
                    "user" => {}
                    "assistant" => items.push(self.said(message.content)),
                    _ => return Err(NotUnderstood),
                }
            }
            "tool_use" => items.push(self.used(serde_json::from_str(object)?)),
            "tool_result" => items.push(self.answered(serde_json::from_str(object)?)),
            "error" => {
                let Trouble { severity, message } = serde_json::from_str(object)?;
                items.push(StreamItem::Event(if severity.as_deref() == Some("warning") {
                    Event::Notice { message }
                } else {
                    Event::Error { message }
                }));
            }
            "result" => self.result(serde_json::from_str(object)?, items),
            _ => return Err(NotUnderstood),
        }
        Ok(())
    }
}

impl Gemini {
    fn said(&mut self, text: String) -> StreamItem {
        if self.answer.len() + text.len() <= MAX_LINE_BYTES {
            self.answer.push_str(&text);
        }
        StreamItem::Event(Event::output(text))
    }

    fn used(&mut self, used: Use) -> StreamItem {
        self.answer.clear();
        if let Some(id) = &used.tool_id {
            self.tools.opened(id, &used.tool_name);
        }
        StreamItem::Event(Event::ToolUse {
            tool_name: used.tool_name,
            input: used.parameters.unwrap_or_default(),
            tool_id: used.tool_id,
            parent_tool_id: None,
        })
    }

    fn answered(&mut self, answer: ToolAnswer<'_>) -> StreamItem {
        let output = answer.output.or(answer.error.map(|error| error.message));
        StreamItem::Event(Event::ToolResult {
            tool_name: self.tools.closed(&answer.tool_id).unwrap_or_else(crate::unnamed),
            output: output.unwrap_or_default().into(),
            success: answer.status == "success",
            tool_id: Some(answer.tool_id),
            parent_tool_id: None,
        })
    }

    fn result(&mut self, finished: Finished<'_>, items: &mut Vec<StreamItem>) {
        if let Some(stats) = finished.stats {
            items.push(StreamItem::Event(Event::Usage(Usage {
                input_tokens: stats.input_tokens,
                output_tokens: stats.output_tokens,
                cached_tokens: stats.cached,
                cost_usd: None,
            })));
        }
        let answer = std::mem::take(&mut self.answer);
        if finished.status == "success" {
            items.push(StreamItem::Result(Outcome::success((!answer.is_empty()).then_some(answer))));
            return;
        }
        let error = finished.error.map(|error| error.message);
        let message = error.unwrap_or_else(|| finished.status.into_owned());
        // It was not reported before.
        items.push(StreamItem::Event(Event::Error { message: message.clone() }));
        items.push(StreamItem::Result(Outcome::failure(message)));
    }
}
