//! `codex app-server`: a conversation in both directions.
//!
//! The one rule: every request of Codex is answered. One that cannot be shown to the user is refused, so that Codex
//! continues.

use std::borrow::Cow;

use agency_model::Event;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::client::{Client, Ours};
use super::items::{ItemStage, Items};
use super::notifications::{self, ItemChanged, Resolved, TurnChanged};
use super::open_tools::OpenTools;
use super::requests::{Request, Requests};
use crate::json_lines::{Dialect, NotUnderstood};
use crate::{EncodeError, Opening, Outcome, StreamItem, ToAgent, line};

/// The code for a request that is not known here.
const UNKNOWN_METHOD: i64 = -32601;

/// What must be remembered of a conversation.
#[derive(Debug)]
pub(crate) struct AppServer {
    client: Client,
    requests: Requests,
    items: Items,
    open_tools: OpenTools,
    /// The last words of the turn.
    answer: Option<String>,
    /// A turn has begun since the conversation was opened: what was used before was reported by another process.
    begun: bool,
}

/// Any line: a notification has a method, a request an id as well, a response only an id.
#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

#[derive(Deserialize)]
struct Opened {
    thread: HasId,
}

/// The turn in which a message was taken.
#[derive(Deserialize)]
struct Joined {
    turn: HasId,
}

#[derive(Deserialize)]
struct HasId {
    id: String,
}

impl Dialect for AppServer {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        let Envelope { id, method, params, result, error } = serde_json::from_str(object)?;
        let params = params.map_or("{}", RawValue::get);
        match (method, id) {
            (Some(method), Some(id)) => {
                self.request(&Request { id: &id, method: &method, params }, items);
                Ok(())
            }
            (Some(method), None) => self.notification(&method, params, items),
            (None, Some(id)) => self.response(&id, result, error, items),
            (None, None) => Err(NotUnderstood),
        }
    }

    fn open(&mut self) -> Vec<u8> {
        self.client.initialize()
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        match to_agent {
            ToAgent::Message(text) => self.client.message(text).ok_or(EncodeError::NotReady),
            ToAgent::Interrupt => Ok(self.client.interrupt()),
            ToAgent::Answer { key, answer } => {
                let Some(reply) = self.requests.answered(key, answer)? else {
                    return Ok(vec![]);
                };
                let mut lines = line(&reply.response);
                if let Some((thread, words)) = reply.words {
                    lines.extend(self.client.say(&thread, &[words]));
                }
                Ok(lines)
            }
        }
    }
}

impl AppServer {
    /// A new conversation, or one that is resumed.
    pub(crate) fn with_conversation(opening: Opening) -> Self {
        Self {
            client: Client::new(opening),
            requests: Requests::default(),
            items: Items::default(),
            open_tools: OpenTools::default(),
            answer: None,
            begun: false,
        }
    }

    fn request(&mut self, request: &Request<'_>, items: &mut Vec<StreamItem>) {
        if let Err(NotUnderstood) = self.requests.asked(request, &self.open_tools, items) {
            let Request { id, method, .. } = request;
            let error = json!({ "code": UNKNOWN_METHOD, "message": format!("agency does not answer {method}") });
            items.push(StreamItem::Reply(line(&json!({ "id": id, "error": error }))));
            items.push(notice(format!("the agent sent a request that is not supported: {method}")));
        }
    }

    fn response(
        &mut self,
        id: &Value,
        result: Option<&RawValue>,
        error: Option<Refusal>,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        let (id, ours) = self.client.asked(id).ok_or(NotUnderstood)?;
        match (ours, result, error) {
            (_, _, Some(error)) => {
                self.client.forget(id);
                self.refused(ours, error, items);
            }
            (Ours::Initialize, Some(_), None) => items.push(StreamItem::Reply(self.client.initialized())),
            (Ours::Thread, Some(result), None) => {
                let Opened { thread } = serde_json::from_str(result.get())?;
                let first = self.client.opened(&thread.id);
                items.push(StreamItem::Session(thread.id));
                items.extend(first.map(StreamItem::Reply));
            }
            // Notifications report what follows.
            (Ours::Turn, Some(result), None) => {
                let joined = serde_json::from_str::<Joined>(result.get()).ok().map(|joined| joined.turn.id);
                items.extend(self.client.joined(id, joined).map(StreamItem::Reply));
            }
            (Ours::Interrupt, Some(_), None) => {}
            (_, None, None) => return Err(NotUnderstood),
        }
        self.client.answered(id);
        Ok(())
    }

    fn refused(&mut self, ours: Ours, Refusal { message }: Refusal, items: &mut Vec<StreamItem>) {
        if ours == Ours::Interrupt {
            items.push(notice(format!("the agent was not interrupted: {message}")));
            return;
        }
        items.push(StreamItem::Event(Event::Error { message: message.clone() }));
        if self.client.refused(ours) {
            items.push(StreamItem::Result(Outcome::failure(message)));
        }
    }

    fn notification(&mut self, method: &str, params: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        match method {
            "item/started" => self.item(ItemStage::Started, serde_json::from_str(params)?, items)?,
            "item/completed" => self.item(ItemStage::Completed, serde_json::from_str(params)?, items)?,
            "turn/started" => {
                let TurnChanged { thread_id, turn } = serde_json::from_str(params)?;
                self.begun = true;
                if self.client.is_ours(&thread_id) {
                    self.answer = None;
                    items.push(StreamItem::TurnStarted);
                    items.extend(self.client.runs(turn.id).map(StreamItem::Reply));
                }
            }
            "turn/completed" => {
                let TurnChanged { thread_id, turn } = serde_json::from_str(params)?;
                if self.client.is_ours(&thread_id) {
                    let (id, interrupted) = (turn.id.clone(), turn.is_interrupted());
                    items.push(StreamItem::Result(turn.outcome(&mut self.answer)?));
                    self.client.ended();
                    items.extend(interrupted.then(|| self.client.untaken(id)).flatten().map(StreamItem::Reply));
                }
            }
            "thread/tokenUsage/updated" => {
                let usage = notifications::usage(serde_json::from_str(params)?);
                items.extend(self.begun.then_some(StreamItem::Event(usage)));
            }
            "serverRequest/resolved" => {
                let Resolved { request_id } = serde_json::from_str(params)?;
                self.requests.resolved(&request_id, items);
            }
            _ => items.extend(notifications::event(method, params)?.map(StreamItem::Event)),
        }
        Ok(())
    }

    fn item(
        &mut self,
        stage: ItemStage,
        changed: ItemChanged<'_>,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        // What ends may have begun before the words that the turn has taken since.
        if stage == ItemStage::Started && self.client.is_ours(&changed.thread_id) {
            match notifications::user_message(&changed.item) {
                Some(texts) => self.client.taken(&texts),
                None => self.client.answers(),
            }
        }
        for event in notifications::item(&mut self.items, stage, changed.item)? {
            self.open_tools.observe(&event);
            // The output of a sub-agent is not an answer to the user.
            if let Event::Output { text, .. } = &event
                && self.client.is_ours(&changed.thread_id)
            {
                self.answer = Some(text.clone());
            }
            items.push(StreamItem::Event(event));
        }
        Ok(())
    }
}

fn notice(message: String) -> StreamItem {
    StreamItem::Event(Event::Notice { message })
}
