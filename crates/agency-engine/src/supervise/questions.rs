//! The effects of a question: its row, its events, and its answer on the way to the agent.
//!
//! The one rule: a question and its answer are on disk before anything follows from them.

use agency_adapters::{EncodeError, ToAgent};
use agency_model::conversation::{Answerer, GivenAnswer, Giver, Input, Origin, RequestFailure, SendError, Sent};
use agency_model::policy::Ground;
use agency_model::{Answer, Event, Question, QuestionId};
use agency_system::fault;

use super::Supervisor;
use super::messages::INPUT_CLOSED;
use super::stream_reader::StreamReader;
use crate::runs::policy::look;
use crate::store::{QuestionRow, QuestionState, StoreError};

impl Supervisor<'_> {
    /// Adds a question. A rule may answer it at once; else it waits for a user.
    pub(super) fn ask(&mut self, question: Question, origin: Origin) {
        let question = self.conversation.asked.add(question, origin);
        self.converse(Input::Asked { question, answerer: Answerer::RuleOrUser });
    }

    /// Asks a user again: the agent still waits, and did not accept the answer.
    pub(super) fn ask_user_again(&mut self, id: &QuestionId) {
        if let Some(asked) = self.conversation.asked.remove(id) {
            let question = self.conversation.asked.add(asked.question, asked.origin);
            self.converse(Input::Asked { question, answerer: Answerer::User });
        }
    }

    pub(super) fn store_question(&mut self, id: &QuestionId) {
        let attempt = self.run.attempt();
        let Some(asked) = self.conversation.asked.get_mut(id) else { return };
        fault::point("ask.heard");
        // The failure before may have come after the row was written.
        let is_stored = asked.store_failed && matches!(self.store.question(id), Ok(Some(_)));
        let stored = if is_stored { Ok(None) } else { self.store.ask(id, &self.id, attempt, &asked.question) };
        match stored {
            Ok(repeats) => {
                asked.repeats = repeats;
                fault::point("ask.stored");
                self.converse(Input::Stored { id: id.clone() });
            }
            Err(error) => {
                asked.store_failed = true;
                self.report_store_error("a question could not be stored; retrying", &error);
                self.converse(Input::NotStored { id: id.clone() });
            }
        }
    }

    pub(super) fn announce_question(&mut self, id: &QuestionId) {
        let Some(asked) = self.conversation.asked.get(id) else { return };
        let (question, repeats, origin) = (asked.question.clone(), asked.repeats.clone(), asked.origin);
        let event = Event::Question { question_id: id.clone(), question, repeats };
        if origin.is_agent() {
            self.record_question_event(event);
        } else {
            // It is about the screen, which viewers see themselves.
            self.append(event);
        }
    }

    /// Stores the questions that wait in a database that may not have them.
    pub(super) fn store_open_questions(&mut self) {
        let attempt = self.run.attempt();
        for open in self.conversation.stored_questions() {
            if let (Ok(None), Some(asked)) = (self.store.question(&open.id), self.conversation.asked.get(&open.id)) {
                // One that cannot be stored now is stored with the next replacement, or expires with the run.
                let _ = self.store.ask(&open.id, &self.id, attempt, &asked.question);
            }
        }
    }

    /// Feeds what a rule answers. That a rule leaves the question to a user is recorded as well.
    pub(super) fn consult_policy(&mut self, id: &QuestionId) {
        let Some(asked) = self.conversation.asked.get(id) else { return };
        let ground = Ground { workspace: &self.launch.directory, look: &look };
        let decision = self.launch.policy.decide(&asked.question, &ground);
        let answer = decision.answer();
        if answer.is_none() && decision.rule.is_some() {
            let message = format!("{} leaves {id} to the user: {}", decision.by(), decision.why);
            self.append(Event::Notice { message });
        }
        let answer = answer.map(|answer| (answer, decision.by()));
        self.converse(Input::Decided { id: id.clone(), answer });
    }

    /// Stores the answer of a rule, unless a user was first: then the agent gets that one.
    pub(super) fn store_rule_answer(&mut self, id: &QuestionId, answer: &Answer, by: &str) {
        let stored = self.store.settle_by_rule(id, answer, by);
        self.report_unstored(stored);
        let given = match self.store.question(id).ok().flatten() {
            Some(QuestionRow { answer: Some(answer), answered_by: Some(who), .. }) => {
                let giver = if who == by { Giver::Rule } else { Giver::User { request: None } };
                GivenAnswer { answer, by: who, giver }
            }
            _ => GivenAnswer { answer: answer.clone(), by: by.to_owned(), giver: Giver::Rule },
        };
        self.converse(Input::Answered { id: id.clone(), answer: given });
    }

    /// Handles the request of an answer that is on disk.
    pub(super) fn deliver_answer(&mut self, id: &QuestionId, request: i64) {
        match self.store.question(id) {
            // A rule that came in between took the answer along.
            Ok(Some(QuestionRow { state: QuestionState::Delivered, outcome: Some(outcome), .. })) => {
                self.finish_request(request, Ok(outcome));
            }
            Ok(Some(QuestionRow { answer: Some(answer), answered_by, .. })) => {
                let by = answered_by.unwrap_or_else(|| "an unknown user".to_owned());
                let giver = Giver::User { request: Some(request) };
                self.converse(Input::Answered { id: id.clone(), answer: GivenAnswer { answer, by, giver } });
            }
            Ok(_) => self.finish_request(request, Err("there is no answer to deliver".into())),
            Err(error) => self.finish_request(request, Err(error.to_string().into())),
        }
    }

    /// Writes an answer by the agent's protocol.
    pub(super) fn send_answer(&mut self, id: &QuestionId, answer: Answer) {
        let Some(asked) = self.conversation.asked.get(id) else { return };
        fault::point("answer.delivering");
        let message = ToAgent::Answer { key: asked.question.key.clone(), answer };
        let channel = self.protocol.reader.as_ref().map(StreamReader::channel).ok_or(EncodeError::OneWay);
        let encoded = channel.and_then(|mut channel| Ok((channel.encode(&message)?, channel.denial_takes_words())));
        let result = match encoded {
            Ok((bytes, takes_text)) if bytes.is_empty() => Ok(Sent::Kept { takes_text }),
            Ok((bytes, takes_text)) => match self.process.write(&bytes) {
                Ok(()) => {
                    fault::point("answer.written");
                    Ok(Sent::Written { takes_text })
                }
                Err(_) => Err(SendError::NotWaiting(INPUT_CLOSED.to_owned())),
            },
            Err(error @ (EncodeError::UnknownQuestion | EncodeError::OneWay)) => {
                Err(SendError::NotWaiting(error.to_string()))
            }
            Err(error @ (EncodeError::NotReady | EncodeError::Invalid(_))) => {
                Err(SendError::Unsuitable(error.to_string()))
            }
        };
        self.converse(Input::Sent { id: id.clone(), result });
    }

    /// Types an answer into the dialog that was read last.
    pub(super) fn type_answer(&mut self, id: &QuestionId, answer: &Answer) {
        fault::point("answer.delivering");
        let keys = self.screen_reader.dialog().map(|dialog| dialog.keys_for(answer));
        let result = match keys {
            Some(Ok(keys)) => {
                self.type_keys(keys);
                Ok(Sent::Typed)
            }
            Some(Err(error)) => Err(SendError::Unsuitable(error.to_string())),
            None => Err(SendError::NotWaiting("the dialog is not on the screen any more".to_owned())),
        };
        self.converse(Input::Sent { id: id.clone(), result });
    }

    /// Stores and records the outcome of an answer.
    pub(super) fn settle_question(
        &mut self,
        id: &QuestionId,
        given: GivenAnswer,
        outcome: &Result<String, RequestFailure>,
    ) {
        let stored = match outcome {
            Ok(outcome) => self.store.question_delivered(id, outcome),
            Err(RequestFailure(reason)) => self.store.question_expired(id, reason),
        };
        self.report_unstored(stored);
        fault::point("answer.delivered");
        let (Ok(text) | Err(RequestFailure(text))) = outcome;
        let row = self.store.question(id).ok().flatten();
        let answered_from = row.and_then(|row| serde_json::to_value(row.answered_from?).ok());
        let event = Event::Answer {
            question_id: id.clone(),
            answer: Some(given.answer),
            by: given.by,
            outcome: text.clone(),
            delivered: Some(outcome.is_ok()),
            answered_from,
        };
        self.record_question_event(event);
    }

    /// Stores and records that a question ended without an answer.
    pub(super) fn expire_question(&mut self, id: &QuestionId, reason: &str) {
        let stored = self.store.question_expired(id, reason);
        self.report_unstored(stored);
        let (by, outcome) = ("nobody".to_owned(), format!("expired: {reason}"));
        let event =
            Event::Answer { question_id: id.clone(), answer: None, by, outcome, delivered: None, answered_from: None };
        self.append(event);
    }

    fn record_question_event(&mut self, event: Event) {
        // An agent on its own screen shows its questions itself.
        self.record_event(event, self.display.screen().is_none());
    }

    fn report_unstored(&mut self, stored: Result<(), StoreError>) {
        if let Err(error) = stored {
            self.report_store_error("the outcome of a question could not be stored", &error);
        }
    }
}
