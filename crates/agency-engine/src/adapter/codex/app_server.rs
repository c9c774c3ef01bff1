//! Codex: `codex app-server`, which goes both ways.
//!
//! The one rule: what Codex asks is answered. A request that no human can be shown is refused, so that Codex goes on.

use std::borrow::Cow;

use agency_model::Event;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::items::{Items, Stage};
use super::notifications::{self, ItemChanged, Resolved, TurnChanged};
use super::requests::{Request, Requests};
use super::speaking::{Ours, Speaking};
use super::started::Started;
use crate::adapter::objects::{Dialect, NotUnderstood};
use crate::adapter::{CannotSay, Heard, Opening, Outcome, ToAgent, line};

/// The code for a request that is not known here.
const UNKNOWN_METHOD: i64 = -32601;

/// What must be remembered of a conversation.
#[derive(Debug)]
pub(in crate::adapter) struct AppServer {
    speaking: Speaking,
    requests: Requests,
    items: Items,
    started: Started,
    /// The last words of the turn.
    answer: Option<String>,
    /// A turn has begun since the conversation was opened: what was consumed before was told by another process.
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
    thread: Thread,
}

/// The turn in which a message was taken.
#[derive(Deserialize)]
struct Joined {
    turn: Thread,
}

#[derive(Deserialize)]
struct Thread {
    id: String,
}

impl Dialect for AppServer {
    fn hear(&mut self, object: &str, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        let Envelope { id, method, params, result, error } = serde_json::from_str(object)?;
        let params = params.map_or("{}", RawValue::get);
        match (method, id) {
            (Some(method), Some(id)) => {
                self.request(&Request { id: &id, method: &method, params }, heard);
                Ok(())
            }
            (Some(method), None) => self.notification(&method, params, heard),
            (None, Some(id)) => self.response(&id, result, error, heard),
            (None, None) => Err(NotUnderstood),
        }
    }

    fn open(&mut self) -> Vec<u8> {
        self.speaking.initialize()
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, CannotSay> {
        match to_agent {
            ToAgent::Message(text) => self.speaking.message(text).ok_or(CannotSay::NotYet),
            ToAgent::Interrupt => Ok(self.speaking.interrupt()),
            ToAgent::Answer { key, answer } => {
                let Some(reply) = self.requests.answered(key, answer)? else {
                    return Ok(vec![]);
                };
                let mut lines = line(&reply.response);
                if let Some((thread, words)) = reply.words {
                    lines.extend(self.speaking.say(&thread, &[words]));
                }
                Ok(lines)
            }
        }
    }
}

impl AppServer {
    /// A new conversation, or one that goes on.
    pub(in crate::adapter) fn talking(opening: Opening) -> Self {
        Self {
            speaking: Speaking::new(opening),
            requests: Requests::default(),
            items: Items::default(),
            started: Started::default(),
            answer: None,
            begun: false,
        }
    }

    fn request(&mut self, request: &Request<'_>, heard: &mut Vec<Heard>) {
        if let Err(NotUnderstood) = self.requests.asked(request, &self.started, heard) {
            let Request { id, method, .. } = request;
            let error = json!({ "code": UNKNOWN_METHOD, "message": format!("agency does not answer {method}") });
            heard.push(Heard::Say(line(&json!({ "id": id, "error": error }))));
            heard.push(notice(format!("the agent asked for something that nobody here can answer: {method}")));
        }
    }

    fn response(
        &mut self,
        id: &Value,
        result: Option<&RawValue>,
        error: Option<Refusal>,
        heard: &mut Vec<Heard>,
    ) -> Result<(), NotUnderstood> {
        let (id, ours) = self.speaking.asked(id).ok_or(NotUnderstood)?;
        match (ours, result, error) {
            (_, _, Some(error)) => {
                self.speaking.forget(id);
                self.refused(ours, error, heard);
            }
            (Ours::Initialize, Some(_), None) => heard.push(Heard::Say(self.speaking.initialized())),
            (Ours::Thread, Some(result), None) => {
                let Opened { thread } = serde_json::from_str(result.get())?;
                let first = self.speaking.opened(&thread.id);
                heard.push(Heard::Session(thread.id));
                heard.extend(first.map(Heard::Say));
            }
            // Notifications tell what comes of it.
            (Ours::Turn, Some(result), None) => {
                let joined = serde_json::from_str::<Joined>(result.get()).ok().map(|joined| joined.turn.id);
                heard.extend(self.speaking.joined(id, joined).map(Heard::Say));
            }
            (Ours::Interrupt, Some(_), None) => {}
            (_, None, None) => return Err(NotUnderstood),
        }
        self.speaking.answered(id);
        Ok(())
    }

    fn refused(&mut self, ours: Ours, Refusal { message }: Refusal, heard: &mut Vec<Heard>) {
        if ours == Ours::Interrupt {
            heard.push(notice(format!("the agent was not interrupted: {message}")));
            return;
        }
        heard.push(Heard::Event(Event::Error { message: message.clone() }));
        if self.speaking.refused(ours) {
            heard.push(Heard::Result(Outcome::failure(message)));
        }
    }

    fn notification(&mut self, method: &str, params: &str, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        match method {
            "item/started" => self.item(Stage::Started, serde_json::from_str(params)?, heard)?,
            "item/completed" => self.item(Stage::Completed, serde_json::from_str(params)?, heard)?,
            "turn/started" => {
                let TurnChanged { thread_id, turn } = serde_json::from_str(params)?;
                self.begun = true;
                if self.speaking.is_ours(&thread_id) {
                    self.answer = None;
                    heard.push(Heard::TurnStarted);
                    heard.extend(self.speaking.runs(turn.id).map(Heard::Say));
                }
            }
            "turn/completed" => {
                let TurnChanged { thread_id, turn } = serde_json::from_str(params)?;
                if self.speaking.is_ours(&thread_id) {
                    let (id, interrupted) = (turn.id.clone(), turn.is_interrupted());
                    heard.push(Heard::Result(turn.outcome(&mut self.answer)?));
                    self.speaking.ended();
                    heard.extend(interrupted.then(|| self.speaking.untaken(id)).flatten().map(Heard::Say));
                }
            }
            "thread/tokenUsage/updated" => {
                let usage = notifications::usage(serde_json::from_str(params)?);
                heard.extend(self.begun.then_some(Heard::Event(usage)));
            }
            "serverRequest/resolved" => {
                let Resolved { request_id } = serde_json::from_str(params)?;
                self.requests.resolved(&request_id, heard);
            }
            _ => heard.extend(notifications::hear(method, params)?.map(Heard::Event)),
        }
        Ok(())
    }

    fn item(&mut self, stage: Stage, changed: ItemChanged<'_>, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood> {
        // What ends may have begun before the words that the turn has taken since.
        if stage == Stage::Started && self.speaking.is_ours(&changed.thread_id) {
            match notifications::user_message(&changed.item) {
                Some(texts) => self.speaking.taken(&texts),
                None => self.speaking.answers(),
            }
        }
        for event in notifications::item(&mut self.items, stage, changed.item)? {
            self.started.hear(&event);
            // What a sub-agent said is no answer to the user.
            if let Event::Output { text, .. } = &event
                && self.speaking.is_ours(&changed.thread_id)
            {
                self.answer = Some(text.clone());
            }
            heard.push(Heard::Event(event));
        }
        Ok(())
    }
}

fn notice(message: String) -> Heard {
    Heard::Event(Event::Notice { message })
}
