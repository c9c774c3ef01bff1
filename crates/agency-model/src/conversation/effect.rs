//! What follows from a step.

use std::fmt;

use super::{ActivityChange, Evidence, GivenAnswer, Timer};
use crate::{Activity, Answer, Event, QuestionId};

/// Something to be done after a step. Where it says so, its result is the next input.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Append an event.
    RecordEvent {
        /// The event.
        event: Box<Event>,
        /// Whether the viewers of an agent without a screen see it.
        shown: bool,
    },
    /// Append that the agent does something else than before. Evidence that is an event is the last one of the log.
    RecordActivity(ActivityChange),
    /// Write a message by the agent's protocol. The result is `MessageSent`.
    SendMessage(String),
    /// Type a message on the agent's terminal, and Enter.
    TypeMessage(String),
    /// Write an interrupt by the agent's protocol. The result is `InterruptSent`.
    SendInterrupt {
        /// The request that waits for what becomes of it.
        request: i64,
    },
    /// Press a key on the agent's terminal.
    PressKey(InterruptKey),
    /// Close the agent's input.
    CloseInput,
    /// Send TERM to the agent.
    TerminateAgent,
    /// Send KILL to the agent.
    KillAgent,
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
    /// Store and record the outcome of an answer: delivered, or not delivered and why.
    Settle {
        /// The question.
        id: QuestionId,
        /// The answer.
        given: GivenAnswer,
        /// The outcome.
        outcome: Result<String, RequestFailure>,
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
    /// Store the outcome of a request, for the command that waits for it.
    FinishRequest {
        /// The number of the request.
        request: i64,
        /// The outcome.
        outcome: Result<String, RequestFailure>,
    },
    /// Ask what the dialog on the screen asks. The result is `Asked`.
    AskAboutDialog,
    /// Ask the user about a screen that is not recognised. The result is `Asked`.
    AskAboutScreen,
    /// From now on keep what the new process draws apart from what the one before left on the screen.
    KeepNewScreen,
    /// That is not needed any more.
    DropNewScreen,
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
    /// Stop the run: the agent made no progress for too long.
    StopForNoProgress,
}

impl Effect {
    pub(super) fn activity(activity: Activity, evidence: Evidence) -> Self {
        Self::RecordActivity(ActivityChange { activity, evidence })
    }

    pub(super) fn record(event: Event) -> Self {
        Self::RecordEvent { event: Box::new(event), shown: false }
    }
}

/// Why a message, an interrupt or an answer did not reach the agent, in words for its sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RequestFailure(pub String);

impl From<&str> for RequestFailure {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<String> for RequestFailure {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// A key that interrupts an agent on its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptKey {
    /// Esc.
    Escape,
    /// Ctrl-C.
    ControlC,
}

impl fmt::Display for InterruptKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Escape => "Esc",
            Self::ControlC => "Ctrl-C",
        })
    }
}
