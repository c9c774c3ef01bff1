//! Claude Code: `claude -p --output-format stream-json --verbose`, and the same with `--input-format stream-json`.

use agency_model::Event;
use serde::Deserialize;
use serde_json::json;

use super::content::{Block, ContentMessage, Pieces, output};
use super::control::Requests;
use super::message_ids::MessageIds;
use super::plans::Plans;
use super::{background, control, limits};
use crate::json_lines::{Dialect, Head, NotUnderstood, unknown, without_lone_surrogates};
use crate::tools::Tools;
use crate::{EncodeError, Opening, StreamItem, ToAgent};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(crate) struct Claude {
    session: Option<String>,
    tools: Tools,
    /// The last `total_cost_usd`, which counts the whole conversation.
    pub(super) total_cost: f64,
    requests: Requests,
    plans: Plans,
    /// Absent if the stream has one direction only.
    opening: Option<Opening>,
    /// How many requests we have made.
    asked: u64,
    /// Whether there was a message after the prompt.
    messaged: bool,
    message_ids: MessageIds,
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
struct Said<M> {
    message: M,
    is_api_error_message: Option<bool>,
    /// The tool use whose sub-agent says it.
    parent_tool_use_id: Option<String>,
    #[serde(rename = "isReplay")]
    is_replay: Option<bool>,
}

impl Dialect for Claude {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        // Almost all that it says begins so, and what is said is read in one pass; whatever does not fit is looked at again.
        let before = items.len();
        if object.starts_with(r#"{"type":"assistant""#)
            && let Ok(said) = serde_json::from_str(object)
            && self.assistant(said, items).is_ok()
        {
            return Ok(());
        }
        if object.starts_with(r#"{"type":"user""#)
            && let Ok(said) = serde_json::from_str(object)
            && self.user(said, items).is_ok()
        {
            return Ok(());
        }
        items.truncate(before);
        let head: Head<'_> = serde_json::from_str(object)?;
        match (head.kind.as_ref(), head.subtype.as_deref()) {
            ("system", Some("init")) => {
                let Init { session_id } = serde_json::from_str(object)?;
                crate::session(&mut self.session, session_id, items);
                // Some agents with this protocol send it before the first message.
                items.extend(self.was_told().then_some(StreamItem::TurnStarted));
            }
            ("system", Some("api_retry")) => {
                let message = retry(&serde_json::from_str(object)?);
                items.push(StreamItem::Event(Event::Error { message }));
            }
            ("system", Some("permission_denied")) => items.push(notice(denied(&serde_json::from_str(object)?))),
            ("system", Some("background_tasks_changed")) => items.push(background::changed(object)?),
            ("system", Some(subtype @ ("task_started" | "task_progress" | "task_notification"))) => {
                items.push(background::task(subtype, object)?);
            }
            ("system", Some("compact_boundary")) => items.push(StreamItem::Event(limits::compacted(object)?)),
            ("rate_limit_event", _) => items.push(StreamItem::Event(limits::rate_limit(object)?)),
            // Pieces of what follows as a whole, how far the model's thoughts have come, and states that follow from the rest.
            ("stream_event" | "tool_progress", _) | ("system", Some("thinking_tokens" | "task_updated" | "status")) => {
            }
            ("command_lifecycle", _) => items.extend(self.message_ids.reported(object)?),
            ("control_response", _) => items.extend(control::refused(serde_json::from_str(object)?).map(notice)),
            ("control_request", _) => self.requests.asked(serde_json::from_str(object)?, &self.plans, items),
            ("control_cancel_request", _) => self.requests.cancelled(&serde_json::from_str(object)?, items),
            ("assistant", _) => self.assistant(piece_by_piece(object)?, items)?,
            ("user", _) => self.user(piece_by_piece(object)?, items)?,
            ("result", Some(subtype)) => self.result(subtype, serde_json::from_str(object)?, items),
            _ => return Err(NotUnderstood),
        }
        Ok(())
    }

    fn open(&mut self) -> Vec<u8> {
        let prompt = self.opening.as_ref().and_then(|opening| opening.prompt.as_deref());
        prompt.map(|prompt| message(prompt, self.message_ids.next())).unwrap_or_default()
    }

    fn identify_from(&mut self, first: u128) {
        self.message_ids = MessageIds::from(first);
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        if self.opening.is_none() {
            return Err(EncodeError::OneWay);
        }
        match to_agent {
            ToAgent::Message(text) => {
                self.messaged = true;
                Ok(message(text, self.message_ids.next()))
            }
            ToAgent::Interrupt => {
                self.asked += 1;
                let id = format!("agency-{}", self.asked);
                let request = json!({ "subtype": "interrupt" });
                Ok(crate::line(&json!({ "type": "control_request", "request_id": id, "request": request })))
            }
            ToAgent::Answer { key, answer } => {
                Ok(self.requests.answered(key, answer)?.as_ref().map(crate::line).unwrap_or_default())
            }
        }
    }
}

impl Claude {
    /// A conversation in both directions.
    pub(crate) fn with_conversation(opening: Opening) -> Self {
        Self { opening: Some(opening), ..Self::default() }
    }

    /// Whether it has something to do.
    fn was_told(&self) -> bool {
        self.messaged || self.opening.as_ref().is_none_or(|opening| opening.prompt.is_some())
    }

    fn assistant(&mut self, said: Said<ContentMessage<'_>>, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        let parent = || said.parent_tool_use_id.clone();
        let blocks = said.message.content.blocks();
        let mut understood = blocks.is_empty();
        for block in blocks {
            let event = match (block.kind.as_ref(), block.text, block.thinking, block.name) {
                ("text", Some(text), _, _) if said.is_api_error_message == Some(true) => {
                    Event::Error { message: text.into_string() }
                }
                ("text", Some(text), _, _) => Event::Output { text: text.into_string(), parent_tool_id: parent() },
                ("thinking", _, Some(text), _) => Event::Thinking { text, parent_tool_id: parent() },
                ("tool_use" | "server_tool_use", _, _, Some(tool_name)) => {
                    if let Some(id) = &block.id {
                        self.tools.opened(id, &tool_name);
                    }
                    let input = block.input.unwrap_or_default();
                    Event::ToolUse { tool_name, input, tool_id: block.id, parent_tool_id: parent() }
                }
                _ => {
                    items.push(unknown(block.raw.ok_or(NotUnderstood)?.to_owned()));
                    continue;
                }
            };
            understood = true;
            self.plans.observe(&event);
            items.push(StreamItem::Event(event));
        }
        // A message of which nothing is understood is kept whole.
        if understood { Ok(()) } else { Err(NotUnderstood) }
    }

    fn user(&mut self, said: Said<ContentMessage<'_>>, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        // An echo of a message that was sent.
        if said.is_replay == Some(true) {
            return Ok(());
        }
        let blocks = said.message.content.blocks();
        let known = |block: &Block<'_>| match block.kind.as_ref() {
            "text" => block.text.is_some(),
            "tool_result" => block.tool_use_id.is_some(),
            _ => false,
        };
        // A tool is closed once: nothing is taken in before all of it is understood, or read block by block.
        let whole = blocks.iter().all(|block| known(block) || block.raw.is_some());
        if !whole || !(blocks.is_empty() || blocks.iter().any(known)) {
            return Err(NotUnderstood);
        }
        for mut block in blocks {
            let output = output(block.content.take());
            items.push(match (block.kind.as_ref(), block.text, block.tool_use_id) {
                ("text", Some(text), _) => notice(text.into_string()),
                ("tool_result", _, Some(id)) => StreamItem::Event(Event::ToolResult {
                    tool_name: self.tools.closed(&id).unwrap_or_else(crate::unnamed),
                    output,
                    success: block.is_error != Some(true),
                    tool_id: Some(id),
                    parent_tool_id: said.parent_tool_use_id.clone(),
                }),
                _ => unknown(block.raw.ok_or(NotUnderstood)?.to_owned()),
            });
        }
        Ok(())
    }
}

/// A message with a block that is not understood. Half characters are mended before it is taken apart.
fn piece_by_piece(object: &str) -> Result<Said<ContentMessage<'_>>, NotUnderstood> {
    if without_lone_surrogates(object).is_some() {
        return Err(NotUnderstood);
    }
    let Ok(said) = serde_json::from_str::<Said<Pieces<'_>>>(object) else {
        // Its content is a text.
        return Ok(serde_json::from_str(object)?);
    };
    Ok(Said {
        message: said.message.into(),
        is_api_error_message: said.is_api_error_message,
        parent_tool_use_id: said.parent_tool_use_id,
        is_replay: said.is_replay,
    })
}

fn message(text: &str, id: Option<String>) -> Vec<u8> {
    let message = json!({ "role": "user", "content": text });
    crate::line(&match id {
        Some(id) => json!({ "type": "user", "uuid": id, "message": message }),
        None => json!({ "type": "user", "message": message }),
    })
}

fn notice(message: String) -> StreamItem {
    StreamItem::Event(Event::Notice { message })
}

fn retry(retry: &Retry) -> String {
    let Retry { attempt, max_retries, retry_delay_ms, error_status } = retry;
    let status = error_status.map_or_else(String::new, |status| format!(" with status {status}"));
    format!("the model's server failed{status}; retry {attempt} of {max_retries} in {retry_delay_ms:.0} ms")
}

fn denied(Denied { tool_name, message }: &Denied) -> String {
    format!("{tool_name} was denied: {message}")
}
