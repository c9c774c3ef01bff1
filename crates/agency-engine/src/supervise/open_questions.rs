//! The questions of a run that wait for an answer, and where each comes from.

use agency_model::{Question, QuestionId};
use tokio::time::Instant;
use ulid::Generator;

use crate::screen::ScreenQuestion;

/// The questions that wait.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    pub(super) open: Vec<OpenQuestion>,
    /// What could not be stored yet.
    pub(super) unstored: Vec<(Question, QuestionSource)>,
    /// Questions of one moment keep the order in which they were asked.
    pub(super) ids: Generator,
    /// The question whose answer allowed everything.
    pub(super) allow_all: Option<QuestionId>,
    /// Whether a question waited so long that the run was ended.
    pub(super) gave_up: bool,
}

/// A question that waits.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) id: QuestionId,
    pub(super) question: Question,
    pub(super) source: QuestionSource,
    pub(super) asked: Instant,
}

/// Where a question comes from, and how its answer goes back.
#[derive(Debug)]
pub(super) enum QuestionSource {
    /// The agent's protocol.
    Protocol,
    /// Its screen.
    Screen(Box<ScreenQuestion>),
    /// Us, about a screen that is not recognised. The agent need not wait for anything.
    Unrecognised,
}

impl QuestionSource {
    pub(super) const fn is_of_agent(&self) -> bool {
        match self {
            Self::Protocol | Self::Screen(_) => true,
            Self::Unrecognised => false,
        }
    }
}

impl OpenQuestions {
    /// Whether the agent waits for a human.
    pub(super) fn is_waiting(&self) -> bool {
        let mut sources =
            self.open.iter().map(|open| &open.source).chain(self.unstored.iter().map(|(_, source)| source));
        sources.any(QuestionSource::is_of_agent)
    }

    /// Whether an answer may come.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty() || !self.unstored.is_empty()
    }

    /// The dialog of a question looks another way now.
    pub(super) fn update(&mut self, seen: &ScreenQuestion) {
        let open = self.open.iter_mut().map(|open| (&open.question, &mut open.source));
        let unstored = self.unstored.iter_mut().map(|(question, source)| (&*question, source));
        let source = open.chain(unstored).find(|(question, _)| question.key == seen.question.key);
        if let Some((_, QuestionSource::Screen(question))) = source {
            **question = seen.clone();
        }
    }
}
