//! What can happen next in a world, within bounds.

use super::super::*;
use super::world::{Pending, Row, Stage, World};
use crate::run::State;
use crate::{Activity, Answer, Event, Question, QuestionKey, QuestionKind};

/// What may happen in one search.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) medium: Medium,
    /// How many processes the agent may have, one after the other.
    pub(super) processes: usize,
    pub(super) questions: usize,
    /// How many questions humans may answer.
    pub(super) answers: i64,
    /// How many messages and interrupts may be sent.
    pub(super) sent: i64,
    /// The keys and kinds of the questions that come by the protocol.
    pub(super) protocol: &'static [(&'static str, QuestionKind)],
    /// Whether the protocol reports turns and background tasks.
    pub(super) turns: bool,
    /// Whether the protocol reports what becomes of each message.
    pub(super) reports_messages: bool,
    /// The dialogs that the screen may show.
    pub(super) dialogs: &'static [&'static str],
    /// What else the screen may show.
    pub(super) activities: &'static [Activity],
}

/// The requests of messages and interrupts are numbered from here.
const FIRST_MESSAGE: i64 = 100;

fn id(number: usize) -> QuestionId {
    QuestionId::from_ulid(ulid::Ulid::from_parts(1, number as u128))
}

pub(super) fn open_question(number: usize, key: &QuestionKey, origin: Origin, kind: QuestionKind) -> OpenQuestion {
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
    OpenQuestion::new(id(number), &question, origin)
}

pub(super) const fn reading(dialog: Option<QuestionKey>, activity: Activity) -> ScreenReading {
    ScreenReading {
        dialog,
        activity,
        evidence: String::new(),
        line: None,
        recognised: true,
        typing: false,
        shows_message: false,
        new_screen: None,
    }
}

impl Bounds {
    pub(super) const fn start(&self) -> Input {
        Input::Started(ProcessStart {
            pid: 1,
            medium: self.medium,
            has_prompt: true,
            stays: false,
            reports_turns: false,
        })
    }

    const fn is_screen(&self) -> bool {
        matches!(self.medium, Medium::Screen { .. })
    }
}

impl World {
    /// Every world that can follow.
    pub(super) fn next(&self, bounds: &Bounds) -> Vec<Self> {
        if self.process.stage == Stage::RunEnded {
            return vec![];
        }
        let mut worlds = self.human_answers(bounds);
        match self.pending.front().cloned() {
            // Results come before anything else, as the supervisor has it.
            Some(pending) => worlds.extend(self.results(&pending, bounds)),
            None => worlds.extend(self.inputs(bounds).into_iter().map(|input| self.after(&input))),
        }
        if self.process.stage == Stage::None && self.process.number < bounds.processes {
            for resumes in [false, true] {
                worlds.push(self.after(&Input::Restarting { resumes }).after(&bounds.start()));
            }
        }
        worlds
    }

    /// A human answers in the database at any time; the supervisor reads the request later.
    fn human_answers(&self, bounds: &Bounds) -> Vec<Self> {
        let mut worlds = vec![];
        if self.answers == bounds.answers {
            return worlds;
        }
        for (id, row) in self.rows.iter().filter(|(_, row)| row.answer.is_none() && !row.ended) {
            let deny = Answer::Deny { message: Some(format!("no {}", self.answers)) };
            let mut answers = vec![Answer::Allow { message: None }, deny];
            if row.kind == QuestionKind::Permission {
                answers.push(Answer::AllowAll);
            }
            for answer in answers {
                let mut world = self.clone();
                let request = world.answers;
                world.answers += 1;
                world.rows.get_mut(id).unwrap().answer = Some((answer, Giver::User { request: Some(request) }));
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
                    Giver::User { .. } => Giver::User { request: None },
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
                let question = open_question(base.asked, key, *origin, *kind);
                vec![base.after(&Input::Asked { question, answerer: *answerer })]
            }
            Pending::Message(_) => {
                let results = [Ok(()), Err("x".into())];
                results.map(|result| base.after(&Input::MessageSent(result))).into()
            }
            Pending::Interrupt(request) => {
                let results = [Ok(()), Err("x".into())];
                results.map(|result| base.after(&Input::InterruptSent { request: *request, result })).into()
            }
        }
    }

    fn inputs(&self, bounds: &Bounds) -> Vec<Input> {
        let mut inputs: Vec<Input> = self.armed.iter().cloned().map(Input::Timer).collect();
        inputs.extend(self.requests(bounds));
        match self.process.stage {
            Stage::Running => {
                // How far an exit is matters only to messages.
                inputs.push(if bounds.sent > 0 { Input::Exiting } else { Input::Exited });
                inputs.push(Input::RunEnded(State::Killed));
                inputs.extend(self.of_protocol(bounds));
                if bounds.is_screen() {
                    inputs.extend(self.of_screen(bounds));
                }
            }
            Stage::Exiting => inputs.extend([Input::OutputRead, Input::TurnEnded]),
            Stage::OutputRead => return vec![Input::Exited, Input::TurnEnded],
            Stage::None => inputs.push(Input::RunEnded(State::Failed)),
            Stage::RunEnded => {}
        }
        inputs
    }

    fn answers_to_read(&self) -> Vec<Input> {
        let unread = self.unread.iter().filter_map(|(request, id)| {
            let (answer, _) = self.rows.get(id)?.answer.clone()?;
            let giver = Giver::User { request: Some(*request) };
            Some(Input::Answered { id: id.clone(), answer: GivenAnswer { answer, by: "me".to_owned(), giver } })
        });
        unread.collect()
    }

    fn requests(&self, bounds: &Bounds) -> Vec<Input> {
        let mut inputs = self.answers_to_read();
        if self.sent < bounds.sent {
            let request = FIRST_MESSAGE + self.sent;
            let origin = MessageOrigin::Request(request);
            inputs.push(Input::Message(Message { text: format!("m{request}"), origin }));
            inputs.push(Input::Interrupt { request, unless_asked: true });
        }
        inputs
    }

    fn of_protocol(&self, bounds: &Bounds) -> Vec<Input> {
        let mut inputs = vec![];
        for (key, kind) in bounds.protocol {
            if self.asked < bounds.questions {
                let question = open_question(self.asked, &QuestionKey::from(*key), Origin::Protocol, *kind);
                inputs.push(Input::Asked { question, answerer: Answerer::RuleOrUser });
            }
            inputs.push(Input::Withdrawn { key: QuestionKey::from(*key), reason: "x".to_owned() });
        }
        // An agent that reports what becomes of its messages does so before the first turn.
        let is_silent = bounds.reports_messages && !self.process.reports_messages;
        if bounds.turns && !is_silent {
            inputs.extend([Input::Event(Event::thinking("x")), Input::TurnStarted, Input::TurnEnded]);
            inputs.extend([0, 1].map(Input::BackgroundTasks));
        }
        if bounds.reports_messages && self.process.awaited > 0 {
            inputs.extend([Input::MessageTaken, Input::MessageDropped]);
        }
        inputs
    }

    fn of_screen(&self, bounds: &Bounds) -> Vec<Input> {
        let mut readings: Vec<ScreenReading> =
            bounds.dialogs.iter().map(|key| reading(Some(QuestionKey::from(*key)), Activity::WaitingForUser)).collect();
        for activity in bounds.activities {
            let recognised = *activity != Activity::Unknown;
            readings.push(ScreenReading { recognised, ..reading(None, *activity) });
            if bounds.sent > 0 {
                readings.push(ScreenReading { shows_message: true, ..reading(None, *activity) });
            }
        }
        if self.process.has_new_screen {
            let unready = NewScreen { activity: Activity::Unknown, by_line: false, takes_text: false };
            let takes_text = NewScreen { takes_text: true, ..unready };
            let ready = NewScreen { activity: Activity::Idle, by_line: true, takes_text: true };
            let with = |screen| readings.iter().map(move |reading| (reading.clone(), screen)).collect::<Vec<_>>();
            let all = [unready, takes_text, ready].into_iter().flat_map(with).collect::<Vec<_>>();
            let new_screen = |(reading, screen)| ScreenReading { new_screen: Some(screen), ..reading };
            readings = all.into_iter().map(new_screen).collect();
        }
        let typing = readings.clone().into_iter().map(|reading| ScreenReading { typing: true, ..reading });
        readings.into_iter().chain(typing).map(Input::ScreenRead).collect()
    }
}
