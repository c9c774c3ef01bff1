//! A question from its asking to its withdrawal.
//!
//! The one rule: a question is shown only when it is on disk.

use super::answer::allow_by;
use super::open_question::Stage;
use super::{Answerer, Conversation, Effect, OpenQuestion, Origin, Timer};
use crate::{Answer, QuestionId, QuestionKey, QuestionKind};

impl Conversation {
    pub(super) fn asked(&mut self, mut question: OpenQuestion, answerer: Answerer, effects: &mut Vec<Effect>) {
        question.stage = Stage::Storing(answerer);
        effects.push(Effect::StoreQuestion(question.id.clone()));
        self.questions.push(question);
    }

    pub(super) fn stored(&mut self, id: &QuestionId, effects: &mut Vec<Effect>) {
        let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) else {
            let reason = "it was withdrawn while it was stored".to_owned();
            return effects.push(Effect::Expire { id: id.clone(), reason });
        };
        let (Stage::Storing(answerer) | Stage::Unstored(answerer)) = question.stage else { return };
        question.stage = Stage::Open;
        effects.push(Effect::AnnounceQuestion(id.clone()));
        if question.origin.is_agent() {
            effects.push(Effect::Arm(Timer::QuestionLimit(id.clone())));
        }
        if question.origin == Origin::Screen {
            effects.push(Effect::Arm(Timer::DialogDelay(id.clone())));
        }
        effects.push(Effect::Arm(Timer::PollRequests));
        let allowed = self.allow_all.as_ref().filter(|_| question.kind == QuestionKind::Permission);
        effects.push(match (answerer, allowed) {
            (Answerer::Human, _) => Effect::Notify(id.clone()),
            (Answerer::RuleOrHuman, Some(by)) => allow_by(id, by),
            (Answerer::RuleOrHuman, None) => Effect::ConsultPolicy(id.clone()),
        });
    }

    pub(super) fn not_stored(&mut self, id: &QuestionId, effects: &mut Vec<Effect>) {
        let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) else { return };
        if let Stage::Storing(answerer) = question.stage {
            question.stage = Stage::Unstored(answerer);
            effects.push(Effect::Arm(Timer::StoreQuestion));
        }
    }

    pub(super) fn store_again(&mut self, effects: &mut Vec<Effect>) {
        for question in &mut self.questions {
            if let Stage::Unstored(answerer) = question.stage {
                question.stage = Stage::Storing(answerer);
                effects.push(Effect::StoreQuestion(question.id.clone()));
            }
        }
    }

    pub(super) fn decided(&self, id: &QuestionId, answer: Option<(Answer, String)>, effects: &mut Vec<Effect>) {
        if self.questions.iter().any(|question| question.id == *id && question.is_open()) {
            effects.push(match answer {
                Some((answer, by)) => Effect::StoreRuleAnswer { id: id.clone(), answer, by },
                None => Effect::Notify(id.clone()),
            });
        }
    }

    pub(super) fn withdrawn(&mut self, key: &QuestionKey, reason: &str, effects: &mut Vec<Effect>) {
        self.withdraw(|question| question.key == *key, reason, effects);
    }

    /// Ends questions without an answer. One that is being answered ends by what becomes of its answer.
    pub(super) fn withdraw(&mut self, which: impl Fn(&OpenQuestion) -> bool, reason: &str, effects: &mut Vec<Effect>) {
        self.questions.retain(|question| {
            if question.is_being_answered() || !which(question) {
                return true;
            }
            if question.is_open() {
                effects.push(Effect::Expire { id: question.id.clone(), reason: reason.to_owned() });
                effects.push(Effect::Disarm(Timer::QuestionLimit(question.id.clone())));
                effects.push(Effect::Disarm(Timer::DialogDelay(question.id.clone())));
            }
            effects.push(Effect::Forget(question.id.clone()));
            false
        });
    }

    /// Ends every question, because the process that asked is gone.
    pub(super) fn questions_end(&mut self, effects: &mut Vec<Effect>) {
        let answered = self.questions.iter().filter(|question| question.is_being_answered());
        let answered: Vec<QuestionId> = answered.map(|question| question.id.clone()).collect();
        for id in answered {
            self.answer_ended(&id, Err("the agent ended before it could be seen".to_owned()), effects);
        }
        self.withdraw(|_| true, "the process that asked is gone", effects);
    }
}
