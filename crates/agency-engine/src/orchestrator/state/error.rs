//! What can go wrong with the files of a session.

use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_model::workflow::HistoryError;

use crate::home::HomeError;

/// Why a session cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SessionError {
    /// No session is called so.
    #[error("no session matches '{0}'")]
    NotFound(String),
    /// Several sessions are called so.
    #[error("'{text}' matches several sessions: {}", ids.join(", "))]
    Ambiguous {
        /// What was given.
        text: String,
        /// What it may mean.
        ids: Vec<String>,
    },
    /// Another process drives it or changes it right now.
    #[error("session {0} is in use by another process")]
    InUse(String),
    /// Its record cannot be understood.
    #[error("{}: {why}", path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A line of its history cannot be understood.
    #[error("{}: line {line}: {why}", path.display())]
    BadHistory {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// Why not.
        why: String,
    },
    /// Its history does not fit its plan.
    #[error("{}: {source}", path.display())]
    WrongHistory {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: HistoryError,
    },
    /// A file.
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl SessionError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) | Self::Ambiguous { .. } => ErrorCode::SessionNotFound,
            Self::InUse(_) => ErrorCode::InvalidState,
            Self::BadRecord { .. } | Self::BadHistory { .. } | Self::WrongHistory { .. } => ErrorCode::Io,
            Self::Home(error) => error.code(),
        }
    }
}
