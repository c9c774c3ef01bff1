//! The inbox: which question is looked at, and what is known of the answers to it.
//!
//! The one rule: what is looked at changes only when the user says so. A key that was meant for one question never
//! answers another, whatever happens to the first.

mod content;

use std::collections::{BTreeMap, BTreeSet};

use agency_engine::store::QuestionRow;
use agency_model::{Answer, Question, QuestionId, QuestionKind, RunId};

pub(super) use content::{InboxLayout, layout, list_top};

use super::effect::{Failure, Job};
use super::state::State;

/// How a question stands that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerStatus {
    /// It waits for an answer.
    Open,
    /// Our answer is being delivered.
    Sending,
    /// Our answer has arrived.
    Answered,
    /// It was answered elsewhere, or the agent does not wait for it any more.
    Gone,
}

/// What is looked at.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// The question; it stays here when it is not asked any more.
    shown: Option<QuestionRow>,
    /// The options that are chosen, where several may be.
    pub(super) chosen: BTreeSet<usize>,
    /// The first line of it that is shown.
    pub(super) top: usize,
    /// The questions that are chosen for one answer to all of them.
    marked: BTreeSet<QuestionId>,
    /// The outcomes of our answers to questions that are shown or still in the list.
    outcomes: BTreeMap<QuestionId, Result<String, Failure>>,
    /// How many questions a request had.
    parts: BTreeMap<(RunId, String), usize>,
}

impl Inbox {
    /// The question that is looked at.
    pub(super) const fn shown(&self) -> Option<&QuestionRow> {
        self.shown.as_ref()
    }

    /// Shows this one from its beginning, or continues with it.
    pub(super) fn show(&mut self, row: Option<QuestionRow>) {
        let id = |row: &Option<QuestionRow>| row.as_ref().map(|row| row.id.clone());
        if id(&row) != id(&self.shown) {
            self.chosen.clear();
            self.top = 0;
        }
        self.shown = row;
    }

    /// Takes in which questions are open now.
    pub(super) fn learn(&mut self, questions: &[QuestionRow]) {
        for row in questions {
            if let Some((request, number)) = part(row) {
                let count = self.parts.entry((row.run_id.clone(), request)).or_default();
                *count = (*count).max(number);
            }
        }
        let shown = self.shown.as_ref();
        let known = |id: &QuestionId| questions.iter().chain(shown).any(|row| row.id == *id);
        self.outcomes.retain(|id, _| known(id));
        self.marked.retain(|id| questions.iter().any(|row| row.id == *id));
        let has_part = |run: &RunId, request: &str| {
            questions
                .iter()
                .chain(shown)
                .any(|row| row.run_id == *run && part(row).is_some_and(|(of, _)| of == request))
        };
        self.parts.retain(|(run, request), _| has_part(run, request));
    }

    /// Chooses the question that is looked at, or not.
    pub(super) fn mark(&mut self) {
        if let Some(id) = self.shown.as_ref().map(|row| row.id.clone())
            && !self.marked.remove(&id)
        {
            self.marked.insert(id);
        }
    }

    /// Chooses all these questions, or none of them if all are chosen.
    pub(super) fn mark_all(&mut self, ids: Vec<QuestionId>) {
        match ids.iter().all(|id| self.marked.contains(id)) {
            true => self.marked.clear(),
            false => self.marked.extend(ids),
        }
    }

    pub(super) fn unmark_all(&mut self) {
        self.marked.clear();
    }

    pub(super) fn is_marked(&self, id: &QuestionId) -> bool {
        self.marked.contains(id)
    }

    /// Takes the outcome of an answer.
    pub(super) fn told(&mut self, id: &QuestionId, outcome: Result<String, Failure>) {
        self.outcomes.insert(id.clone(), outcome);
    }

    /// The outcome of our answer.
    pub(super) fn outcome(&self, id: &QuestionId) -> Option<&Result<String, Failure>> {
        self.outcomes.get(id)
    }

    /// The how manieth question of a request it is, and of how many.
    pub(super) fn part(&self, row: &QuestionRow) -> Option<(usize, usize)> {
        let (request, number) = part(row)?;
        let count = *self.parts.get(&(row.run_id.clone(), request))?;
        (count > 1).then_some((number, count))
    }
}

/// The request that a question is a part of, and its number in it from 1 on.
fn part(row: &QuestionRow) -> Option<(String, usize)> {
    let (request, number) = row.question.part()?;
    Some((request.to_owned(), number.saturating_add(1)))
}

/// How a question stands.
pub(super) fn standing(state: &State, id: &QuestionId) -> AnswerStatus {
    let sends = |job: &Job| {
        let one = matches!(job, Job::Answer { question, .. } if question.id == *id);
        one || matches!(job, Job::AnswerAll { questions, .. } if questions.iter().any(|question| question.id == *id))
    };
    if state.jobs.iter().any(|(_, job)| sends(job)) {
        return AnswerStatus::Sending;
    }
    match state.inbox.outcome(id) {
        Some(Ok(_)) => AnswerStatus::Answered,
        Some(Err(_)) | None if state.questions.iter().any(|row| row.id == *id) => AnswerStatus::Open,
        Some(Err(_)) | None => AnswerStatus::Gone,
    }
}

/// Everything in the list, oldest first: what is open, and what is looked at although it is not.
pub(super) fn items(state: &State) -> Vec<&QuestionRow> {
    let mut items: Vec<&QuestionRow> = state.questions.iter().collect();
    if let Some(shown) = state.inbox.shown()
        && !items.iter().any(|row| row.id == shown.id)
    {
        let after = |row: &&QuestionRow| (row.asked_at, &row.id) > (shown.asked_at, &shown.id);
        let place = items.iter().position(after).unwrap_or(items.len());
        items.insert(place, shown);
    }
    items
}

/// What own words mean to a question: an answer, or why a permission is denied.
pub(super) fn own_words(question: &Question, text: String) -> Answer {
    let denies = question.kind == QuestionKind::Permission || (!question.free_text && !question.actions().is_empty());
    if denies { Answer::Deny { message: Some(text) } } else { Answer::Text { text } }
}
