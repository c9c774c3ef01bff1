//! What follows from a step.

use super::GivenAnswer;
use crate::{Answer, QuestionId};

/// Something to be done after a step. Where it says so, its result is the next input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Store a question. The result is `Stored` or `NotStored`.
    StoreQuestion(QuestionId),
    /// Record and show a question that is stored.
    AnnounceQuestion(QuestionId),
    /// Ask the policy for an answer. The result is `Decided`.
    ConsultPolicy(QuestionId),
    /// Notify the user of a question that no rule answers.
    Notify(QuestionId),
    /// Store the answer of a rule, unless a user was first. The result is `Answered`, with the answer that is stored.
    StoreRuleAnswer {
        /// The question.
        id: QuestionId,
        /// What the rule answers.
        answer: Answer,
        /// Which rule.
        by: String,
    },
    /// Write an answer by the agent's protocol. The result is `Sent`.
    SendAnswer {
        /// The question.
        id: QuestionId,
        /// What is answered.
        answer: Answer,
    },
    /// Type an answer into the dialog that was read last. The result is `Sent`.
    TypeAnswer {
        /// The question.
        id: QuestionId,
        /// What is answered.
        answer: Answer,
    },
    /// Store and record what became of an answer: delivered, or not delivered and why.
    Settle {
        /// The question.
        id: QuestionId,
        /// The answer.
        given: GivenAnswer,
        /// What became of it.
        outcome: Result<String, String>,
    },
    /// Store and record that a question ended without an answer.
    Expire {
        /// The question.
        id: QuestionId,
        /// Why.
        reason: String,
    },
    /// Ask a user the same as a new question: the agent still waits, and the answer was not one that it takes.
    AskAgain(QuestionId),
    /// Drop what is kept about a question.
    Forget(QuestionId),
    /// Store what became of a request, for the command that waits for it.
    FinishRequest {
        /// The number of the request.
        request: i64,
        /// What became of it.
        outcome: Result<String, String>,
    },
    /// Send the text of a denial as a message, because the denial itself has no place for it.
    SendDenialText(String),
    /// Ask what the dialog on the screen asks. The result is `Asked`.
    AskAboutDialog,
    /// Ask the user about a screen that is not recognised. The result is `Asked`.
    AskAboutScreen,
    /// Record the activity that the screen shows.
    RecordScreenActivity,
    /// Read the screen again soon.
    ReadScreen,
    /// Read the screen at once.
    ReadScreenNow,
    /// Start a timer, or start it anew. `PollRequests` is only started if it is not running.
    Arm(Timer),
    /// Stop a timer.
    Disarm(Timer),
    /// Stop the run: a question was open for too long.
    StopForNoAnswer,
}

/// What a conversation waits for besides answers. How long is not its business.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A question that could not be stored is tried again.
    StoreQuestion,
    /// A question has been open for as long as it may be.
    QuestionLimit(QuestionId),
    /// Requests are read without a notification.
    PollRequests,
    /// The dialog of a question takes keys.
    DialogDelay(QuestionId),
    /// The dialog should be gone after an answer was typed.
    ConfirmAnswer,
    /// The screen has not been recognised for as long as it may be.
    UnrecognisedScreen,
}

impl Timer {
    /// The timers that mean nothing without the process. Those of questions stop with their questions.
    pub(super) const fn of_process() -> [Self; 3] {
        [Self::StoreQuestion, Self::ConfirmAnswer, Self::UnrecognisedScreen]
    }
}
