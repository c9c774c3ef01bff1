//! Talking to the agent: messages, interrupts, answers, and the end of a conversation.

use std::time::Duration;

use agency_model::run::{Phase, Progress};
use agency_model::{Activity, Event};

use super::render::rendered;
use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::adapter::{Channel, EncodeError, ToAgent};
use crate::runner::Signal;
use crate::store::{Interrupt, Request, RequestOutcome, TakenRequest};

/// A message that came in mid-turn may be part of the turn, or begin another: which one is known after this time.
const NEXT_TURN_WAIT: Duration = Duration::from_secs(2);
/// How long an agent may take to begin the turn in which it hears of the end of its background tasks.
const BACKGROUND_REPORT_WAIT: Duration = Duration::from_secs(10);
/// How long an agent may take to leave when its conversation is over.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

const ESCAPE: &[u8] = b"\x1b";
const CONTROL_C: &[u8] = b"\x03";

/// How the conversation stands.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// How many messages came since the turn began.
    sent_in_turn: u32,
    /// Whether the agent was interrupted and waits for what it is to do instead.
    pub(super) lingering: bool,
    /// Whether the turn that was interrupted is over, so that the next one is about something else.
    interrupted: bool,
    /// Whether a turn is under way, for agents that say when one begins.
    in_turn: bool,
    /// How many tasks the agent runs in its background.
    background: usize,
    /// Whether the agent's input is closed, so that it cannot receive anything more.
    closed: bool,
    /// Whether we had to end the agent after its conversation was over.
    pub(super) dismissed: bool,
    /// The messages since its last turn was over.
    pub(super) unanswered: Vec<Told>,
    /// The messages that are sent as soon as it is back.
    pub(super) waiting: Vec<Told>,
    /// Whether the last process had nothing to do when it went.
    pub(super) was_idle: bool,
    /// Whether any process of the run did more than start.
    pub(super) spoke: bool,
}

/// A message, and the request that brought it, if that waits for what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) text: String,
    pub(super) number: Option<i64>,
}

impl Messages {
    /// Whether the agent had not finished what it had begun.
    pub(super) const fn is_cut_off(&self) -> bool {
        self.background > 0 || (self.dismissed && self.in_turn)
    }

    /// Why a run whose agent called itself successful is not plainly completed.
    pub(super) fn shortcoming(&self) -> Option<String> {
        match (self.background, self.dismissed) {
            (1, _) => Some("the agent ended while 1 background task was running".to_owned()),
            (2.., _) => Some(format!("the agent ended while {} background tasks were running", self.background)),
            (0, true) => Some("the agent did not exit after its last turn and was terminated".to_owned()),
            (0, false) => None,
        }
    }
}

impl Supervisor<'_> {
    /// Writes to the agent.
    pub(super) fn say(&mut self, bytes: &[u8]) {
        if let Some(agent) = &mut self.agent {
            // Input that is closed is reported where a message or an answer is passed.
            let _ = agent.type_in(bytes);
        }
    }

    /// Opens the conversation with a new process.
    pub(super) fn begin_conversation(&mut self) {
        self.messages.sent_in_turn = 0;
        self.messages.lingering = false;
        self.messages.interrupted = false;
        self.messages.in_turn = false;
        self.messages.background = 0;
        self.messages.closed = false;
        self.messages.dismissed = false;
        self.timers.disarm(&Timer::EndConversation);
        self.timers.disarm(&Timer::AgentExit);
        if !self.protocol.is_conversation() {
            return self.begin_typing();
        }
        let words = self.protocol.channel.as_mut().map(Channel::open).unwrap_or_default();
        self.say(&words);
        if self.start.opening.as_ref().is_some_and(|opening| opening.prompt.is_none()) {
            self.set_activity(Activity::Idle, "it has received no message yet", None);
        }
        for told in std::mem::take(&mut self.messages.waiting) {
            let outcome = self.pass_message(&told);
            self.finish_message(told.number, outcome);
        }
    }

    /// The agent continues: a turn that seemed to be the last one is not.
    pub(super) fn turn_goes_on(&mut self, event: &Event) {
        if event.activity().is_some() {
            self.timers.disarm(&Timer::EndConversation);
        }
    }

    /// A turn begins: the model is asked. A turn that begins by itself after the end of the conversation is finished too.
    pub(super) fn turn_begins(&mut self) {
        self.messages.in_turn = true;
        if std::mem::take(&mut self.messages.interrupted) {
            // It works on messages from before the interrupt now, and then the conversation is over.
            self.messages.lingering = false;
        }
        self.timers.disarm(&Timer::EndConversation);
        if !self.messages.dismissed {
            self.timers.disarm(&Timer::AgentExit);
        }
        self.note_progress();
        if !self.conversation.is_waiting() {
            self.set_activity(Activity::Thinking, "its turn has begun", None);
        }
    }

    /// The agent says how many tasks run in its background. When the last one is over, the agent reports on it in a turn of its own.
    pub(super) fn background_changed(&mut self, count: usize) {
        self.messages.background = count;
        self.note_progress();
        if self.messages.in_turn || self.protocol.outcome().is_none() {
            return;
        }
        self.rest();
        if count == 0 && self.may_end() && !self.timers.is_armed(&Timer::AgentExit) {
            self.timers.arm(Timer::EndConversation, BACKGROUND_REPORT_WAIT);
        }
    }

    /// What an agent does between its turns.
    fn rest(&mut self) {
        if self.conversation.is_waiting() {
            return;
        }
        match self.messages.background {
            0 => self.set_activity(Activity::Idle, "its turn is over", None),
            1 => self.set_activity(Activity::RunningCommand, "a background task runs", None),
            count => self.set_activity(Activity::RunningCommand, &format!("{count} background tasks run"), None),
        }
    }

    /// Whether the conversation is over when the agent has nothing to do.
    fn may_end(&self) -> bool {
        self.protocol.is_conversation() && !self.messages.lingering && !self.launch.stays
    }

    /// The agent's turn is over, and with it the conversation, unless a message waits or tasks run on in its
    /// background.
    pub(super) fn turn_is_over(&mut self) {
        self.messages.in_turn = false;
        self.messages.interrupted = self.messages.lingering;
        self.messages.unanswered.clear();
        self.rest();
        if !self.may_end() || self.messages.background > 0 {
            return;
        }
        let wait = if self.messages.sent_in_turn > 0 { NEXT_TURN_WAIT } else { Duration::ZERO };
        self.messages.sent_in_turn = 0;
        if wait.is_zero() {
            self.end_conversation();
        } else {
            self.timers.arm(Timer::EndConversation, wait);
        }
    }

    /// Closes the agent's input, which tells it to leave.
    pub(super) fn end_conversation(&mut self) {
        self.timers.disarm(&Timer::EndConversation);
        if let Some(agent) = &mut self.agent {
            agent.close_input();
            self.messages.closed = true;
            self.timers.arm(Timer::AgentExit, EXIT_TIMEOUT);
        }
    }

    /// The conversation is over, and the agent does not leave.
    pub(super) fn dismiss(&mut self) {
        self.timers.disarm(&Timer::AgentExit);
        let Some(agent) = &self.agent else { return };
        let grace = Duration::from_millis(self.launch.grace_ms);
        if self.messages.dismissed {
            agent.signal(Signal::KILL);
        } else {
            agent.terminate();
            self.timers.arm(Timer::AgentExit, grace);
        }
        let message = "the conversation is over and the agent does not leave; it is ended".to_owned();
        if !std::mem::replace(&mut self.messages.dismissed, true) {
            self.events.append(self.run.attempt(), Event::Notice { message });
        }
    }

    /// Does what a request asks for.
    pub(super) fn handle_request(&mut self, taken: &TakenRequest) {
        let on_screen = self.screen.is_some() && self.agent.is_some();
        let outcome = match &taken.request {
            Request::Stop { grace } => return self.feed_stop(*grace),
            Request::Answer(question) => return self.deliver_answer(question, taken.number),
            Request::Message(text) if self.is_between_processes() => {
                return self.messages.waiting.push(Told { text: text.clone(), number: Some(taken.number) });
            }
            Request::Message(text) if on_screen => return self.type_message(text, Some(taken.number)),
            Request::Message(text) => self.pass_message(&Told { text: text.clone(), number: Some(taken.number) }),
            Request::Interrupt(Interrupt::UnlessAsked) if self.is_asked() => {
                Err("it waits for an answer, which agents may not withdraw".to_owned())
            }
            Request::Interrupt(_) if on_screen => self.press_interrupt(),
            Request::Interrupt(_) => self.interrupt(),
        };
        self.finish_request(taken.number, outcome);
    }

    /// Whether the agent asks something now, also where the dialog was not looked at yet.
    fn is_asked(&mut self) -> bool {
        self.read_screen();
        self.conversation.is_waiting()
    }

    /// Stores what became of a request, for the command that waits for it.
    pub(super) fn finish_request(&mut self, number: i64, outcome: Result<String, String>) {
        let succeeded = outcome.is_ok();
        let (Ok(outcome) | Err(outcome)) = outcome;
        if let Err(error) = self.store.finish_request(number, &RequestOutcome { succeeded, outcome }) {
            self.report_store_error("what became of a request could not be stored", &error);
        }
        // Those who wait look again.
        self.waiters.clear();
    }

    /// Says what became of a message, if a request brought it.
    pub(super) fn finish_message(&mut self, number: Option<i64>, outcome: Result<String, String>) {
        if let Some(number) = number {
            self.finish_request(number, outcome);
        }
    }

    /// Whether a message has to wait for the next process of the agent: the one before has exited, and another is about to
    /// be started, or the end of the run follows, which is what the sender then learns.
    fn is_between_processes(&self) -> bool {
        let backing_off = matches!(self.run.progress, Progress::Running { phase: Phase::BackingOff, .. });
        let hears = self.protocol.is_conversation() || self.screen.is_some();
        hears && (backing_off || self.drain.is_some())
    }

    pub(super) fn pass_message(&mut self, told: &Told) -> Result<String, String> {
        let text = &told.text;
        self.tell(&ToAgent::Message(text.clone()))?;
        self.messages.unanswered.push(told.clone());
        self.messages.sent_in_turn += 1;
        self.messages.lingering = false;
        self.messages.interrupted = false;
        self.timers.disarm(&Timer::EndConversation);
        self.note_progress();
        let event = Event::Message { text: text.clone() };
        if let Some(text) = rendered(&event) {
            self.show(&text);
        }
        self.record_event(event);
        if self.activity.current == Some(Activity::Idle) {
            self.set_activity(Activity::Thinking, "it received a message", None);
        }
        Ok("sent by the agent's protocol".to_owned())
    }

    fn interrupt(&mut self) -> Result<String, String> {
        self.tell(&ToAgent::Interrupt)?;
        self.messages.lingering = true;
        self.messages.interrupted = false;
        self.timers.disarm(&Timer::EndConversation);
        let message = "interrupted; it stays and waits for a message".to_owned();
        self.record_event(Event::Notice { message });
        Ok("sent by the agent's protocol".to_owned())
    }

    /// Agents whose screens are known stop at Esc; of others Ctrl-C is the usual way.
    fn press_interrupt(&mut self) -> Result<String, String> {
        let (key, name) = if self.screen_reader.understands() { (ESCAPE, "Esc") } else { (CONTROL_C, "Ctrl-C") };
        self.type_keys(vec![key.to_vec()]);
        self.record_event(Event::Notice { message: format!("interrupted by {name}") });
        Ok(format!("pressed {name}"))
    }

    fn tell(&mut self, message: &ToAgent) -> Result<(), String> {
        if self.agent.is_none() || self.messages.closed {
            return Err("the agent is not running".to_owned());
        }
        let channel = self.protocol.channel.as_mut().ok_or(EncodeError::OneWay);
        let bytes = channel.and_then(|channel| channel.encode(message)).map_err(|error| error.to_string())?;
        self.say(&bytes);
        self.hear_what_follows();
        Ok(())
    }
}
