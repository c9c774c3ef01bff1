//! A question from its asking to its withdrawal.
//!
//! The one rule: a question is shown only when it is on disk.

use super::answer::allow_by;
use super::open_question::Stage;
use super::process::ProcessStage;
use super::{Answerer, Conversation, Effect, Evidence, OpenQuestion, Origin, Timer, turn};
use crate::{Activity, Answer, QuestionId, QuestionKey, QuestionKind};

impl Conversation {
    pub(super) fn asked(&mut self, mut question: OpenQuestion, answerer: Answerer, effects: &mut Vec<Effect>) {
        question.stage = Stage::Storing(answerer);
        if question.origin == Origin::Protocol {
            // It asks in a turn, whether or not it reported the beginning.
            turn::disarm_end(effects);
        }
        effects.push(Effect::StoreQuestion(question.id.clone()));
        self.questions.push(question);
    }

    pub(super) fn stored(&mut self, id: &QuestionId, effects: &mut Vec<Effect>) {
        let Some(question) = self.questions.iter_mut().find(|question| question.id == *id) else {
            let reason = "it was withdrawn while it was stored".to_owned();
            return self.expire(id, reason, effects);
        };
        let (Stage::Storing(answerer) | Stage::Unstored(answerer)) = question.stage else { return };
        question.stage = Stage::Open;
        effects.push(Effect::AnnounceQuestion(id.clone()));
        if question.origin.is_agent() {
            let evidence = Evidence::Event(format!("question {id}"));
            effects.push(Effect::activity(Activity::WaitingForUser, evidence));
            effects.push(Effect::Arm(Timer::Progress));
            effects.push(Effect::Arm(Timer::QuestionLimit(id.clone())));
        }
        if question.origin == Origin::Screen {
            effects.push(Effect::Arm(Timer::DialogDelay(id.clone())));
        }
        effects.push(Effect::Arm(Timer::PollRequests));
        let allowed = self.allow_all.as_ref().filter(|_| question.kind == QuestionKind::Permission);
        effects.push(match (answerer, allowed) {
            (Answerer::User, _) => Effect::Notify(id.clone()),
            (Answerer::RuleOrUser, Some(by)) => allow_by(id, by),
            (Answerer::RuleOrUser, None) => Effect::ConsultPolicy(id.clone()),
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
        let ends = |question: &mut OpenQuestion| !question.is_being_answered() && which(question);
        let ended: Vec<OpenQuestion> = self.questions.extract_if(.., ends).collect();
        for question in ended {
            let id = question.id.clone();
            if question.is_open() {
                self.expire(&id, reason.to_owned(), effects);
                effects.push(Effect::Disarm(Timer::QuestionLimit(id.clone())));
                effects.push(Effect::Disarm(Timer::DialogDelay(id.clone())));
            }
            effects.push(Effect::Forget(id));
        }
    }

    fn expire(&self, id: &QuestionId, reason: String, effects: &mut Vec<Effect>) {
        effects.push(Effect::Expire { id: id.clone(), reason });
        match self.process.stage {
            ProcessStage::Running | ProcessStage::Exiting => self.answer_activity(id, Activity::Thinking, effects),
            ProcessStage::Gone => {}
        }
    }

    /// What the agent does after an answer is seen on its screen, where that is understood.
    pub(super) fn answer_activity(&self, id: &QuestionId, activity: Activity, effects: &mut Vec<Effect>) {
        if !self.is_screen_understood() {
            let evidence = Evidence::Event(format!("answer to {id}"));
            effects.push(Effect::activity(activity, evidence));
        }
    }

    /// Ends every question.
    pub(super) fn questions_end(&mut self, reason: &str, effects: &mut Vec<Effect>) {
        let answered = self.questions.iter().filter(|question| question.is_being_answered());
        let answered: Vec<QuestionId> = answered.map(|question| question.id.clone()).collect();
        for id in answered {
            self.answer_ended(&id, Err("the agent exited before delivery could be confirmed".into()), effects);
        }
        self.withdraw(|_| true, reason, effects);
    }
}
