//! The delivery of an answer to the agent.
//!
//! The one rule: an answer is sent once, to its own question, and the request that waits for it gets its outcome.

use super::open_question::Stage;
use super::{
    Conversation, Effect, GivenAnswer, Giver, Message, MessageOrigin, OpenQuestion, Origin, RequestFailure, SendError,
    Sent, Timer,
};
use crate::{Answer, QuestionId, QuestionKind};

/// An answer that the agent's protocol took.
#[derive(Clone, Copy)]
struct Written {
    outcome: &'static str,
    /// Whether the text of a denial went with it.
    takes_text: bool,
}

impl Conversation {
    pub(super) fn answered(&mut self, id: &QuestionId, given: GivenAnswer, effects: &mut Vec<Effect>) {
        let found = self.questions.iter().position(|question| question.id == *id);
        let Some(question) = found.and_then(|index| self.questions.get_mut(index)) else {
            return refuse(&given, "the agent does not wait for it any more", effects);
        };
        match &mut question.stage {
            Stage::Storing(_) | Stage::Unstored(_) => refuse(&given, "the question is not stored", effects),
            Stage::Open => {
                let (id, answer) = (id.clone(), given.answer.clone());
                effects.push(Effect::Disarm(Timer::QuestionLimit(id.clone())));
                match question.origin {
                    Origin::Protocol => {
                        question.stage = Stage::Sending(given);
                        effects.push(Effect::SendAnswer { id, answer });
                    }
                    Origin::Screen => {
                        question.stage = Stage::Due(given);
                        self.dialog_is_answered();
                        effects.push(Effect::ReadScreenNow);
                    }
                    Origin::Supervisor => {
                        question.stage = Stage::Sending(given);
                        self.answer_ended(&id, Ok("noted; nothing was typed".to_owned()), effects);
                    }
                }
            }
            Stage::Due(current) | Stage::Sending(current) | Stage::Typed { given: current, .. } => {
                match (current.giver, given.giver) {
                    // A rule found the answer of a user and took it along before their request was read.
                    (Giver::User { request: None }, Giver::User { .. }) if current.answer == given.answer => {
                        current.giver = given.giver;
                    }
                    (_, _) => refuse(&given, "the question has an answer already", effects),
                }
            }
        }
    }

    pub(super) fn sent(&mut self, id: &QuestionId, result: Result<Sent, SendError>, effects: &mut Vec<Effect>) {
        let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) else { return };
        let Stage::Sending(given) = &question.stage else { return };
        let given = given.clone();
        match result {
            Ok(Sent::Written { takes_text }) => {
                let ended = Written { outcome: "sent by the agent's protocol", takes_text };
                self.written(id, &given, ended, effects);
            }
            Ok(Sent::Kept { takes_text }) => {
                let outcome = "kept for the agent until the other questions of its request are answered";
                self.written(id, &given, Written { outcome, takes_text }, effects);
            }
            Ok(Sent::Typed) => {
                question.stage = Stage::Typed { given, overdue: false };
                effects.extend([Effect::Arm(Timer::ConfirmAnswer), Effect::ReadScreen]);
            }
            Err(SendError::NotWaiting(reason)) => self.answer_ended(id, Err(reason.into()), effects),
            Err(SendError::Unsuitable(reason)) => {
                if question.origin == Origin::Screen {
                    let key = question.key.clone();
                    self.dialog_waits(key);
                }
                self.ask_again(id, reason, effects);
            }
        }
    }

    fn written(&mut self, id: &QuestionId, given: &GivenAnswer, written: Written, effects: &mut Vec<Effect>) {
        let Written { outcome, takes_text } = written;
        let text = match &given.answer {
            Answer::Deny { message: Some(text) } if !takes_text => Some(text.clone()),
            Answer::Deny { .. }
            | Answer::Allow { .. }
            | Answer::AllowAll
            | Answer::Options { .. }
            | Answer::Text { .. } => None,
        };
        let note = match (&text, given.giver) {
            (None, _) => "",
            (Some(_), Giver::User { .. }) => {
                "; the agent's protocol has no reason for a denial, so the text follows as a message after the turn"
            }
            (Some(_), Giver::Rule) => {
                "; the agent's protocol has no reason for a denial, so the rule's message was not sent"
            }
        };
        self.answer_ended(id, Ok(format!("{outcome}{note}")), effects);
        // The text of a rule is not sent: an agent that tries again would get it again, and so on without an end.
        if let (Some(text), Giver::User { .. }) = (text, given.giver) {
            self.message(Message { text, origin: MessageOrigin::Denial }, effects);
        }
    }

    /// The agent still waits, and did not take the answer. Only a user is asked again: a rule would answer the same.
    pub(super) fn ask_again(&mut self, id: &QuestionId, reason: String, effects: &mut Vec<Effect>) {
        self.settle(id, Err(reason.into()), Effect::AskAgain(id.clone()), effects);
    }

    /// The answer of a question reached the agent, or will not.
    pub(super) fn answer_ended(
        &mut self,
        id: &QuestionId,
        outcome: Result<String, RequestFailure>,
        effects: &mut Vec<Effect>,
    ) {
        self.settle(id, outcome, Effect::Forget(id.clone()), effects);
    }

    fn settle(
        &mut self,
        id: &QuestionId,
        outcome: Result<String, RequestFailure>,
        then: Effect,
        effects: &mut Vec<Effect>,
    ) {
        let Some(index) = self.questions.iter().position(|question| question.id == *id) else { return };
        let question = self.questions.remove(index);
        let (Stage::Due(given) | Stage::Sending(given) | Stage::Typed { given, .. }) = &question.stage else { return };
        let (given, activity) = (given.clone(), question.activity_after(&given.answer));
        let delivered = outcome.is_ok();
        effects.push(Effect::Settle { id: id.clone(), given: given.clone(), outcome: outcome.clone() });
        self.answer_activity(id, activity, effects);
        effects.push(Effect::Arm(Timer::Progress));
        if let Some(request) = given.giver.request() {
            effects.push(Effect::FinishRequest { request, outcome });
        }
        if question.origin == Origin::Screen {
            effects.extend([Timer::DialogDelay(id.clone()), Timer::ConfirmAnswer].map(Effect::Disarm));
        }
        effects.push(then);
        match given.answer {
            Answer::AllowAll if delivered => self.allow_all(id, effects),
            Answer::Deny { .. } if delivered => self.request_declined(question.request.as_deref(), effects),
            Answer::Allow { .. }
            | Answer::AllowAll
            | Answer::Deny { .. }
            | Answer::Options { .. }
            | Answer::Text { .. } => {}
        }
    }

    /// From now on every permission is given: those that wait and those that will be asked for.
    fn allow_all(&mut self, by: &QuestionId, effects: &mut Vec<Effect>) {
        let waiting = self.questions.iter().filter(|question| question.is_open());
        let permissions = waiting.filter(|question| question.kind == QuestionKind::Permission);
        effects.extend(permissions.map(|question| allow_by(&question.id, by)));
        self.allow_all = Some(by.clone());
    }

    /// A denial of one question of a request answers all of them: the agent does not wait for the others.
    fn request_declined(&mut self, request: Option<&str>, effects: &mut Vec<Effect>) {
        let Some(request) = request else { return };
        let same = |question: &OpenQuestion| question.request.as_deref() == Some(request);
        self.withdraw(same, "another question of the same request was declined", effects);
    }
}

pub(super) fn allow_by(id: &QuestionId, by: &QuestionId) -> Effect {
    let answer = Answer::Allow { message: None };
    Effect::StoreRuleAnswer { id: id.clone(), answer, by: format!("allow_all of {by}") }
}

fn refuse(given: &GivenAnswer, reason: &str, effects: &mut Vec<Effect>) {
    if let Some(request) = given.giver.request() {
        effects.push(Effect::FinishRequest { request, outcome: Err(reason.into()) });
    }
}
