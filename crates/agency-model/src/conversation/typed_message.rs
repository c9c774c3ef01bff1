//! A message that is typed on the agent's terminal.
//!
//! The one rule: a message counts as delivered when the screen shows a turn, or when no screen can show it.

use super::message::finish;
use super::{Conversation, Effect, Message, MessageOrigin, NewScreen, RequestFailure, ScreenReading, Timer};
use crate::{Activity, Event};

/// How many characters of a message are recognised on a screen; more may be wrapped.
const MATCHED_CHARS: usize = 24;

/// A message that was typed; a turn should begin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TypedMessage {
    origin: MessageOrigin,
    /// How it begins.
    beginning: String,
    /// Whether a turn should have begun by now.
    overdue: bool,
}

/// Whether a new process takes what is typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum ScreenReadiness {
    /// It has not drawn anything that does.
    #[default]
    Starting,
    /// Its terminal takes pasted text, but its screen has not been understood.
    TakesText,
    /// It had time enough, whatever its screen shows.
    Assumed,
}

impl Conversation {
    pub(super) fn type_message(&mut self, message: Message, understood: bool, effects: &mut Vec<Effect>) {
        let Message { text, origin } = message;
        if self.shows_dialog() {
            let reason = "the agent shows a question; answer it first (agency inbox)";
            return finish(origin, Err(reason.into()), effects);
        }
        if self.messages.typed.is_some() {
            let reason = "another message is being typed; send this one when that is done";
            return finish(origin, Err(reason.into()), effects);
        }
        // An escape sequence in the text could end the paste and press keys.
        let text: String =
            text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
        let beginning = text.trim().lines().next().unwrap_or_default().chars().take(MATCHED_CHARS).collect();
        effects.push(Effect::TypeMessage(text.clone()));
        effects.push(Effect::record(Event::Message { text }));
        effects.push(Effect::Arm(Timer::Progress));
        if understood {
            self.messages.typed = Some(TypedMessage { origin, beginning, overdue: false });
            effects.extend([Effect::Arm(Timer::ConfirmMessage), Effect::ReadScreen]);
        } else {
            let outcome = "typed; its screen is not recognised, so the delivery cannot be confirmed".to_owned();
            finish(origin, Ok(outcome), effects);
        }
    }

    /// Messages from the time between two processes are typed as soon as the screen of the new one is ready for them. One
    /// that is not understood gets them at once, and its terminal keeps them until they are read.
    pub(super) fn type_waiting_at_start(&mut self, understood: bool, effects: &mut Vec<Effect>) {
        if self.messages.waiting.is_empty() {
            return;
        }
        if understood {
            self.messages.readiness = ScreenReadiness::Starting;
            effects.extend([Effect::KeepNewScreen, Effect::Arm(Timer::ProcessReady), Effect::ReadScreen]);
            return;
        }
        for message in std::mem::take(&mut self.messages.waiting) {
            self.type_message(message, understood, effects);
        }
    }

    /// Types the next message that waits, if the new process shows a screen that takes it.
    pub(super) fn type_waiting(&mut self, screen: Option<NewScreen>, effects: &mut Vec<Effect>) {
        let busy = self.messages.typed.is_some() || self.shows_dialog();
        let Some(screen) = screen.filter(|_| !busy && !self.messages.waiting.is_empty()) else { return };
        if screen.takes_text && self.messages.readiness == ScreenReadiness::Starting {
            self.messages.readiness = ScreenReadiness::TakesText;
            effects.push(Effect::Arm(Timer::PromptReady));
        }
        let assumed = self.messages.readiness == ScreenReadiness::Assumed;
        if assumed || (screen.takes_text && screen.is_understood()) {
            let message = self.messages.waiting.remove(0);
            self.type_message(message, true, effects);
        }
        if self.messages.waiting.is_empty() {
            effects.push(Effect::DropNewScreen);
            effects.extend([Timer::ProcessReady, Timer::PromptReady].map(Effect::Disarm));
        }
    }

    /// The new process had time enough to show that it takes what is typed.
    pub(super) fn assume_ready(&mut self, effects: &mut Vec<Effect>) {
        self.messages.readiness = ScreenReadiness::Assumed;
        effects.push(Effect::ReadScreen);
    }

    pub(super) fn message_overdue(&mut self, effects: &mut Vec<Effect>) {
        if let Some(typed) = &mut self.messages.typed {
            typed.overdue = true;
            effects.push(Effect::ReadScreen);
        }
    }

    /// Sees whether a turn began after a message was typed.
    pub(super) fn confirm_message(&mut self, reading: &ScreenReading, effects: &mut Vec<Effect>) {
        let Some(typed) = &self.messages.typed else { return };
        // A turn may be over before the screen is read: then the text is on the screen, and no longer in the prompt.
        let over = reading.activity == Activity::Idle && reading.shows_message;
        let busy = match reading.activity {
            Activity::Thinking | Activity::Writing | Activity::RunningCommand | Activity::WaitingForUser => true,
            Activity::Setup | Activity::Starting | Activity::Idle | Activity::Unknown => false,
        };
        let taken = (busy || over) && !reading.typing;
        let outcome = match (taken, typed.overdue, reading.activity) {
            (true, _, activity) => Ok(format!("typed; the agent is {activity} ({})", reading.evidence)),
            (false, true, Activity::Unknown) => Ok("typed; the screen that followed is not understood".to_owned()),
            (false, true, activity) => Err(format!("typed, but no turn began: the agent is {activity}").into()),
            (false, false, _) => return,
        };
        self.typed_message_ended(outcome, effects);
    }

    pub(super) fn typed_message_failed(&mut self, reason: &str, effects: &mut Vec<Effect>) {
        self.typed_message_ended(Err(reason.into()), effects);
    }

    fn typed_message_ended(&mut self, outcome: Result<String, RequestFailure>, effects: &mut Vec<Effect>) {
        if let Some(typed) = self.messages.typed.take() {
            effects.push(Effect::Disarm(Timer::ConfirmMessage));
            finish(typed.origin, outcome, effects);
        }
    }

    /// How the message begins that was typed and is not confirmed.
    #[must_use]
    pub fn typed_message(&self) -> Option<&str> {
        self.messages.typed.as_ref().map(|typed| typed.beginning.as_str())
    }

    /// Whether a message waits for the screen.
    pub(super) fn message_needs_screen(&self) -> bool {
        self.messages.typed.is_some() || !self.messages.waiting.is_empty()
    }
}
