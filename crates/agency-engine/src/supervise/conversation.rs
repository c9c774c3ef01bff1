//! Drives the state machine of the conversation: performs its effects and feeds their results back.
//!
//! The one rule: inputs are handled one after the other, also those that arise while an effect is performed.

use std::collections::VecDeque;
use std::time::Duration;

use agency_adapters::screen::ScreenRules;
use agency_model::conversation::{Conversation, Effect, Input, Timer as ConversationTimer};
use agency_model::run::{self, StopCause};
use tracing::trace;

use super::Supervisor;
use super::asked_question::AskedQuestions;
use super::screen_reader::READ_INTERVAL;
use super::timers::Timer;
use crate::variant_name::variant_name;

/// A message that came in mid-turn may be part of the turn, or begin another: which one is known after this time.
const NEXT_TURN_WAIT: Duration = Duration::from_secs(2);
/// How long an agent may be silent in the turn of a message if it need not report that the turn began: a model may think
/// for long before the first word.
const SILENT_TURN_WAIT: Duration = Duration::from_secs(60);
/// How long an agent may take to begin the turn in which it reports on the end of its background tasks.
const BACKGROUND_REPORT_WAIT: Duration = Duration::from_secs(10);
/// How long an agent may take to exit when its conversation is over.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a dialog may stay after it was answered, or a message be without effect.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(8);
/// How long a process may take to show that it takes what is typed; some need a minute on a busy machine.
const READY_TIMEOUT: Duration = Duration::from_secs(120);

/// An answer whose giver could not notify the supervisor is found after this.
const REQUEST_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// A question that could not be stored is tried again after this.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The conversation, and the inputs that it has not handled yet.
#[derive(Debug, Default)]
pub(super) struct ConversationDriver {
    state: Conversation,
    /// The questions as they were asked.
    pub(super) asked: AskedQuestions,
    inputs: VecDeque<Input>,
    is_handling: bool,
}

impl std::ops::Deref for ConversationDriver {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        &self.state
    }
}

impl Supervisor<'_> {
    /// Feeds one input to the conversation and performs what follows.
    pub(super) fn converse(&mut self, input: Input) {
        self.conversation.inputs.push_back(input);
        if std::mem::replace(&mut self.conversation.is_handling, true) {
            return;
        }
        while let Some(input) = self.conversation.inputs.pop_front() {
            for effect in self.conversation.state.step(input) {
                self.perform(effect);
            }
        }
        self.conversation.is_handling = false;
    }

    fn perform(&mut self, effect: Effect) {
        trace!(effect = %variant_name(&effect), "effect of the conversation");
        match effect {
            Effect::RecordEvent { event, shown } => self.record_event(*event, shown),
            Effect::RecordActivity(change) => self.record_activity(change),
            Effect::SendMessage(text) => self.send_message(text),
            Effect::TypeMessage(text) => self.type_message(&text),
            Effect::SendInterrupt { request } => self.send_interrupt(request),
            Effect::PressKey(key) => self.press_key(key),
            Effect::CloseInput => self.process.close_input(),
            Effect::TerminateAgent => self.process.terminate(),
            Effect::KillAgent => self.process.kill(),
            Effect::StoreQuestion(id) => self.store_question(&id),
            Effect::AnnounceQuestion(id) => self.announce_question(&id),
            Effect::ConsultPolicy(id) => self.consult_policy(&id),
            Effect::Notify(id) => self.notify_question(&id),
            Effect::StoreRuleAnswer { id, answer, by } => self.store_rule_answer(&id, &answer, &by),
            Effect::SendAnswer { id, answer } => self.send_answer(&id, answer),
            Effect::TypeAnswer { id, answer } => self.type_answer(&id, &answer),
            Effect::Settle { id, given, outcome } => self.settle_question(&id, given, &outcome),
            Effect::Expire { id, reason } => self.expire_question(&id, &reason),
            Effect::AskAgain(id) => self.ask_user_again(&id),
            Effect::Forget(id) => drop(self.conversation.asked.remove(&id)),
            Effect::FinishRequest { request, outcome } => self.finish_request(request, outcome),
            Effect::AskAboutDialog => self.ask_about_dialog(),
            Effect::AskAboutScreen => self.ask_about_screen(),
            Effect::KeepNewScreen => self.keep_new_screen(),
            Effect::DropNewScreen => self.screen_reader.new_screen = None,
            Effect::ReadScreen => self.timers.arm_once(Timer::ReadScreen, READ_INTERVAL),
            Effect::ReadScreenNow => self.timers.arm(Timer::ReadScreen, Duration::ZERO),
            Effect::Arm(timer) => self.arm_conversation_timer(timer),
            Effect::Disarm(timer) => self.timers.disarm(&Timer::Conversation(timer)),
            Effect::StopForNoAnswer => self.feed(&run::Input::Stop(StopCause::NoAnswer)),
            Effect::StopForNoProgress => self.feed(&run::Input::Stop(StopCause::NoProgress)),
        }
    }

    fn arm_conversation_timer(&mut self, timer: ConversationTimer) {
        let limit = |ms: Option<u64>| ms.map(Duration::from_millis);
        let after = match &timer {
            ConversationTimer::Progress => limit(self.launch.no_progress_ms),
            ConversationTimer::NextTurn => Some(NEXT_TURN_WAIT),
            ConversationTimer::SilentTurn => Some(SILENT_TURN_WAIT),
            ConversationTimer::BackgroundReport => Some(BACKGROUND_REPORT_WAIT),
            ConversationTimer::AgentExit => Some(EXIT_TIMEOUT),
            ConversationTimer::Termination => limit(Some(self.launch.grace_ms)),
            ConversationTimer::StoreQuestion => Some(STORE_RETRY_DELAY),
            ConversationTimer::QuestionLimit(_) => limit(self.launch.question_ms),
            ConversationTimer::PollRequests => {
                return self.timers.arm_once(Timer::Conversation(timer), REQUEST_POLL_INTERVAL);
            }
            ConversationTimer::DialogDelay(_) => self.screen_reader.rules().map(ScreenRules::answer_delay),
            ConversationTimer::ConfirmAnswer | ConversationTimer::ConfirmMessage | ConversationTimer::PromptReady => {
                Some(CONFIRM_TIMEOUT)
            }
            ConversationTimer::ProcessReady => Some(READY_TIMEOUT),
            ConversationTimer::UnrecognisedScreen => limit(self.launch.unknown_ms),
        };
        if let Some(after) = after {
            self.timers.arm(Timer::Conversation(timer), after);
        }
    }

    /// Handles a timer of the conversation, after what has to be known first.
    pub(super) fn handle_conversation_timer(&mut self, timer: ConversationTimer) {
        match &timer {
            ConversationTimer::StoreQuestion => self.renew_store(),
            ConversationTimer::PollRequests => self.poll_requests(),
            // What it shows now may be known already.
            ConversationTimer::UnrecognisedScreen => self.read_screen(),
            ConversationTimer::QuestionLimit(_)
            | ConversationTimer::DialogDelay(_)
            | ConversationTimer::ConfirmAnswer
            | ConversationTimer::ConfirmMessage
            | ConversationTimer::ProcessReady
            | ConversationTimer::PromptReady
            | ConversationTimer::Progress
            | ConversationTimer::NextTurn
            | ConversationTimer::SilentTurn
            | ConversationTimer::BackgroundReport
            | ConversationTimer::AgentExit
            | ConversationTimer::Termination => {}
        }
        self.converse(Input::Timer(timer));
    }

    /// Finds answers whose command died before it could notify the supervisor.
    fn poll_requests(&mut self) {
        self.renew_store();
        if self.store.has_requests(&self.id).unwrap_or(false) {
            self.handle_requests();
        }
    }
}
