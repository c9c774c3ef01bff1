//! The agent's questions: on disk before anybody is shown them, answered once, delivered once.

use std::time::Duration;

use agency_model::policy::Ground;
use agency_model::run::{Input, StopCause};
use agency_model::{Activity, Answer, Event, Question, QuestionId, QuestionKind};
use tokio::time::Instant;
use ulid::Overflow;

use super::denial_message::{Giver, note_on_words};
use super::open_questions::{OpenQuestion, QuestionSource};
use super::render::rendered;
use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::adapter::{EncodeError, ToAgent};
use crate::fault;
use crate::policy::look;
use crate::store::{QuestionRow, QuestionState, StoreError};

/// An answer whose giver did not ring is found after this.
const REQUEST_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// A question that could not be stored is tried again after this.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Who may answer a question.
#[derive(Debug, Clone, Copy)]
enum Answerer {
    RuleOrHuman,
    Human,
}

impl Supervisor<'_> {
    /// The agent asks. A rule may answer at once; else it waits for a human.
    pub(super) fn ask(&mut self, question: Question, source: QuestionSource) {
        self.put(question, source, Answerer::RuleOrHuman);
    }

    fn put(&mut self, question: Question, source: QuestionSource, answerer: Answerer) {
        let id = self.questions.ids.generate().unwrap_or_else(Overflow::commit_overflow_random);
        let id = QuestionId::from_ulid(id);
        let attempt = self.run.attempt();
        fault::point("ask.heard");
        let repeats = match self.store.ask(&id, &self.id, attempt, &question) {
            Ok(repeats) => repeats,
            Err(error) => return self.ask_later(question, source, &error),
        };
        fault::point("ask.stored");
        let event = Event::Question { question_id: id.clone(), question: question.clone(), repeats };
        if source.is_of_agent() {
            self.tell_question(event, Activity::WaitingForUser);
        } else {
            // What the agent does is not known, and this says nothing about it.
            self.events.append(self.run.attempt(), event);
        }
        let decided = match answerer {
            Answerer::RuleOrHuman => self.decide(&id, &question),
            Answerer::Human => None,
        };
        if decided.is_none() {
            self.notify_question(&id, &question);
        }
        self.questions.open.push(OpenQuestion { id: id.clone(), question, source, asked: Instant::now() });
        self.watch_questions();
        if let Some((answer, by)) = decided {
            self.answer_by_rule(&id, &answer, &by);
        }
    }

    /// Nobody is shown what is not on disk, and the agent waits: so it is tried again.
    fn ask_later(&mut self, question: Question, source: QuestionSource, error: &StoreError) {
        self.report_store_error("a question could not be stored, which is tried again", error);
        self.questions.unstored.push((question, source));
        self.timers.arm(Timer::StoreQuestion, STORE_RETRY_DELAY);
    }

    /// Tries again to store what could not be stored.
    pub(super) fn retry_unstored(&mut self) {
        self.renew_store();
        for (question, source) in std::mem::take(&mut self.questions.unstored) {
            self.ask(question, source);
        }
    }

    /// Stores the questions that wait in a database that may not have them.
    pub(super) fn store_open_questions(&mut self) {
        let attempt = self.run.attempt();
        for open in &self.questions.open {
            if matches!(self.store.question(&open.id), Ok(None)) {
                // One that cannot be stored now is stored with the next replacement, or expires with the run.
                let _ = self.store.ask(&open.id, &self.id, attempt, &open.question);
            }
        }
    }

    /// Answers by a rule, unless somebody was first: then it is their answer that the agent gets.
    fn answer_by_rule(&mut self, id: &QuestionId, answer: &Answer, by: &str) {
        let stored = self.store.settle_by_rule(id, answer, by);
        self.complain(stored);
        let row = self.store.question(id).ok().flatten();
        match row {
            Some(QuestionRow { answer: Some(first), answered_by: Some(who), .. }) => {
                let giver = if who == by { Giver::Rule } else { Giver::Human(None) };
                self.deliver(id, &first, &who, giver);
            }
            _ => self.deliver(id, answer, by, Giver::Rule),
        }
    }

    /// What a rule answers, and which. That a rule leaves it to a human is told as well.
    fn decide(&mut self, id: &QuestionId, question: &Question) -> Option<(Answer, String)> {
        let allowed = self.questions.allow_all.as_ref().filter(|_| question.kind == QuestionKind::Permission);
        if let Some(by) = allowed {
            return Some((Answer::Allow { message: None }, format!("allow_all of {by}")));
        }
        let ground = Ground { workspace: &self.launch.directory, look: &look };
        let decision = self.launch.policy.decide(question, &ground);
        let answer = decision.answer();
        if answer.is_none() && decision.rule.is_some() {
            let message = format!("{} leaves {id} to a human: {}", decision.by(), decision.why);
            self.events.append(self.run.attempt(), Event::Notice { message });
        }
        answer.map(|answer| (answer, decision.by()))
    }

    /// Brings the agent an answer that is on disk, and finishes the request when it is seen what came of it.
    pub(super) fn deliver_answer(&mut self, id: &QuestionId, request: i64) {
        let row = self.store.question(id);
        match row {
            // A rule that came in between took the answer along.
            Ok(Some(QuestionRow { state: QuestionState::Delivered, outcome: Some(outcome), .. })) => {
                self.finish_request(request, Ok(outcome));
            }
            Ok(Some(QuestionRow { answer: Some(answer), answered_by, .. })) => {
                let by = answered_by.as_deref().unwrap_or("somebody");
                self.deliver(id, &answer, by, Giver::Human(Some(request)));
            }
            Ok(_) => self.finish_request(request, Err("there is no answer to deliver".to_owned())),
            Err(error) => self.finish_request(request, Err(error.to_string())),
        }
    }

    fn deliver(&mut self, id: &QuestionId, answer: &Answer, by: &str, giver: Giver) {
        let request = giver.request();
        let Some(index) = self.questions.open.iter().position(|open| open.id == *id) else {
            if let Some(request) = request {
                self.finish_request(request, Err("the agent does not wait for it any more".to_owned()));
            }
            return;
        };
        let open = self.questions.open.remove(index);
        fault::point("answer.delivering");
        let undeliverable = match &open.source {
            QuestionSource::Protocol => match self.tell_answer(&open.question.key, answer) {
                Ok(outcome) => {
                    let words = self.words_beside(answer);
                    let note = words.map_or("", |_| note_on_words(giver));
                    self.settle_answer(&open, answer, by, Ok(format!("{outcome}{note}")), request);
                    return self.send_words(words, giver);
                }
                Err(error @ (EncodeError::UnknownQuestion | EncodeError::OneWay)) => {
                    return self.settle_answer(&open, answer, by, Err(error.to_string()), request);
                }
                Err(error @ (EncodeError::NotReady | EncodeError::Invalid(_))) => error.to_string(),
            },
            QuestionSource::Unrecognised => {
                let outcome = "noted; nothing was typed".to_owned();
                return self.settle_answer(&open, answer, by, Ok(outcome), request);
            }
            QuestionSource::Screen(question) => match question.keys_for(answer) {
                Ok(_) => return self.type_answer(open, (answer.clone(), by.to_owned(), request)),
                Err(error) => error.to_string(),
            },
        };
        self.settle_answer(&open, answer, by, Err(undeliverable), request);
        self.leave_to_human(open);
    }

    /// The agent still waits, and no rule has an answer that it takes: a human has to find another one.
    pub(super) fn leave_to_human(&mut self, open: OpenQuestion) {
        self.put(open.question, open.source, Answerer::Human);
    }

    fn tell_answer(&mut self, key: &str, answer: &Answer) -> Result<String, EncodeError> {
        let to_agent = ToAgent::Answer { key: key.to_owned(), answer: answer.clone() };
        let channel = self.protocol.channel.as_mut().ok_or(EncodeError::OneWay);
        let bytes = channel.and_then(|channel| channel.encode(&to_agent))?;
        self.say(&bytes);
        let seen = if bytes.is_empty() {
            "kept for the agent until the other questions of its request are answered"
        } else {
            "sent by the agent's protocol"
        };
        Ok(seen.to_owned())
    }

    /// Notes what became of an answer.
    pub(super) fn settle_answer(
        &mut self,
        open: &OpenQuestion,
        answer: &Answer,
        by: &str,
        outcome: Result<String, String>,
        request: Option<i64>,
    ) {
        let stored = match &outcome {
            Ok(outcome) => self.store.question_delivered(&open.id, outcome),
            Err(error) => self.store.question_expired(&open.id, error),
        };
        self.complain(stored);
        fault::point("answer.delivered");
        let (Ok(told) | Err(told)) = &outcome;
        let row = self.store.question(&open.id).ok().flatten();
        let answered_from = row.and_then(|row| serde_json::to_value(row.answered_from?).ok());
        let event = Event::Answer {
            question_id: open.id.clone(),
            answer: Some(answer.clone()),
            by: by.to_owned(),
            outcome: told.clone(),
            delivered: Some(outcome.is_ok()),
            answered_from,
        };
        self.tell_question(event, Activity::after_answer(answer, &open.question));
        self.watch_questions();
        let delivered = outcome.is_ok();
        if let Some(request) = request {
            self.finish_request(request, outcome);
        }
        match answer {
            Answer::AllowAll if delivered => self.allow_all(&open.id),
            Answer::Deny { .. } if delivered => self.drop_rest_of_request(&open.question),
            Answer::Allow { .. }
            | Answer::AllowAll
            | Answer::Deny { .. }
            | Answer::Options { .. }
            | Answer::Text { .. } => {}
        }
    }

    /// Who does not answer one question of a request answers none: the agent does not wait for the others.
    fn drop_rest_of_request(&mut self, denied: &Question) {
        let Some(request) = denied.request() else { return };
        let same = |open: &OpenQuestion| open.question.request() == Some(request);
        let rest: Vec<String> =
            self.questions.open.iter().filter(|open| same(open)).map(|open| open.question.key.clone()).collect();
        for key in rest {
            self.withdraw(&key, "another question of the same request was declined");
        }
    }

    /// From now on every permission is given, to those who wait and those who will ask.
    fn allow_all(&mut self, by: &QuestionId) {
        self.questions.allow_all = Some(by.clone());
        let permission = |open: &&OpenQuestion| open.question.kind == QuestionKind::Permission;
        let waiting: Vec<QuestionId> =
            self.questions.open.iter().filter(permission).map(|open| open.id.clone()).collect();
        for id in waiting {
            self.answer_by_rule(&id, &Answer::Allow { message: None }, &format!("allow_all of {by}"));
        }
    }

    /// The agent no longer waits for the answer to this.
    pub(super) fn withdraw(&mut self, key: &str, why: &str) {
        self.questions.unstored.retain(|(question, _)| question.key != key);
        while let Some(index) = self.questions.open.iter().position(|open| open.question.key == key) {
            let open = self.questions.open.remove(index);
            self.expire(&open.id, why);
        }
        self.watch_questions();
    }

    /// The process that asked is gone.
    pub(super) fn withdraw_all(&mut self, why: &str) {
        self.questions.unstored.clear();
        for open in std::mem::take(&mut self.questions.open) {
            self.expire(&open.id, why);
        }
        self.watch_questions();
    }

    fn expire(&mut self, id: &QuestionId, why: &str) {
        let stored = self.store.question_expired(id, why);
        self.complain(stored);
        let (by, outcome) = ("nobody".to_owned(), format!("expired: {why}"));
        let event =
            Event::Answer { question_id: id.clone(), answer: None, by, outcome, delivered: None, answered_from: None };
        if self.agent.is_some() {
            self.record_event(event);
        } else {
            // Who is gone does nothing.
            self.events.append(self.run.attempt(), event);
        }
    }

    /// The time that the oldest question may wait.
    fn watch_questions(&mut self) {
        if self.questions.has_open() {
            self.timers.arm_once(Timer::PollRequests, REQUEST_POLL_INTERVAL);
        }
        let limit = self.launch.question_ms.map(Duration::from_millis);
        let of_agent = self.questions.open.iter().filter(|open| open.source.is_of_agent());
        let oldest = of_agent.map(|open| open.asked).min();
        match limit.zip(oldest) {
            Some((limit, asked)) => self.timers.arm_at(Timer::Question, asked + limit),
            None => self.timers.disarm(Timer::Question),
        }
    }

    /// Who recorded an answer and died before it could ring is heard all the same.
    pub(super) fn poll_requests(&mut self) {
        self.renew_store();
        if self.store.has_requests(&self.id).unwrap_or(false) {
            self.handle_requests();
        }
        if self.questions.has_open() {
            self.timers.arm(Timer::PollRequests, REQUEST_POLL_INTERVAL);
        }
    }

    /// The oldest question has waited too long.
    pub(super) fn question_timed_out(&mut self) {
        self.timers.disarm(Timer::Question);
        self.questions.gave_up = true;
        self.feed(&Input::Stop(StopCause::NoAnswer));
    }

    fn tell_question(&mut self, event: Event, activity: Activity) {
        // An agent on its own screen shows its questions itself.
        if let Some(text) = rendered(&event).filter(|_| self.screen.is_none()) {
            self.show(&text);
        }
        self.note_progress();
        self.record_event_as(event, Some(activity));
    }

    fn complain(&mut self, stored: Result<(), StoreError>) {
        if let Err(error) = stored {
            self.report_store_error("what became of a question could not be stored", &error);
        }
    }
}
