//! What the supervisor keeps about a question while the conversation decides about it.

use std::collections::BTreeMap;

use agency_model::conversation::{OpenQuestion, Origin};
use agency_model::{Question, QuestionId};
use ulid::{Generator, Overflow};

/// The questions that have no end yet, by their ids.
#[derive(Debug, Default)]
pub(super) struct AskedQuestions {
    asked: BTreeMap<QuestionId, AskedQuestion>,
    /// Questions of one moment keep the order in which they were asked.
    ids: Generator,
}

/// A question as it was asked.
#[derive(Debug, Clone)]
pub(super) struct AskedQuestion {
    pub(super) question: Question,
    pub(super) origin: Origin,
    /// Whether storing it failed before.
    pub(super) store_failed: bool,
    /// The question of an earlier process that it repeats.
    pub(super) repeats: Option<QuestionId>,
}

impl AskedQuestions {
    /// Keeps a question, and returns what the conversation needs to know about it.
    pub(super) fn add(&mut self, question: Question, origin: Origin) -> OpenQuestion {
        let id = QuestionId::from_ulid(self.ids.generate().unwrap_or_else(Overflow::commit_overflow_random));
        let open = OpenQuestion::new(id.clone(), &question, origin);
        self.asked.insert(id, AskedQuestion { question, origin, store_failed: false, repeats: None });
        open
    }

    pub(super) fn get(&self, id: &QuestionId) -> Option<&AskedQuestion> {
        self.asked.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &QuestionId) -> Option<&mut AskedQuestion> {
        self.asked.get_mut(id)
    }

    pub(super) fn remove(&mut self, id: &QuestionId) -> Option<AskedQuestion> {
        self.asked.remove(id)
    }
}
