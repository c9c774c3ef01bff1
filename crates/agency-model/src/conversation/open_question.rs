//! A question that has no end yet, and how far it has come.

use super::Answerer;
use crate::{Activity, Answer, Question, QuestionId, QuestionKey, QuestionKind};

/// A question that has no end yet.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpenQuestion {
    /// Its id.
    pub id: QuestionId,
    /// The agent's own id of it.
    pub key: QuestionKey,
    /// What questions of one request have in common, where an agent asks several at once.
    pub request: Option<String>,
    /// What kind of thing is asked.
    pub kind: QuestionKind,
    /// Where it comes from.
    pub origin: Origin,
    /// What the agent does when it is allowed.
    pub(super) if_allowed: Activity,
    /// Whether its dialog takes keys: some agents ignore them for a while.
    pub(super) takes_keys: bool,
    pub(super) stage: Stage,
}

/// Where a question comes from, and how its answer goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The agent's protocol.
    Protocol,
    /// A dialog on the agent's screen.
    Screen,
    /// The supervisor, about a screen that is not recognised. The agent need not wait for anything.
    Supervisor,
}

impl Origin {
    /// Whether the agent itself asks.
    #[must_use]
    pub const fn is_agent(self) -> bool {
        match self {
            Self::Protocol | Self::Screen => true,
            Self::Supervisor => false,
        }
    }
}

/// How far a question has come.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// It is being stored. It is not shown before it is on disk.
    Storing(Answerer),
    /// It could not be stored and is tried again.
    Unstored(Answerer),
    /// It waits for an answer.
    Open,
    /// Its answer is typed as soon as the dialog takes keys.
    Due(GivenAnswer),
    /// Its answer is being sent.
    Sending(GivenAnswer),
    /// Its answer was typed, and the screen has not shown yet whether it was taken.
    Typed { given: GivenAnswer, overdue: bool },
}

/// An answer, and who gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GivenAnswer {
    /// What is answered.
    pub answer: Answer,
    /// The name of who answered.
    pub by: String,
    /// Who answered.
    pub giver: Giver,
}

/// Who gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Giver {
    /// A user.
    User {
        /// The request that waits for what becomes of the answer.
        request: Option<i64>,
    },
    /// A rule of the policy, or an `allow_all` before.
    Rule,
}

impl Giver {
    pub(super) const fn request(self) -> Option<i64> {
        match self {
            Self::User { request } => request,
            Self::Rule => None,
        }
    }
}

impl OpenQuestion {
    /// A question that is not stored yet.
    #[must_use]
    pub fn new(id: QuestionId, question: &Question, origin: Origin) -> Self {
        Self {
            id,
            key: question.key.clone(),
            request: question.part().map(|(request, _)| request.to_owned()),
            kind: question.kind,
            origin,
            if_allowed: Activity::if_allowed(question),
            takes_keys: false,
            stage: Stage::Storing(Answerer::RuleOrUser),
        }
    }

    /// What the agent does after an answer: an allowed tool is at work, else the model gets the answer.
    pub(super) const fn activity_after(&self, answer: &Answer) -> Activity {
        match answer {
            Answer::Allow { .. } | Answer::AllowAll => self.if_allowed,
            Answer::Deny { .. } | Answer::Options { .. } | Answer::Text { .. } => Activity::Thinking,
        }
    }

    pub(super) const fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open)
    }

    pub(super) const fn is_being_answered(&self) -> bool {
        match self.stage {
            Stage::Storing(_) | Stage::Unstored(_) | Stage::Open => false,
            Stage::Due(_) | Stage::Sending(_) | Stage::Typed { .. } => true,
        }
    }
}
