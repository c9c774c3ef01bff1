//! The protocol between a workflow driver and its supervisor: one JSON object per line, in both directions.
//!
//! The one rule: a supervisor names the version that it understands when it starts the driver (`--protocol`), and the
//! driver writes that version. A published version does not change.

use agency_model::{Answer, QuestionOption};
use serde::{Deserialize, Serialize};

/// The newest version of the protocol.
pub const DRIVER_PROTOCOL_VERSION: u32 = 1;

/// A message of the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DriverMessage {
    /// The first message of every process.
    Started {
        /// The version of this and all further messages.
        version: u32,
        /// The id of the workflow session.
        session: String,
    },
    /// Something happened in the session.
    Progress {
        /// One line for users.
        text: String,
    },
    /// The session needs an answer.
    Question(DriverQuestion),
    /// The answer to a question is no longer needed.
    Withdrawn {
        /// The key of the question.
        key: String,
    },
    /// The session is completed.
    Completed {
        /// One line for users.
        summary: String,
    },
    /// The session stopped before it was completed.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// A question of a session to its user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverQuestion {
    /// By which the answer is addressed.
    pub key: String,
    /// What the user decides.
    pub subject: QuestionSubject,
    /// One line.
    pub title: String,
    /// The whole text.
    pub detail: String,
}

/// What a question of a session is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionSubject {
    /// An approval step.
    Approval,
    /// The review of a merge.
    Merge,
    /// Uncommitted changes that are in the way of a merge.
    Checkout {
        /// The possible answers.
        options: Vec<QuestionOption>,
    },
}

/// A message of the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SupervisorMessage {
    /// The answer to a question.
    Answer {
        /// The key of the question.
        key: String,
        /// The answer.
        answer: Answer,
    },
    /// A message to the run, such as an order for the driver.
    Message {
        /// The text.
        text: String,
    },
}
