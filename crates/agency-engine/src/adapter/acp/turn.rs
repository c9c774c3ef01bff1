//! One turn: a prompt, and what the agent says at its end.

use agency_model::Event;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, CancelNotification, ContentBlock, PromptRequest, PromptResponse, StopReason, TextContent,
};
use serde_json::value::RawValue;

use super::{Acp, Stage, Step, wire};
use crate::adapter::objects::unknown;
use crate::adapter::{CannotSay, Heard, Outcome};

impl Acp {
    /// The agent can listen: it is told the next thing, or is waited for. Says whether a turn begins.
    pub(super) fn go_on(&mut self, heard: &mut Vec<Heard>) -> bool {
        if self.opening.is_some() {
            self.stage = Stage::Idle;
        }
        let Some(prompt) = self.next_prompt() else { return false };
        self.say(prompt, heard);
        // The protocol has no word for it: the agent works from the prompt on.
        heard.push(Heard::TurnStarted);
        true
    }

    /// The request that begins a turn, if something is to be said.
    pub(super) fn next_prompt(&mut self) -> Option<Vec<u8>> {
        let session = self.session.clone()?;
        let text = self.queue.pop_front()?;
        let prompt = PromptRequest::new(session, vec![ContentBlock::Text(TextContent::new(text))]);
        Some(self.request(Step::Working, AGENT_METHOD_NAMES.session_prompt, prompt))
    }

    /// Stops the turn. Whatever the agent asks in it is answered too, or it would wait.
    pub(super) fn interrupt(&mut self) -> Result<Vec<u8>, CannotSay> {
        let (id, session) = match (&self.stage, &self.session) {
            (Stage::Waiting(id, Step::Working | Step::Stopping), Some(session)) => (*id, session.clone()),
            (Stage::Idle, _) => return Ok(vec![]),
            (Stage::Unopened | Stage::Waiting(..) | Stage::Refused(_), _) => return Err(CannotSay::NotYet),
        };
        self.stage = Stage::Waiting(id, Step::Stopping);
        let (withdrawn, replies) = self.permissions.cancelled();
        self.late.extend(withdrawn);
        // An answer that comes first would let some agents go on for a while.
        Ok([wire::notification(AGENT_METHOD_NAMES.session_cancel, CancelNotification::new(session)), replies].concat())
    }

    pub(super) fn turn_ended(&mut self, result: Option<&RawValue>, object: &str, heard: &mut Vec<Heard>) {
        let answer = std::mem::take(&mut self.answer);
        let usage = self.spent.turn(result);
        let response = wire::read(result);
        if usage.is_err() || response.is_err() {
            heard.push(unknown(object.to_owned()));
        }
        self.leave_nothing_open(heard);
        let usage = usage.unwrap_or_default();
        if !usage.is_empty() {
            heard.push(Heard::Event(Event::Usage(usage)));
        }
        let outcome = match response {
            Ok(PromptResponse { stop_reason: StopReason::EndTurn, .. }) => {
                Outcome::success((!answer.is_empty()).then_some(answer))
            }
            Ok(PromptResponse { stop_reason, .. }) => Outcome::failure(stopped(stop_reason).to_owned()),
            Err(_) => Outcome::failure("the end of the turn was not understood".to_owned()),
        };
        if let Some(message) = outcome.error.clone() {
            let wished = matches!(self.stage, Stage::Waiting(_, Step::Stopping));
            heard.push(Heard::Event(if wished { Event::Notice { message } } else { Event::Error { message } }));
        }
        self.conclude(outcome, heard);
    }

    pub(super) fn turn_failed(&mut self, message: String, heard: &mut Vec<Heard>) {
        self.answer.clear();
        self.leave_nothing_open(heard);
        heard.push(Heard::Event(Event::Error { message: message.clone() }));
        self.conclude(Outcome::failure(message), heard);
    }

    /// The agent waits for no answer and uses no tool between turns.
    fn leave_nothing_open(&mut self, heard: &mut Vec<Heard>) {
        heard.extend(self.calls.abandoned().into_iter().map(Heard::Event));
        heard.extend(self.permissions.cancelled().0);
    }

    /// A turn that another one follows at once has no result: whoever waits for a result would end the conversation.
    fn conclude(&mut self, outcome: Outcome, heard: &mut Vec<Heard>) {
        if !self.go_on(heard) {
            heard.push(Heard::Result(outcome));
        }
    }
}

fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxTokens => "the model came to the end of its tokens",
        StopReason::MaxTurnRequests => "the agent came to the end of the requests that one turn may have",
        StopReason::Refusal => "the agent refuses to go on",
        StopReason::Cancelled => "the turn was stopped",
        StopReason::EndTurn | _ => "the agent stopped for another reason than being done",
    }
}
