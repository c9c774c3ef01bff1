//! What a conversation waits for besides inputs.

use crate::QuestionId;

/// What a conversation waits for besides inputs. The durations belong to the process that arms it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// The agent should have made progress.
    Progress,
    /// A message that came during the turn would have begun the next one by now.
    NextTurn,
    /// A message has had no turn. An agent that need not report the beginning would have shown something of it by now.
    SilentTurn,
    /// The agent would have begun to report on its background tasks by now.
    BackgroundReport,
    /// An agent whose input is closed should have exited.
    AgentExit,
    /// An agent that was sent TERM should have exited.
    Termination,
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
    /// A turn should have begun after a message was typed.
    ConfirmMessage,
    /// A new process should have shown that it takes what is typed.
    ProcessReady,
    /// The same, for one whose terminal takes pasted text.
    PromptReady,
    /// The screen has not been recognised for as long as it may be.
    UnrecognisedScreen,
}

impl Timer {
    /// The timers that mean nothing without the process. Those of questions stop with their questions.
    pub(super) const fn of_process() -> [Self; 11] {
        [
            Self::Progress,
            Self::NextTurn,
            Self::SilentTurn,
            Self::BackgroundReport,
            Self::AgentExit,
            Self::Termination,
            Self::StoreQuestion,
            Self::ConfirmAnswer,
            Self::ProcessReady,
            Self::PromptReady,
            Self::UnrecognisedScreen,
        ]
    }
}
