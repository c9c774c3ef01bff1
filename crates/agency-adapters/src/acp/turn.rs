//! One turn: a prompt, and what the agent says at its end.

use agency_model::Event;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CancelNotification, ContentBlock, PromptRequest, PromptResponse, StopReason, TextContent,
};
use serde_json::value::RawValue;

use super::{Acp, Awaited, Stage, wire};
use crate::json_lines::unknown;
use crate::{EncodeError, Outcome, StreamItem};

impl Acp {
    /// Sends the next queued prompt, or becomes idle. Returns whether a turn begins.
    pub(super) fn start_next_turn(&mut self, items: &mut Vec<StreamItem>) -> bool {
        if self.opening.is_some() {
            self.stage = Stage::Idle;
        }
        let Some(prompt) = self.next_prompt() else { return false };
        self.say(prompt, items);
        // The protocol has no word for it: the agent works from the prompt on.
        items.push(StreamItem::TurnStarted);
        true
    }

    /// The request that begins a turn, if there is a message to send.
    pub(super) fn next_prompt(&mut self) -> Option<Vec<u8>> {
        let session = self.session.clone()?;
        let text = self.queue.pop_front()?;
        let prompt = PromptRequest::new(session, vec![ContentBlock::Text(TextContent::new(text))]);
        Some(self.request(Awaited::TurnEnd, AGENT_METHOD_NAMES.session_prompt, prompt))
    }

    /// Stops the turn. Whatever the agent asks in it is answered too, or it would wait.
    pub(super) fn interrupt(&mut self) -> Result<Vec<u8>, EncodeError> {
        let (id, session) = match (&self.stage, &self.session) {
            (Stage::Waiting(id, Awaited::TurnEnd | Awaited::CancelledTurnEnd), Some(session)) => (*id, session.clone()),
            (Stage::Idle, _) => return Ok(vec![]),
            (Stage::Unopened | Stage::Waiting(..) | Stage::Refused(_), _) => return Err(EncodeError::NotReady),
        };
        self.stage = Stage::Waiting(id, Awaited::CancelledTurnEnd);
        let (withdrawn, replies) = self.permissions.cancelled();
        self.pending.extend(withdrawn);
        // An answer that comes first would let some agents continue for a while.
        Ok([wire::notification(AGENT_METHOD_NAMES.session_cancel, CancelNotification::new(session)), replies].concat())
    }

    pub(super) fn turn_ended(&mut self, result: Option<&RawValue>, object: &str, items: &mut Vec<StreamItem>) {
        let answer = std::mem::take(&mut self.answer);
        let usage = self.spent.turn(result);
        let response = wire::read(result);
        if usage.is_err() || response.is_err() {
            items.push(unknown(object.to_owned()));
        }
        self.close_open_items(items);
        let usage = usage.unwrap_or_default();
        if !usage.is_empty() {
            items.push(StreamItem::Event(Event::Usage(usage)));
        }
        let outcome = match response {
            Ok(PromptResponse { stop_reason: StopReason::EndTurn, .. }) => {
                Outcome::success((!answer.is_empty()).then_some(answer))
            }
            Ok(PromptResponse { stop_reason, .. }) => Outcome::failure(stopped(stop_reason).to_owned()),
            Err(_) => Outcome::failure("the end of the turn was not understood".to_owned()),
        };
        if let Some(message) = outcome.error.clone() {
            let wished = matches!(self.stage, Stage::Waiting(_, Awaited::CancelledTurnEnd));
            items.push(StreamItem::Event(if wished { Event::Notice { message } } else { Event::Error { message } }));
        }
        self.conclude(outcome, items);
    }

    pub(super) fn turn_failed(&mut self, message: String, items: &mut Vec<StreamItem>) {
        self.answer.clear();
        self.close_open_items(items);
        items.push(StreamItem::Event(Event::Error { message: message.clone() }));
        self.conclude(Outcome::failure(message), items);
    }

    /// The agent waits for no answer and uses no tool between turns.
    fn close_open_items(&mut self, items: &mut Vec<StreamItem>) {
        items.extend(self.calls.abandoned().into_iter().map(StreamItem::Event));
        items.extend(self.permissions.cancelled().0);
    }

    /// A turn that another one follows at once has no result: a result would end the conversation.
    fn conclude(&mut self, outcome: Outcome, items: &mut Vec<StreamItem>) {
        if !self.start_next_turn(items) {
            items.push(StreamItem::Result(outcome));
        }
    }
}

fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxTokens => "the model reached its token limit",
        StopReason::MaxTurnRequests => "the agent reached its limit of requests per turn",
        StopReason::Refusal => "the agent refused to continue",
        StopReason::Cancelled => "the turn was stopped",
        StopReason::EndTurn | _ => "the agent stopped for an unknown reason",
    }
}
