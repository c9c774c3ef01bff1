//! The conversation with an agent as a state machine: its turns, what it asks and is answered, the messages that it
//! receives, what it is doing, and how each of them ends.
//!
//! The one rule: [`Conversation::step`] is the only function that changes a conversation. It has no clock and does no
//! I/O. What happened comes in as an [`Input`]; [`Effect`]s are returned, whose results are inputs again.

mod activity;
mod answer;
mod dialog;
mod effect;
mod input;
mod message;
mod open_question;
mod process;
mod question;
mod screen_reading;
#[cfg(test)]
mod search;
mod timer;
mod turn;
mod typed_message;

pub use activity::{ActivityChange, Evidence};
pub use effect::{Effect, InterruptKey, RequestFailure};
pub use input::{Answerer, Input, SendError, Sent};
pub use message::{Message, MessageOrigin};
pub use open_question::{GivenAnswer, Giver, OpenQuestion, Origin};
pub use process::{Medium, ProcessStart};
pub use screen_reading::{NewScreen, ScreenReading};
pub use timer::Timer;

use dialog::Dialog;
use message::Messages;
use process::Process;
use turn::Turn;

use crate::{Activity, QuestionId};

/// What is open between an agent and its users.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Conversation {
    process: Process,
    turn: Turn,
    messages: Messages,
    activity: Option<Activity>,
    questions: Vec<OpenQuestion>,
    /// The question whose answer allowed every permission.
    allow_all: Option<QuestionId>,
    /// Whether a question was open for so long that the run is stopped.
    timed_out: bool,
    dialog: Dialog,
}

impl Conversation {
    /// Changes the conversation by one input, and returns the effects in their order.
    #[must_use]
    pub fn step(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = vec![];
        match input {
            Input::Started(start) => self.started(start, &mut effects),
            Input::Event(event) => Self::event(event, &mut effects),
            Input::Output => self.output(&mut effects),
            Input::TurnStarted => self.turn_started(&mut effects),
            Input::TurnEnded => self.turn_ended(&mut effects),
            Input::MessageTaken => self.message_taken(&mut effects),
            Input::MessageDropped => self.message_dropped(&mut effects),
            Input::BackgroundTasks(count) => self.background_tasks(count, &mut effects),
            Input::Message(message) => self.message(message, &mut effects),
            Input::MessageSent(result) => self.message_sent(result, &mut effects),
            Input::Interrupt { request, unless_asked } => self.interrupt(request, unless_asked, &mut effects),
            Input::InterruptSent { request, result } => self.interrupt_sent(request, result, &mut effects),
            Input::Asked { question, answerer } => self.asked(question, answerer, &mut effects),
            Input::Stored { id } => self.stored(&id, &mut effects),
            Input::NotStored { id } => self.not_stored(&id, &mut effects),
            Input::Decided { id, answer } => self.decided(&id, answer, &mut effects),
            Input::Answered { id, answer } => self.answered(&id, answer, &mut effects),
            Input::Sent { id, result } => self.sent(&id, result, &mut effects),
            Input::Withdrawn { key, reason } => self.withdrawn(&key, &reason, &mut effects),
            Input::ScreenRead(reading) => self.screen_read(&reading, &mut effects),
            Input::Timer(timer) => self.timer(timer, &mut effects),
            Input::Exiting => self.exiting(),
            Input::OutputRead => self.output_read(),
            Input::Exited => self.exited(&mut effects),
            Input::Restarting { resumes } => self.restarting(resumes),
            Input::RunEnded(state) => self.run_ended(state, &mut effects),
        }
        self.keep_changes_of_activity(&mut effects);
        effects
    }

    fn timer(&mut self, timer: Timer, effects: &mut Vec<Effect>) {
        match timer {
            Timer::Progress => self.no_progress(effects),
            Timer::NextTurn | Timer::SilentTurn | Timer::BackgroundReport => self.no_next_turn(effects),
            Timer::AgentExit | Timer::Termination => self.exit_overdue(effects),
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
            Timer::ConfirmMessage => self.message_overdue(effects),
            Timer::ProcessReady | Timer::PromptReady => self.assume_ready(effects),
            Timer::UnrecognisedScreen => self.unrecognised_for_long(effects),
        }
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
