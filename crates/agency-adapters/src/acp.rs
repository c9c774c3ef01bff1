//! The Agent Client Protocol: `gemini --acp`, `opencode acp`, and every other agent that speaks it.
//!
//! The one rule: the answer to a request of ours always leads on, also when it is not understood. A conversation that
//! waits for what has been said already would wait for ever.

mod calls;
mod content;
mod handshake;
mod permission;
mod turn;
mod updates;
mod usage;
mod wire;

use std::collections::VecDeque;

use agency_model::Event;
use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, CancelRequestNotification, Error, PROTOCOL_LEVEL_METHOD_NAMES, RequestId,
    RequestPermissionRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::calls::Calls;
use self::permission::Permissions;
use self::usage::UsageTracker;
use self::wire::WireMessage;
use super::json_lines::{Dialect, NotUnderstood, unknown, without_lone_surrogates};
use super::{EncodeError, Opening, StreamItem, ToAgent};

/// What must be remembered of a conversation.
#[derive(Debug)]
pub(super) struct Acp {
    /// Absent if the stream has one direction only.
    opening: Option<Opening>,
    stage: Stage,
    /// How many requests we have made; the last one's id.
    requests: i64,
    session: Option<String>,
    /// Messages for when the turn is over: the protocol has no queue.
    queue: VecDeque<String>,
    /// The pieces since the last tool: the result has no text.
    answer: String,
    /// The pieces of a thought that is not reported yet.
    thought: String,
    calls: Calls,
    permissions: Permissions,
    spent: UsageTracker,
    /// What follows from a message that was sent.
    pending: Vec<StreamItem>,
}

/// How far the conversation has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// Nothing has been sent.
    Unopened,
    /// The request with this id waits for its answer.
    Waiting(i64, Awaited),
    /// The agent waits for a message.
    Idle,
    /// The conversation could not begin.
    Refused(String),
}

/// What we wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Initialize,
    Session,
    /// The response to loading a session, whose history the agent sends again.
    Load,
    ReplayEnd,
    TurnEnd,
    /// The turn is to stop, and the agent has not said yet that it has.
    CancelledTurnEnd,
}

impl Default for Acp {
    fn default() -> Self {
        Self {
            opening: None,
            stage: Stage::Unopened,
            requests: 0,
            session: None,
            queue: VecDeque::new(),
            answer: String::new(),
            thought: String::new(),
            calls: Calls::default(),
            permissions: Permissions::default(),
            spent: UsageTracker::nothing(),
            pending: vec![],
        }
    }
}

impl Dialect for Acp {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        // The protocol's types leave out what they cannot read, where other dialects fail and are asked again.
        let mended = without_lone_surrogates(object);
        let message: WireMessage<'_> = serde_json::from_str(mended.as_deref().unwrap_or(object))?;
        match (message.method.as_deref(), &message.id) {
            (Some(method), Some(id)) => self.asked(method, id.clone(), message.params, object, items),
            (Some(method), None) => return self.notified(method, message.params, object, items),
            (None, Some(id)) => return self.answered(id, &message, object, items),
            (None, None) => {
                let error = wire::complaint(message.error.ok_or(NotUnderstood)?);
                let message = format!("the agent could not read the message: {error}");
                items.push(StreamItem::Event(Event::Error { message }));
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Vec<u8> {
        if self.opening.is_some() { self.initialize() } else { vec![] }
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        if self.opening.is_none() {
            return Err(EncodeError::OneWay);
        }
        if let Stage::Refused(why) = &self.stage {
            return Err(EncodeError::Invalid(format!("the conversation could not begin: {why}")));
        }
        match to_agent {
            ToAgent::Message(text) => {
                self.queue.push_back(text.clone());
                let prompt = (self.stage == Stage::Idle).then(|| self.next_prompt()).flatten();
                self.pending.extend(prompt.as_ref().map(|_| StreamItem::TurnStarted));
                Ok(prompt.unwrap_or_default())
            }
            ToAgent::Interrupt => self.interrupt(),
            ToAgent::Answer { key, answer } => self.permissions.answered(key, answer),
        }
    }

    /// An answer is one of the options that the agent offers.
    fn denial_takes_words(&self) -> bool {
        false
    }

    fn take_pending(&mut self) -> Vec<StreamItem> {
        std::mem::take(&mut self.pending)
    }

    fn finish(&mut self, items: &mut Vec<StreamItem>) {
        self.flush_thought(items);
    }
}

impl Acp {
    /// A conversation in both directions.
    pub(super) fn with_conversation(opening: Opening) -> Self {
        let spent = if opening.resume.is_some() { UsageTracker::unknown() } else { UsageTracker::nothing() };
        let queue = opening.prompt.iter().cloned().collect();
        Self { opening: Some(opening), queue, spent, ..Self::default() }
    }

    /// Whether the agent sends the history of the session.
    fn replays(&self) -> bool {
        matches!(self.stage, Stage::Waiting(_, Awaited::Load | Awaited::ReplayEnd))
    }

    fn request(&mut self, step: Awaited, method: &str, params: impl Serialize) -> Vec<u8> {
        self.requests += 1;
        self.stage = Stage::Waiting(self.requests, step);
        wire::request(self.requests, method, params)
    }

    /// A request of the agent. Whatever is not offered is refused, so that the agent does not wait for it.
    fn asked(
        &mut self,
        method: &str,
        id: RequestId,
        params: Option<&RawValue>,
        object: &str,
        items: &mut Vec<StreamItem>,
    ) {
        let is_permission = method == CLIENT_METHOD_NAMES.session_request_permission;
        if is_permission && let Ok(request) = wire::read::<RequestPermissionRequest>(params) {
            self.flush_thought(items);
            if matches!(self.stage, Stage::Waiting(_, Awaited::CancelledTurnEnd)) {
                // It was asked before the agent knew.
                return self.say(permission::cancelled(id), items);
            }
            let hidden = updates::hidden(params, &request.tool_call);
            let (used, mut wanted) = self.calls.wanted(request.tool_call);
            if let Some(used) = used {
                self.answer.clear();
                items.push(StreamItem::Event(used));
            }
            // A user must not allow what is not shown.
            wanted.detail.extend(hidden.map(|whole| format!("\n\n{whole}")));
            items.push(self.permissions.asked(id, request.options, wanted));
            return;
        }
        // opencode writes every file a second time through the client, and does without.
        let is_known = method.starts_with("fs/") || method.starts_with("terminal/");
        items.extend((!is_known).then(|| unknown(object.to_owned())));
        let error = if is_permission { Error::invalid_params() } else { Error::method_not_found() };
        self.say(wire::refusal(id, error), items);
    }

    fn notified(
        &mut self,
        method: &str,
        params: Option<&RawValue>,
        object: &str,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        if method == CLIENT_METHOD_NAMES.session_update {
            return self.updated(params, object, items);
        }
        if method != PROTOCOL_LEVEL_METHOD_NAMES.cancel_request {
            return Err(NotUnderstood);
        }
        let CancelRequestNotification { request_id, .. } = wire::read(params)?;
        if let Some((withdrawn, reply)) = self.permissions.withdrawn(&request_id) {
            items.push(withdrawn);
            self.say(reply, items);
        }
        Ok(())
    }

    /// The answer to a request of ours.
    fn answered(
        &mut self,
        id: &RequestId,
        message: &WireMessage<'_>,
        object: &str,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        let step = match &self.stage {
            Stage::Waiting(awaited, step) if *id == RequestId::Number(*awaited) => *step,
            Stage::Unopened if self.opening.is_none() => overheard(message)?,
            Stage::Unopened | Stage::Waiting(..) | Stage::Idle | Stage::Refused(_) => return Err(NotUnderstood),
        };
        self.flush_thought(items);
        match (step, message.error) {
            (Awaited::Initialize | Awaited::Session | Awaited::Load, Some(error)) => {
                self.refused(wire::complaint(error), items);
            }
            (Awaited::Initialize, None) => self.initialized(message.result, object, items),
            (Awaited::Session, None) => self.session_opened(message.result, object, items),
            (Awaited::Load, None) => self.session_loaded(items),
            (Awaited::ReplayEnd, _) => {
                self.start_next_turn(items);
            }
            (Awaited::TurnEnd | Awaited::CancelledTurnEnd, Some(error)) => {
                self.turn_failed(wire::complaint(error), items);
            }
            (Awaited::TurnEnd | Awaited::CancelledTurnEnd, None) => self.turn_ended(message.result, object, items),
        }
        Ok(())
    }

    /// A parser that only listens has nothing to say.
    fn say(&self, bytes: Vec<u8>, items: &mut Vec<StreamItem>) {
        if self.opening.is_some() {
            items.push(StreamItem::Reply(bytes));
        }
    }
}

/// What is answered here, for a parser that did not see the request.
fn overheard(message: &WireMessage<'_>) -> Result<Awaited, NotUnderstood> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Shape<'a> {
        #[serde(borrow)]
        stop_reason: Option<&'a RawValue>,
        #[serde(borrow)]
        session_id: Option<&'a RawValue>,
        #[serde(borrow)]
        protocol_version: Option<&'a RawValue>,
    }
    if message.error.is_some() {
        return Ok(Awaited::TurnEnd);
    }
    match wire::read(message.result)? {
        Shape { stop_reason: Some(_), .. } => Ok(Awaited::TurnEnd),
        Shape { session_id: Some(_), .. } => Ok(Awaited::Session),
        Shape { protocol_version: Some(_), .. } => Ok(Awaited::Initialize),
        Shape { .. } => Err(NotUnderstood),
    }
}
