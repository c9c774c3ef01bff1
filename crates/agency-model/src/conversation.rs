//! The conversation with an agent as a state machine: what it asks, what it is answered, and how each question ends.
//!
//! The one rule: [`Conversation::step`] is the only function that changes a conversation. It has no clock and does no
//! I/O. What happened comes in as an [`Input`]; what is to be done goes out as [`Effect`]s, whose results are inputs again.

mod answer;
mod dialog;
mod effect;
mod input;
mod open_question;
mod question;
#[cfg(test)]
mod search;

pub use dialog::ScreenReading;
pub use effect::{Effect, Timer};
pub use input::{Answerer, Input, SendError, Sent};
pub use open_question::{GivenAnswer, Giver, OpenQuestion, Origin};

use dialog::Dialog;

use crate::QuestionId;

/// What is open between an agent and its users.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Conversation {
    questions: Vec<OpenQuestion>,
    /// The question whose answer allowed every permission.
    allow_all: Option<QuestionId>,
    /// Whether a question was open for so long that the run is stopped.
    timed_out: bool,
    dialog: Dialog,
}

impl Conversation {
    /// Changes the conversation by one input, and returns what is to be done, in this order.
    #[must_use]
    pub fn step(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = vec![];
        match input {
            Input::Asked { question, answerer } => self.asked(question, answerer, &mut effects),
            Input::Stored { id } => self.stored(&id, &mut effects),
            Input::NotStored { id } => self.not_stored(&id, &mut effects),
            Input::Decided { id, answer } => self.decided(&id, answer, &mut effects),
            Input::Answered { id, answer } => self.answered(&id, answer, &mut effects),
            Input::Sent { id, result } => self.sent(&id, result, &mut effects),
            Input::Withdrawn { key, reason } => self.withdrawn(&key, &reason, &mut effects),
            Input::ScreenRead(reading) => self.screen_read(&reading, &mut effects),
            Input::Timer(timer) => self.timer(timer, &mut effects),
            Input::Exited => self.exited(&mut effects),
        }
        effects
    }

    fn timer(&mut self, timer: Timer, effects: &mut Vec<Effect>) {
        match timer {
            Timer::StoreQuestion => self.store_again(effects),
            Timer::QuestionLimit(_) => {
                self.timed_out = true;
                effects.push(Effect::StopForNoAnswer);
            }
            Timer::PollRequests => {
                if self.may_be_answered() {
                    effects.push(Effect::Arm(Timer::PollRequests));
                }
            }
            Timer::DialogDelay(id) => self.dialog_takes_keys(&id, effects),
            Timer::ConfirmAnswer => self.answer_overdue(effects),
            Timer::UnrecognisedScreen => self.unrecognised_for_long(effects),
        }
    }

    /// The process is gone: nothing that it asked waits any longer.
    fn exited(&mut self, effects: &mut Vec<Effect>) {
        self.questions_end(effects);
        self.dialog = Dialog::default();
        effects.extend(Timer::of_process().map(Effect::Disarm));
    }

    /// Whether the agent waits for a user.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.questions.iter().any(|question| question.origin.is_agent() && !question.is_being_answered())
    }

    /// Whether an answer may come.
    #[must_use]
    pub fn may_be_answered(&self) -> bool {
        self.questions.iter().any(|question| !question.is_being_answered())
    }

    /// Whether a question was open for too long.
    #[must_use]
    pub const fn timed_out(&self) -> bool {
        self.timed_out
    }

    /// The questions that are stored and wait for an answer.
    pub fn stored_questions(&self) -> impl Iterator<Item = &OpenQuestion> {
        self.questions.iter().filter(|question| question.is_open())
    }
}
