//! What can go wrong with workflow sessions.

use agency_model::workflow::{RejectedFact, SessionState};
use agency_model::{ErrorCode, SessionId};

use super::engine::DriveError;
use super::state::{SessionError, StepState};
use crate::home::HomeError;
use crate::runs::create::CreateError;
use crate::runs::messages::DeliveryError;
use crate::runs::stop::StopError;
use crate::runs::wait::WaitError;
use crate::store::StoreError;

/// Why something was not done with a session.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OrchestratorError {
    /// The session stands where this cannot be done.
    #[error("session {id} is {state}: {why}")]
    WrongState {
        /// The session.
        id: SessionId,
        /// Where it stands.
        state: SessionState,
        /// What to do instead.
        why: &'static str,
    },
    /// The session has no driver.
    #[error("session {id} has no driver; agency workflow resume {id} continues it")]
    NotDriven {
        /// The session.
        id: SessionId,
    },
    /// The workflow has no such step.
    #[error("the workflow has no step `{name}`{}", nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")))]
    NoSuchStep {
        /// The name.
        name: String,
        /// A similar one.
        nearest: Option<String>,
    },
    /// The step is not a task that can be completed by hand now.
    #[error("`{name}` is {}: only an interactive agent that is at work can be completed by hand", state.as_str())]
    NotActive {
        /// The step.
        name: String,
        /// How it stands.
        state: StepState,
    },
    /// The step is not for users.
    #[error("`{name}` is not an interactive agent: only an interactive agent can be completed by hand")]
    NotInteractive {
        /// The step.
        name: String,
    },
    /// No approval is open.
    #[error("session {id} is not waiting for an approval")]
    NothingAsked {
        /// The session.
        id: SessionId,
    },
    /// The question is not an approval.
    #[error("session {id} asks for a choice; answer it with: agency answer {question} {}", options.join("|"))]
    ChoiceAsked {
        /// The session.
        id: SessionId,
        /// The question.
        question: String,
        /// What can be chosen.
        options: Vec<String>,
    },
    /// Several approvals are asked for.
    #[error("session {id} asks for several approvals: {}; answer them in the inbox", questions.join(", "))]
    SeveralAsked {
        /// The session.
        id: SessionId,
        /// The questions.
        questions: Vec<String>,
    },
    /// The plan does not allow it.
    #[error(transparent)]
    Refused(#[from] RejectedFact),
    /// The files of the session.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Its driver could not be started.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// Its driver could not be reached.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// Its driver could not be stopped.
    #[error(transparent)]
    Stop(#[from] StopError),
    /// It could not be driven to its end.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// It could not be waited for.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// A file.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OrchestratorError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::WrongState { .. }
            | Self::NotDriven { .. }
            | Self::NotActive { .. }
            | Self::NotInteractive { .. }
            | Self::NothingAsked { .. }
            | Self::ChoiceAsked { .. }
            | Self::SeveralAsked { .. } => ErrorCode::InvalidState,
            Self::NoSuchStep { .. } => ErrorCode::StepNotFound,
            Self::Refused(RejectedFact::NoSuchStep(_)) => ErrorCode::StepNotFound,
            Self::Refused(_) => ErrorCode::InvalidState,
            Self::Session(error) => error.code(),
            Self::Create(error) => error.code(),
            Self::Delivery(error) => error.code(),
            Self::Stop(error) => error.code(),
            Self::Drive(error) => error.code(),
            Self::Wait(WaitError::Home(error)) | Self::Home(error) => error.code(),
            Self::Wait(WaitError::Store(error)) | Self::Store(error) => error.code(),
        }
    }
}
