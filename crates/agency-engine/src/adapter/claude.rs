//! Claude Code: `claude -p --output-format stream-json --verbose`, and the same with `--input-format stream-json`.

mod content;
mod control;

use std::collections::BTreeMap;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::json;

use self::content::{Message, output};
use self::control::Requests;
use super::objects::{Dialect, Head, NotUnderstood};
use super::tools::Tools;
use super::{CannotSay, Heard, Opening, Outcome, ToAgent};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(super) struct Claude {
    session: Option<String>,
    tools: Tools,
    /// The last `total_cost_usd`, which counts the whole conversation.
    total_cost: f64,
    requests: Requests,
    /// Absent if the stream goes one way only.
    opening: Option<Opening>,
    /// How many requests we have made.
    asked: u64,
}

#[derive(Deserialize)]
struct Init {
    session_id: String,
}

#[derive(Deserialize)]
struct Retry {
    attempt: u64,
    max_retries: u64,
    retry_delay_ms: f64,
    error_status: Option<u64>,
}

#[derive(Deserialize)]
struct Denied {
    tool_name: String,
    message: String,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    message: Message<'a>,
    is_api_error_message: Option<bool>,
    #[serde(rename = "isReplay")]
    is_replay: Option<bool>,
}

#[derive(Deserialize)]
struct Finished {
    is_error: Option<bool>,
    result: Option<String>,
    errors: Option<Vec<String>>,
    usage: Option<Tokens>,
    total_cost_usd: Option<f64>,
    model_usage_since_last_result: Option<BTreeMap<String, ModelCost>>,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct ModelCost {
    #[serde(rename = "costUSD")]
    cost_usd: f64,
}

impl Dialect for Claude {
    fn hear(&mut self, object: &str, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        // Almost all that it says begins so, and what is said is read in one pass; whatever does not fit is looked at again.
        if object.starts_with(r#"{"type":"assistant""#)
            && let Ok(said) = serde_json::from_str(object)
        {
            return self.assistant(said, heard);
        }
        if object.starts_with(r#"{"type":"user""#)
            && let Ok(said) = serde_json::from_str(object)
        {
            return self.user(said, heard);
        }
        let head: Head<'_> = serde_json::from_str(object)?;
        match (head.kind.as_ref(), head.subtype.as_deref()) {
            ("system", Some("init")) => {
                let Init { session_id } = serde_json::from_str(object)?;
                super::session(&mut self.session, session_id, heard);
            }
            ("system", Some("api_retry")) => {
                let message = retry(&serde_json::from_str(object)?);
                heard.push(Heard::Event(Event::Error { message }));
            }
            ("system", Some("permission_denied")) => heard.push(notice(denied(&serde_json::from_str(object)?))),
            // Pieces of what follows as a whole, and how far the model's thoughts have come.
            ("stream_event", _) | ("system", Some("thinking_tokens")) => {}
            ("control_response", _) => heard.extend(control::refused(serde_json::from_str(object)?).map(notice)),
            ("control_request", _) => self.requests.asked(serde_json::from_str(object)?, heard),
            ("control_cancel_request", _) => self.requests.cancelled(&serde_json::from_str(object)?, heard),
            ("assistant", _) => self.assistant(serde_json::from_str(object)?, heard)?,
            ("user", _) => self.user(serde_json::from_str(object)?, heard)?,
            ("result", Some(subtype)) => self.result(subtype, serde_json::from_str(object)?, heard),
            _ => return Err(NotUnderstood),
        }
        Ok(())
    }

    fn open(&mut self) -> Vec<u8> {
        let prompt = self.opening.as_ref().and_then(|opening| opening.prompt.as_deref());
        prompt.map(message).unwrap_or_default()
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, CannotSay> {
        if self.opening.is_none() {
            return Err(CannotSay::OneWay);
        }
        match to_agent {
            ToAgent::Message(text) => Ok(message(text)),
            ToAgent::Interrupt => {
                self.asked += 1;
                let id = format!("agency-{}", self.asked);
                let request = json!({ "subtype": "interrupt" });
                Ok(super::line(&json!({ "type": "control_request", "request_id": id, "request": request })))
            }
            ToAgent::Answer { key, answer } => {
                Ok(self.requests.answered(key, answer)?.as_ref().map(super::line).unwrap_or_default())
            }
        }
    }
}

impl Claude {
    /// A conversation in both directions.
    pub(super) fn talking(opening: Opening) -> Self {
        Self { opening: Some(opening), ..Self::default() }
    }

    fn assistant(&mut self, said: Said<'_>, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        for block in said.message.content.blocks() {
            let event = match (block.kind.as_ref(), block.text, block.thinking, block.name) {
                ("text", Some(message), _, _) if said.is_api_error_message == Some(true) => Event::Error { message },
                ("text", Some(text), _, _) => Event::Output { text },
                ("thinking", _, Some(thinking), _) => super::thinking(&thinking),
                ("tool_use" | "server_tool_use", _, _, Some(tool_name)) => {
                    if let Some(id) = &block.id {
                        self.tools.opened(id, &tool_name);
                    }
                    Event::ToolUse { tool_name, input: block.input.unwrap_or_default(), tool_id: block.id }
                }
                _ => return Err(NotUnderstood),
            };
            heard.push(Heard::Event(event));
        }
        Ok(())
    }

    fn user(&mut self, said: Said<'_>, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        // An echo of what we said.
        if said.is_replay == Some(true) {
            return Ok(());
        }
        for mut block in said.message.content.blocks() {
            let output = output(block.content.take());
            heard.push(match (block.kind.as_ref(), block.text, block.tool_use_id) {
                ("text", Some(text), _) => notice(text),
                ("tool_result", _, Some(id)) => Heard::Event(Event::ToolResult {
                    tool_name: self.tools.closed(&id).unwrap_or_else(super::unnamed),
                    output,
                    success: block.is_error != Some(true),
                    tool_id: Some(id),
                }),
                _ => return Err(NotUnderstood),
            });
        }
        Ok(())
    }

    fn result(&mut self, subtype: &str, finished: Finished, heard: &mut Vec<Heard>) {
        let cost_usd = self.cost(&finished);
        if let Some(tokens) = finished.usage {
            let cached = tokens.cache_read_input_tokens;
            let read = [tokens.input_tokens, tokens.cache_creation_input_tokens, cached];
            heard.push(Heard::Event(Event::Usage(Usage {
                input_tokens: read.into_iter().flatten().reduce(u64::saturating_add),
                output_tokens: tokens.output_tokens,
                cached_tokens: cached,
                cost_usd,
            })));
        }
        if subtype == "success" && finished.is_error != Some(true) {
            heard.push(Heard::Result(Outcome::success(finished.result)));
            return;
        }
        let errors = finished.errors.filter(|errors| !errors.is_empty());
        let error = finished.result.or(errors.map(|errors| errors.join("; ")));
        let message = error.unwrap_or_else(|| subtype.to_owned());
        // An error of the model's server comes as a success whose result is the error, and was said before.
        if subtype != "success" {
            heard.push(Heard::Event(Event::Error { message: message.clone() }));
        }
        heard.push(Heard::Result(Outcome::failure(message)));
    }

    /// The tokens are those of the turn, the cost is that of the conversation, also before this process.
    fn cost(&mut self, finished: &Finished) -> Option<f64> {
        let total = finished.total_cost_usd?;
        let before = std::mem::replace(&mut self.total_cost, total);
        let cost = match &finished.model_usage_since_last_result {
            Some(models) => models.values().fold(0.0, |sum, model| sum + model.cost_usd),
            None if total >= before => total - before,
            None => total,
        };
        Some(super::dollars(cost))
    }
}

fn message(text: &str) -> Vec<u8> {
    super::line(&json!({ "type": "user", "message": { "role": "user", "content": text } }))
}

fn notice(message: String) -> Heard {
    Heard::Event(Event::Notice { message })
}

fn retry(retry: &Retry) -> String {
    let Retry { attempt, max_retries, retry_delay_ms, error_status } = retry;
    let status = error_status.map_or_else(String::new, |status| format!(" with status {status}"));
    format!("the model's server failed{status}; retry {attempt} of {max_retries} in {retry_delay_ms:.0} ms")
}

fn denied(Denied { tool_name, message }: &Denied) -> String {
    format!("{tool_name} was denied: {message}")
}
