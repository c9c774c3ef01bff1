//! Searches every conversation that can be reached within small bounds, with every input in each.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use super::*;
use crate::{Activity, Answer, Question, QuestionKey, QuestionKind};

/// A conversation together with what its effects did to the world.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct World {
    conversation: Conversation,
    /// Effects whose results are the next inputs.
    pending: VecDeque<Pending>,
    /// What the database has of each question.
    rows: BTreeMap<QuestionId, Row>,
    /// How many ids were given.
    asked: usize,
    /// The requests of humans that were not read yet, and those that were and have no outcome.
    unread: Vec<(i64, QuestionId)>,
    unfinished: BTreeSet<i64>,
    requests: i64,
    armed: BTreeSet<Timer>,
    screen: Option<QuestionKey>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Row {
    key: QuestionKey,
    origin: Origin,
    kind: QuestionKind,
    answer: Option<(Answer, Giver)>,
    sent: bool,
    ended: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pending {
    Store(QuestionId),
    Policy(QuestionId),
    RuleAnswer(QuestionId, Answer),
    Send(QuestionId),
    Ask { key: QuestionKey, origin: Origin, kind: QuestionKind, answerer: Answerer },
}

/// What may happen in one search.
#[derive(Clone, Copy)]
struct Bounds {
    questions: usize,
    requests: i64,
    /// The keys and kinds of the questions that come by the protocol.
    protocol: &'static [(&'static str, QuestionKind)],
    /// The dialogs that the screen may show.
    dialogs: &'static [&'static str],
}

const PERMISSION: (&str, QuestionKind) = ("a", QuestionKind::Permission);
const PARTS: [(&str, QuestionKind); 2] = [("r/1", QuestionKind::Question), ("r/2", QuestionKind::Question)];
const PROTOCOL: Bounds =
    Bounds { questions: 2, requests: 2, protocol: &[PERMISSION, PARTS[0], PARTS[1]], dialogs: &[] };
const SCREEN: Bounds = Bounds { questions: 2, requests: 1, protocol: &[], dialogs: &["d", "e"] };
const BOTH: Bounds = Bounds { questions: 2, requests: 1, protocol: &[PERMISSION], dialogs: &["d"] };

fn id(number: usize) -> QuestionId {
    QuestionId::from_ulid(ulid::Ulid::from_parts(1, number as u128))
}

impl World {
    fn open_question(&self, key: &QuestionKey, origin: Origin, kind: QuestionKind) -> OpenQuestion {
        let question = Question {
            key: key.clone(),
            kind,
            title: String::new(),
            detail: String::new(),
            options: vec![],
            several: false,
            free_text: false,
            only_on_screen: false,
            tool: None,
        };
        OpenQuestion::new(id(self.asked), &question, origin)
    }

    /// Every world that can follow.
    fn next(&self, bounds: &Bounds) -> Vec<Self> {
        let mut worlds = self.human_answers(bounds);
        match self.pending.front().cloned() {
            // Results come before anything else, as the supervisor has it.
            Some(pending) => worlds.extend(self.results(&pending, bounds)),
            None => worlds.extend(self.inputs(bounds).into_iter().map(|input| self.after(&input))),
        }
        worlds
    }

    /// A user answers in the database at any time; the supervisor reads the request later.
    fn human_answers(&self, bounds: &Bounds) -> Vec<Self> {
        let mut worlds = vec![];
        if self.requests == bounds.requests {
            return worlds;
        }
        for (id, row) in self.rows.iter().filter(|(_, row)| row.answer.is_none() && !row.ended) {
            let deny = Answer::Deny { message: Some("no".to_owned()) };
            let mut answers = vec![Answer::Allow { message: None }, deny];
            if row.kind == QuestionKind::Permission {
                answers.push(Answer::AllowAll);
            }
            for answer in answers {
                let mut world = self.clone();
                let request = world.requests;
                world.requests += 1;
                world.rows.get_mut(id).unwrap().answer = Some((answer, Giver::Human { request: Some(request) }));
                world.unread.push((request, id.clone()));
                worlds.push(world);
            }
        }
        worlds
    }

    fn results(&self, pending: &Pending, bounds: &Bounds) -> Vec<Self> {
        let mut base = self.clone();
        base.pending.pop_front();
        match pending {
            Pending::Store(id) => {
                let question = base.conversation.questions.iter().find(|question| question.id == *id).cloned();
                let mut stored = base.clone();
                if let Some(question) = question {
                    let OpenQuestion { key, origin, kind, .. } = question;
                    let row = Row { key, origin, kind, answer: None, sent: false, ended: false };
                    stored.rows.insert(id.clone(), row);
                }
                vec![stored.after(&Input::Stored { id: id.clone() }), base.after(&Input::NotStored { id: id.clone() })]
            }
            Pending::Policy(id) => [None, Some((Answer::Allow { message: None }, "rule 1".to_owned()))]
                .map(|answer| base.after(&Input::Decided { id: id.clone(), answer }))
                .into(),
            Pending::RuleAnswer(id, answer) => {
                let row = base.rows.get_mut(id).expect("only what is stored is answered");
                let first = row.answer.get_or_insert((answer.clone(), Giver::Rule)).clone();
                let giver = match first.1 {
                    Giver::Human { .. } => Giver::Human { request: None },
                    Giver::Rule => Giver::Rule,
                };
                let answer = GivenAnswer { answer: first.0, by: "x".to_owned(), giver };
                vec![base.after(&Input::Answered { id: id.clone(), answer })]
            }
            Pending::Send(id) => {
                let origin = base.rows.get(id).map(|row| row.origin);
                let mut results = vec![Err(SendError::NotWaiting("x".to_owned()))];
                if base.asked < bounds.questions {
                    results.push(Err(SendError::Unsuitable("x".to_owned())));
                }
                match origin {
                    Some(Origin::Screen) => results.push(Ok(Sent::Typed)),
                    Some(Origin::Protocol | Origin::Supervisor) | None => results.extend([
                        Ok(Sent::Written { takes_text: true }),
                        Ok(Sent::Written { takes_text: false }),
                        Ok(Sent::Kept { takes_text: true }),
                    ]),
                }
                results.into_iter().map(|result| base.after(&Input::Sent { id: id.clone(), result })).collect()
            }
            Pending::Ask { key, origin, kind, answerer } => {
                let question = base.open_question(key, *origin, *kind);
                vec![base.after(&Input::Asked { question, answerer: *answerer })]
            }
        }
    }

    fn inputs(&self, bounds: &Bounds) -> Vec<Input> {
        let mut inputs = vec![Input::Exited];
        inputs.extend(self.armed.iter().cloned().map(Input::Timer));
        for (request, id) in &self.unread {
            let Some((answer, _)) = self.rows.get(id).and_then(|row| row.answer.clone()) else { continue };
            let giver = Giver::Human { request: Some(*request) };
            let answer = GivenAnswer { answer, by: "me".to_owned(), giver };
            inputs.push(Input::Answered { id: id.clone(), answer });
        }
        let may_ask = self.asked < bounds.questions;
        for (key, kind) in bounds.protocol {
            if may_ask {
                let question = self.open_question(&QuestionKey::from(*key), Origin::Protocol, *kind);
                inputs.push(Input::Asked { question, answerer: Answerer::RuleOrHuman });
            }
            inputs.push(Input::Withdrawn { key: QuestionKey::from(*key), reason: "x".to_owned() });
        }
        let screens = bounds.dialogs.iter().map(|key| (Some(QuestionKey::from(*key)), true));
        let without_dialog = [(None, true), (None, false)].into_iter().filter(|_| !bounds.dialogs.is_empty());
        for (dialog, recognised) in screens.chain(without_dialog) {
            for typing in [false, true] {
                let (dialog, activity) = (dialog.clone(), Activity::Idle);
                inputs.push(Input::ScreenRead(ScreenReading { dialog, activity, recognised, typing }));
            }
        }
        inputs
    }

    /// The world after an input and its effects.
    fn after(&self, input: &Input) -> Self {
        let mut world = self.clone();
        match input {
            Input::Asked { .. } => world.asked += 1,
            Input::Timer(timer) => assert!(world.armed.remove(timer)),
            Input::Answered { answer: GivenAnswer { giver: Giver::Human { request: Some(request) }, .. }, .. } => {
                world.unread.retain(|(unread, _)| unread != request);
                world.unfinished.insert(*request);
            }
            Input::ScreenRead(reading) => world.screen.clone_from(&reading.dialog),
            Input::Exited => world.screen = None,
            Input::Stored { .. }
            | Input::NotStored { .. }
            | Input::Decided { .. }
            | Input::Answered { .. }
            | Input::Sent { .. }
            | Input::Withdrawn { .. } => {}
        }
        for effect in world.conversation.step(input.clone()) {
            world.perform(effect, (self, input));
        }
        world
    }

    fn perform(&mut self, effect: Effect, context: (&Self, &Input)) {
        match effect {
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
                assert!(outcome.is_err() || row.sent || row.origin == Origin::Supervisor, "not sent: {context:?}");
            }
            Effect::Expire { id, .. } => {
                let row = self.rows.get_mut(&id).expect("only what is stored expires");
                assert!(!std::mem::replace(&mut row.ended, true), "ended twice: {context:?}");
            }
            Effect::AskAgain(id) => {
                let Row { key, origin, kind, .. } = self.rows.get(&id).unwrap().clone();
                self.pending.push_back(Pending::Ask { key, origin, kind, answerer: Answerer::Human });
            }
            Effect::AskAboutDialog => {
                let (key, kind) = (self.screen.clone().expect("there is a dialog"), QuestionKind::Permission);
                let is_asked = |row: &Row| row.origin == Origin::Screen && !row.ended;
                assert!(!self.rows.values().any(is_asked), "asked twice about one dialog: {context:?}");
                let answerer = Answerer::RuleOrHuman;
                self.pending.push_back(Pending::Ask { key, origin: Origin::Screen, kind, answerer });
            }
            Effect::AskAboutScreen => {
                let (key, kind) = (QuestionKey::whole("screen"), QuestionKind::Other);
                let answerer = Answerer::RuleOrHuman;
                self.pending.push_back(Pending::Ask { key, origin: Origin::Supervisor, kind, answerer });
            }
            Effect::FinishRequest { request, .. } => {
                assert!(self.unfinished.remove(&request), "a request is finished once: {context:?}");
            }
            Effect::Arm(timer) => {
                self.armed.insert(timer);
            }
            Effect::Disarm(timer) => {
                self.armed.remove(&timer);
            }
            Effect::Forget(_)
            | Effect::SendDenialText(_)
            | Effect::RecordScreenActivity
            | Effect::ReadScreen
            | Effect::ReadScreenNow
            | Effect::StopForNoAnswer => {}
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

fn reachable(bounds: &Bounds) -> HashSet<World> {
    let mut seen = HashSet::from([World::default()]);
    let mut open = VecDeque::from([World::default()]);
    while let Some(world) = open.pop_front() {
        for next in world.next(bounds) {
            if next.asked <= bounds.questions && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    seen
}

/// The end of a world: the process exits, and every request that is still there is read.
fn ended(world: &World) -> World {
    let mut world = world.after(&Input::Exited);
    assert!(world.pending.is_empty(), "an exit asks for nothing: {world:?}");
    while let Some((request, id)) = world.unread.first().cloned() {
        let answer = world.rows.get(&id).and_then(|row| row.answer.clone()).expect("it was answered").0;
        let giver = Giver::Human { request: Some(request) };
        world = world.after(&Input::Answered { id, answer: GivenAnswer { answer, by: "me".to_owned(), giver } });
    }
    world
}

fn check(bounds: &Bounds) {
    let worlds = reachable(bounds);
    assert!(worlds.len() > 1000, "the search went nowhere: {}", worlds.len());
    for world in worlds.iter().filter(|world| world.pending.is_empty()) {
        let end = ended(world);
        assert!(end.conversation.questions.is_empty(), "a question is left: {world:?}");
        assert!(end.rows.values().all(|row| row.ended), "a stored question has no end: {world:?}");
        assert!(end.unfinished.is_empty(), "a request has no outcome: {world:?}");
        assert!(end.armed.iter().all(|timer| *timer == Timer::PollRequests), "a timer is left: {end:?}");
        assert!(!end.conversation.is_waiting() && !end.conversation.shows_dialog());
    }
}

#[test]
fn every_question_of_a_protocol_ends_once_and_every_answer_is_sent_once_to_its_own() {
    check(&PROTOCOL);
}

#[test]
fn every_question_of_a_screen_ends_once_and_every_answer_is_typed_once_into_its_own() {
    check(&SCREEN);
}

#[test]
fn questions_of_a_protocol_and_of_a_screen_do_not_disturb_each_other() {
    check(&BOTH);
}

#[test]
fn the_request_of_an_answer_that_a_rule_took_along_gets_its_outcome() {
    let mut conversation = Conversation::default();
    let question = World::default().open_question(&QuestionKey::whole("d"), Origin::Screen, QuestionKind::Permission);
    let id = question.id.clone();
    let given = |request| GivenAnswer {
        answer: Answer::Allow { message: None },
        by: "me".to_owned(),
        giver: Giver::Human { request },
    };
    let read = |dialog: Option<&str>| {
        let dialog = dialog.map(QuestionKey::from);
        Input::ScreenRead(ScreenReading { dialog, activity: Activity::Thinking, recognised: true, typing: false })
    };
    for input in [
        Input::Asked { question, answerer: Answerer::RuleOrHuman },
        Input::Stored { id: id.clone() },
        Input::Timer(Timer::DialogDelay(id.clone())),
        Input::Answered { id: id.clone(), answer: given(None) },
        read(Some("d")),
        Input::Sent { id: id.clone(), result: Ok(Sent::Typed) },
    ] {
        let _ = conversation.step(input);
    }
    assert_eq!(conversation.step(Input::Answered { id, answer: given(Some(7)) }), []);
    let effects = conversation.step(read(None));
    let outcome = Ok("typed; the dialog is gone, and the agent is thinking".to_owned());
    assert!(effects.contains(&Effect::FinishRequest { request: 7, outcome }), "{effects:?}");
}
