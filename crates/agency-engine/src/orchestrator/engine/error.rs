//! What can keep a session from being driven.

use agency_model::workflow::RejectedFact;
use agency_model::{ErrorCode, SessionId};

use super::super::state::SessionError;
use crate::agency::OpenError;
use crate::home::HomeError;
use crate::store::StoreError;

/// Why a driver gives up. The session stays as it is, and another driver may continue it.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DriveError {
    /// The files of the session.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A fact that cannot be.
    #[error("the session cannot continue: {0}")]
    Refused(#[from] RejectedFact),
    /// The worktree of the session is gone.
    #[error("session {0} has no worktree: the run that made it was removed")]
    NoWorktree(SessionId),
    /// The supervisor of the driver is gone.
    #[error("the supervisor is gone")]
    Deserted,
    /// The home.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The home or the database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DriveError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Session(error) => error.code(),
            Self::Refused(_) | Self::NoWorktree(_) | Self::Deserted => ErrorCode::InvalidState,
            Self::Home(error) => error.code(),
            Self::Open(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}
