//! The delivery of a message to the agent.
//!
//! The one rule: a message reaches the agent, or its sender gets the reason why it did not.

use std::collections::VecDeque;

use super::process::ProcessStage;
use super::typed_message::{ScreenReadiness, TypedMessage};
use super::{Conversation, Effect, Evidence, InterruptKey, Medium, RequestFailure, Timer};
use crate::run::State;
use crate::{Activity, Event};

const NOT_RUNNING: &str = "the agent is not running";
const WRITTEN: &str = "sent by the agent's protocol";

/// A message for the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Where it comes from.
    pub origin: MessageOrigin,
}

/// Where a message comes from, and so where its outcome goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageOrigin {
    /// The request with this number, which waits for the outcome.
    Request(i64),
    /// A denial that had no place for its text.
    Denial,
    /// A process before, which may not have read it. Its sender has an outcome.
    Repeated,
}

/// The messages that have no end yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Messages {
    /// Those that are being written by the protocol, in order.
    sending: VecDeque<Message>,
    /// Those that wait for the next process.
    pub(super) waiting: Vec<Message>,
    /// The one that was typed, until the screen shows whether it was taken.
    pub(super) typed: Option<TypedMessage>,
    /// The texts that have had no turn that is over, which the agent may not have read.
    unanswered: Vec<String>,
    pub(super) readiness: ScreenReadiness,
}

impl Conversation {
    pub(super) fn message(&mut self, message: Message, effects: &mut Vec<Effect>) {
        match (self.process.medium, self.process.stage) {
            (Medium::Protocol | Medium::Screen { .. }, ProcessStage::Exiting | ProcessStage::Gone) => {
                self.messages.waiting.push(message);
            }
            (Medium::Screen { understood }, ProcessStage::Running) => self.type_message(message, understood, effects),
            (Medium::Protocol, ProcessStage::Running)
            | (Medium::OneWay, ProcessStage::Running | ProcessStage::Exiting) => self.send_message(message, effects),
            (Medium::OneWay, ProcessStage::Gone) => finish(message.origin, Err(NOT_RUNNING.into()), effects),
        }
    }

    fn send_message(&mut self, message: Message, effects: &mut Vec<Effect>) {
        if self.input_is_open() {
            effects.push(Effect::SendMessage(message.text.clone()));
            self.messages.sending.push_back(message);
        } else {
            finish(message.origin, Err(NOT_RUNNING.into()), effects);
        }
    }

    /// Sends what came in while there was no process.
    pub(super) fn send_waiting(&mut self, effects: &mut Vec<Effect>) {
        for message in std::mem::take(&mut self.messages.waiting) {
            self.send_message(message, effects);
        }
    }

    pub(super) fn message_sent(&mut self, result: Result<(), RequestFailure>, effects: &mut Vec<Effect>) {
        let Some(Message { text, origin }) = self.messages.sending.pop_front() else { return };
        if let Err(reason) = result {
            return finish(origin, Err(reason), effects);
        }
        self.messages.unanswered.push(text.clone());
        self.turn_has_message(effects);
        effects.push(Effect::Arm(Timer::Progress));
        effects.push(Effect::RecordEvent { event: Box::new(Event::Message { text }), shown: true });
        if self.activity == Some(Activity::Idle) {
            let evidence = Evidence::Fact("it received a message".to_owned());
            effects.push(Effect::activity(Activity::Thinking, evidence));
        }
        finish(origin, Ok(WRITTEN.to_owned()), effects);
    }

    /// Interrupts the agent. An interrupt withdraws questions, so a caller that may not answer may not do it then.
    pub(super) fn interrupt(&self, request: i64, unless_asked: bool, effects: &mut Vec<Effect>) {
        let refuse = |reason: &str| Effect::FinishRequest { request, outcome: Err(reason.into()) };
        if unless_asked && self.is_waiting() {
            return effects.push(refuse("it waits for an answer, which agents may not withdraw"));
        }
        match (self.process.medium, self.process.stage) {
            (_, ProcessStage::Gone) => effects.push(refuse(NOT_RUNNING)),
            (Medium::Screen { understood }, ProcessStage::Running | ProcessStage::Exiting) => {
                // Agents whose screens are known stop at Esc; of others Ctrl-C is the usual way.
                let key = if understood { InterruptKey::Escape } else { InterruptKey::ControlC };
                let message = format!("interrupted by {key}");
                effects.extend([Effect::PressKey(key), Effect::record(Event::Notice { message })]);
                effects.push(Effect::FinishRequest { request, outcome: Ok(format!("pressed {key}")) });
            }
            (Medium::Protocol | Medium::OneWay, ProcessStage::Running | ProcessStage::Exiting) => {
                let open = self.input_is_open();
                effects.push(if open { Effect::SendInterrupt { request } } else { refuse(NOT_RUNNING) });
            }
        }
    }

    pub(super) fn interrupt_sent(
        &mut self,
        request: i64,
        result: Result<(), RequestFailure>,
        effects: &mut Vec<Effect>,
    ) {
        if result.is_ok() {
            self.turn_is_interrupted(effects);
            let message = "interrupted; it stays and waits for a message".to_owned();
            effects.push(Effect::record(Event::Notice { message }));
        }
        effects.push(Effect::FinishRequest { request, outcome: result.map(|()| WRITTEN.to_owned()) });
    }

    /// The next process is about to be started. One that does not resume the conversation gets its messages again: no
    /// other process has them.
    pub(super) fn restarting(&mut self, resumes: bool) {
        if !resumes {
            let repeated = std::mem::take(&mut self.messages.unanswered).into_iter();
            let repeated = repeated.map(|text| Message { text, origin: MessageOrigin::Repeated });
            self.messages.waiting.splice(0..0, repeated);
        }
    }

    pub(super) fn messages_end(&mut self, state: State, effects: &mut Vec<Effect>) {
        let sending = std::mem::take(&mut self.messages.sending);
        for message in sending.into_iter().chain(std::mem::take(&mut self.messages.waiting)) {
            let reason = format!("the run is {state} now, and the message was not delivered");
            finish(message.origin, Err(reason.into()), effects);
        }
    }

    /// The texts that have had no turn that is over, and that the agent may not have read.
    #[must_use]
    pub fn unanswered(&self) -> &[String] {
        &self.messages.unanswered
    }

    /// Forgets the texts that have had their turn: all but the newest, which are so many.
    pub(super) fn forget_unanswered(&mut self, awaited: usize) {
        let answered = self.messages.unanswered.len().saturating_sub(awaited);
        self.messages.unanswered.drain(..answered);
    }
}

/// Reports the outcome of a message.
pub(super) fn finish(origin: MessageOrigin, outcome: Result<String, RequestFailure>, effects: &mut Vec<Effect>) {
    let lost = |what: &str, reason: RequestFailure| {
        let message = format!("{what} could not be sent: {reason}");
        Effect::record(Event::Error { message })
    };
    match (origin, outcome) {
        (MessageOrigin::Request(request), outcome) => effects.push(Effect::FinishRequest { request, outcome }),
        (MessageOrigin::Denial | MessageOrigin::Repeated, Ok(_)) => {}
        (MessageOrigin::Denial, Err(reason)) => effects.push(lost("the reason of the denial", reason)),
        (MessageOrigin::Repeated, Err(reason)) => effects.push(lost("a message from before the crash", reason)),
    }
}
