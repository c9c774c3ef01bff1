//! A conversation together with what its effects did to the world.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::*;
use crate::{Activity, Answer, Event, QuestionKey, QuestionKind};

/// A conversation together with what its effects did to the world.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct World {
    pub(super) conversation: Conversation,
    /// Effects whose results are the next inputs.
    pub(super) pending: VecDeque<Pending>,
    /// What the database has of each question.
    pub(super) rows: BTreeMap<QuestionId, Row>,
    /// How many ids were given.
    pub(super) asked: usize,
    /// The requests of humans that were not read yet, and those that were and have no outcome.
    pub(super) unread: Vec<(i64, QuestionId)>,
    pub(super) unfinished: BTreeSet<i64>,
    /// How many answers, and how many messages and interrupts were given.
    pub(super) answers: i64,
    pub(super) sent: i64,
    pub(super) armed: BTreeSet<Timer>,
    pub(super) screen: Option<QuestionKey>,
    pub(super) process: AgentProcess,
    /// How many texts of denials have not been sent yet.
    pub(super) denials: usize,
    /// The messages that the process before may not have read, and that the next one has not got yet.
    pub(super) repeated: BTreeSet<String>,
    activity: Option<Activity>,
}

/// The process of the agent.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct AgentProcess {
    pub(super) number: usize,
    pub(super) stage: Stage,
    /// The messages that it got.
    texts: BTreeSet<String>,
    /// Whether its last turn is over, and nothing says that it works on another one.
    pub(super) is_idle: bool,
    pub(super) background_tasks: usize,
    /// How many messages, the prompt among them, have had no turn.
    pub(super) awaited: usize,
    /// Whether it reports of each message that it is part of a turn.
    pub(super) reports_messages: bool,
    pub(super) is_closed: bool,
    is_terminated: bool,
    pub(super) is_killed: bool,
    pub(super) has_new_screen: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) enum Stage {
    #[default]
    None,
    Running,
    Exiting,
    OutputRead,
    RunEnded,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Row {
    pub(super) key: QuestionKey,
    pub(super) origin: Origin,
    pub(super) kind: QuestionKind,
    pub(super) answer: Option<(Answer, Giver)>,
    pub(super) sent: bool,
    pub(super) ended: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Pending {
    Store(QuestionId),
    Policy(QuestionId),
    RuleAnswer(QuestionId, Answer),
    Send(QuestionId),
    Ask { key: QuestionKey, origin: Origin, kind: QuestionKind, answerer: Answerer },
    Message(String),
    Interrupt(i64),
}

impl World {
    /// The world after an input and its effects.
    pub(super) fn after(&self, input: &Input) -> Self {
        let mut world = self.clone();
        world.happens(input);
        for effect in world.conversation.step(input.clone()) {
            world.perform(effect, (self, input));
        }
        world
    }

    fn happens(&mut self, input: &Input) {
        match input {
            Input::Started(start) => {
                let (number, awaited) = (self.process.number + 1, usize::from(start.has_prompt));
                self.process = AgentProcess { number, stage: Stage::Running, awaited, ..AgentProcess::default() };
            }
            Input::Event(_) | Input::TurnStarted => self.process.is_idle = false,
            Input::MessageSent(Ok(())) => {
                self.process.is_idle = false;
                self.process.awaited += 1;
            }
            Input::MessageTaken => {
                (self.process.is_idle, self.process.reports_messages) = (false, true);
                self.process.awaited = self.process.awaited.saturating_sub(1);
            }
            Input::MessageDropped => {
                self.process.reports_messages = true;
                self.process.awaited = self.process.awaited.saturating_sub(1);
            }
            Input::TurnEnded => {
                self.process.is_idle = true;
                if !self.process.reports_messages {
                    self.process.awaited = self.process.awaited.saturating_sub(1);
                }
            }
            Input::BackgroundTasks(count) => self.process.background_tasks = *count,
            Input::Message(Message { origin: MessageOrigin::Request(request), .. })
            | Input::Interrupt { request, .. } => {
                self.sent += 1;
                self.unfinished.insert(*request);
            }
            Input::Asked { question, .. } => {
                self.asked += 1;
                self.process.is_idle &= question.origin != Origin::Protocol;
            }
            Input::Timer(timer) => {
                assert!(self.armed.remove(timer));
                if matches!(timer, Timer::NextTurn | Timer::SilentTurn | Timer::BackgroundReport) {
                    // The time in which a message could have its turn is over.
                    self.process.awaited = 0;
                }
            }
            Input::Answered { answer: GivenAnswer { giver: Giver::User { request: Some(request) }, .. }, .. } => {
                self.unread.retain(|(unread, _)| unread != request);
                self.unfinished.insert(*request);
            }
            Input::Sent { id, result: Ok(Sent::Written { takes_text: false }) } => {
                let answer = self.rows.get(id).and_then(|row| row.answer.as_ref());
                let denied = matches!(answer, Some((Answer::Deny { .. }, Giver::User { .. })));
                self.denials += usize::from(denied);
            }
            Input::Sent { id, result: Err(SendError::NotWaiting(_)) } => {
                if self.rows.get(id).is_some_and(|row| row.origin == Origin::Screen) {
                    self.screen = None;
                }
            }
            Input::ScreenRead(reading) => self.screen.clone_from(&reading.dialog),
            Input::Restarting { resumes: false } => {
                self.repeated.extend(self.conversation.unanswered().iter().cloned());
            }
            Input::Exiting => self.process.stage = Stage::Exiting,
            Input::OutputRead => self.process.stage = Stage::OutputRead,
            Input::Exited => self.end_process(Stage::None),
            Input::RunEnded(_) => self.end_process(Stage::RunEnded),
            Input::Output
            | Input::Message(_)
            | Input::MessageSent(Err(_))
            | Input::InterruptSent { .. }
            | Input::Stored { .. }
            | Input::NotStored { .. }
            | Input::Decided { .. }
            | Input::Answered { .. }
            | Input::Sent { .. }
            | Input::Withdrawn { .. }
            | Input::Restarting { resumes: true } => {}
        }
    }

    fn end_process(&mut self, stage: Stage) {
        self.process = AgentProcess { number: self.process.number, stage, ..AgentProcess::default() };
        (self.screen, self.activity) = (None, None);
    }

    fn perform(&mut self, effect: Effect, context: (&Self, &Input)) {
        match effect {
            Effect::RecordEvent { event, .. } if is_lost_denial(&event) => {
                self.denials = self.denials.saturating_sub(1);
            }
            Effect::RecordEvent { event, .. } if is_lost_repetition(&event) => {
                // One that could not be written was given before.
                let given = matches!(context.1, Input::MessageSent(_));
                assert!(given || self.repeated.pop_first().is_some(), "nothing was to be repeated: {context:?}");
            }
            Effect::RecordActivity(change) => {
                let before = self.activity.replace(change.activity);
                assert_ne!(before, Some(change.activity), "recorded without a change: {context:?}");
            }
            Effect::SendMessage(text) => {
                assert!(!self.process.is_closed, "the input is closed: {context:?}");
                self.give(&text, context);
                self.pending.push_back(Pending::Message(text));
            }
            Effect::TypeMessage(text) => {
                assert!(self.screen.is_none(), "typed into a dialog: {context:?}");
                self.give(&text, context);
            }
            Effect::SendInterrupt { request } => self.pending.push_back(Pending::Interrupt(request)),
            Effect::CloseInput => {
                let had_their_turns = self.process.is_closed || self.process.awaited == 0;
                assert!(had_their_turns, "ended while a message has had no turn: {context:?}");
                self.process.is_closed = true;
            }
            Effect::TerminateAgent => {
                assert!(self.process.is_closed, "terminated in the middle of a conversation: {context:?}");
                assert!(!std::mem::replace(&mut self.process.is_terminated, true), "terminated twice: {context:?}");
            }
            Effect::KillAgent => {
                assert!(self.process.is_terminated, "killed without a warning: {context:?}");
                self.process.is_killed = true;
            }
            Effect::KeepNewScreen => self.process.has_new_screen = true,
            Effect::DropNewScreen => self.process.has_new_screen = false,
            Effect::StoreQuestion(id) => {
                let store = Pending::Store(id);
                assert!(!self.pending.contains(&store), "stored twice at once: {context:?}");
                self.pending.push_back(store);
            }
            Effect::AnnounceQuestion(id) | Effect::Notify(id) => {
                assert!(self.rows.contains_key(&id), "shown before it is stored: {context:?}");
            }
            Effect::ConsultPolicy(id) => self.pending.push_back(Pending::Policy(id)),
            Effect::StoreRuleAnswer { id, answer, .. } => self.pending.push_back(Pending::RuleAnswer(id, answer)),
            Effect::SendAnswer { id, answer } => self.send(&id, &answer, Origin::Protocol, context),
            Effect::TypeAnswer { id, answer } => {
                self.send(&id, &answer, Origin::Screen, context);
                let row = self.rows.get(&id).unwrap();
                assert_eq!(self.screen.as_ref(), Some(&row.key), "typed into another dialog: {context:?}");
            }
            Effect::Settle { id, given, outcome } => {
                let row = self.rows.get_mut(&id).expect("only what is stored is settled");
                assert!(!std::mem::replace(&mut row.ended, true), "ended twice: {context:?}");
                assert_eq!(row.answer.as_ref().map(|(answer, _)| answer), Some(&given.answer), "{context:?}");
                let refused = matches!(context.1, Input::Sent { result: Err(_), .. });
                assert!(outcome.is_err() || !refused, "a refused answer is reported as delivered: {context:?}");
                assert!(outcome.is_err() || row.sent || row.origin == Origin::Supervisor, "not sent: {context:?}");
            }
            Effect::Expire { id, .. } => {
                let row = self.rows.get_mut(&id).expect("only what is stored expires");
                assert!(!std::mem::replace(&mut row.ended, true), "ended twice: {context:?}");
            }
            Effect::AskAgain(id) => {
                let Row { key, origin, kind, .. } = self.rows.get(&id).unwrap().clone();
                self.pending.push_back(Pending::Ask { key, origin, kind, answerer: Answerer::User });
            }
            Effect::AskAboutDialog => {
                let (key, kind) = (self.screen.clone().expect("there is a dialog"), QuestionKind::Permission);
                let is_asked = |row: &Row| row.origin == Origin::Screen && !row.ended;
                assert!(!self.rows.values().any(is_asked), "asked twice about one dialog: {context:?}");
                let answerer = Answerer::RuleOrUser;
                self.pending.push_back(Pending::Ask { key, origin: Origin::Screen, kind, answerer });
            }
            Effect::AskAboutScreen => {
                let (key, kind) = (QuestionKey::whole("screen"), QuestionKind::Other);
                let answerer = Answerer::RuleOrUser;
                self.pending.push_back(Pending::Ask { key, origin: Origin::Supervisor, kind, answerer });
            }
            Effect::FinishRequest { request, outcome } => {
                if let Input::MessageSent(result) | Input::InterruptSent { result, .. } = context.1 {
                    assert_eq!(outcome.is_ok(), result.is_ok(), "reported otherwise: {context:?}");
                }
                assert!(self.unfinished.remove(&request), "a request is finished once: {context:?}");
            }
            // It is armed by almost everything, and what it does depends on nothing here.
            Effect::Arm(Timer::Progress) => {}
            Effect::Arm(timer) => {
                self.armed.insert(timer);
            }
            Effect::Disarm(timer) => {
                self.armed.remove(&timer);
            }
            Effect::RecordEvent { .. }
            | Effect::PressKey(_)
            | Effect::Forget(_)
            | Effect::ReadScreen
            | Effect::ReadScreenNow
            | Effect::StopForNoAnswer
            | Effect::StopForNoProgress => {}
        }
    }

    /// The agent gets a message.
    fn give(&mut self, text: &str, context: (&Self, &Input)) {
        assert!(matches!(self.process.stage, Stage::Running | Stage::Exiting), "no process: {context:?}");
        assert!(self.process.texts.insert(text.to_owned()), "a process gets a message once: {context:?}");
        self.repeated.remove(text);
        if text.starts_with("no") {
            self.denials = self.denials.saturating_sub(1);
        }
    }

    fn send(&mut self, id: &QuestionId, answer: &Answer, origin: Origin, context: (&Self, &Input)) {
        let row = self.rows.get_mut(id).expect("only what is stored is answered");
        assert_eq!(row.origin, origin, "{context:?}");
        assert_eq!(row.answer.as_ref().map(|(answer, _)| answer), Some(answer), "another answer: {context:?}");
        assert!(!row.ended, "sent after the question ended: {context:?}");
        assert!(!std::mem::replace(&mut row.sent, true), "sent twice: {context:?}");
        self.pending.push_back(Pending::Send(id.clone()));
    }
}

/// Whether an event reports that a message could not be repeated.
fn is_lost_repetition(event: &Event) -> bool {
    matches!(event, Event::Error { message } if message.contains("before the crash"))
}

/// Whether an event reports the text of a denial that could not be passed on.
fn is_lost_denial(event: &Event) -> bool {
    matches!(event, Event::Error { message } if message.contains("denial"))
}
