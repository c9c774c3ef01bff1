//! Why a run was not removed, in words that name the run and what is still there.

use agency_model::run::State;
use agency_model::workflow::SessionState;
use agency_model::{ErrorCode, RunId, SessionId};
use agency_workspace::WorkspaceError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::StoreError;

/// Something that could not be removed, and how to remove it by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Remaining {
    /// What it is.
    pub resource: String,
    /// Why it is still there.
    pub why: String,
    /// The command that removes it.
    pub command: String,
}

/// Why a run was not removed.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RemoveError {
    /// The run is not over.
    #[error("{id} is {state}; stop it first (agency stop {id})")]
    NotEnded {
        /// The run.
        id: RunId,
        /// Its state.
        state: State,
    },
    /// Another process is removing it, or its supervisor has not exited yet.
    #[error("{0} is still in use by another process")]
    InUse(RunId),
    /// Something is still there.
    #[error("{id} was not removed: {}", remaining.iter().map(|left| left.why.as_str()).collect::<Vec<_>>().join("; "))]
    Remains {
        /// The run.
        id: RunId,
        /// What is still there.
        remaining: Vec<Remaining>,
    },
    /// Its workflow session can still be resumed or retried.
    #[error("{id} belongs to workflow session {session}, which {}", session_words(*state))]
    NeededBySession {
        /// The run.
        id: RunId,
        /// The session.
        session: SessionId,
        /// Its state, where it can be read.
        state: Option<SessionState>,
    },
    /// A condition of the removal is not fulfilled.
    #[error("{id} is kept: {why}")]
    Kept {
        /// The run.
        id: RunId,
        /// Which one.
        why: String,
    },
    /// The repository.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored commit is none.
    #[error("the row of {0} holds no valid base commit")]
    BadRow(RunId),
}

impl RemoveError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotEnded { .. } | Self::NeededBySession { .. } | Self::Kept { .. } => ErrorCode::InvalidState,
            Self::InUse(_) | Self::Remains { .. } => ErrorCode::CleanupFailed,
            Self::Workspace(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::BadRow(_) => ErrorCode::DbError,
        }
    }
}

/// How a session stands that keeps its runs.
fn session_words(state: Option<SessionState>) -> String {
    match state {
        Some(state) => format!("is {state} and can still be continued"),
        None => "cannot be read, so it may not be finished".to_owned(),
    }
}
