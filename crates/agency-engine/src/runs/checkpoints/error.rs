//! Why a checkpoint was not taken, found or restored.

use agency_model::{ErrorCode, RunId, Vcs};
use agency_workspace::{CheckpointError, WorkspaceError};

use crate::home::HomeError;
use crate::runs::messages::DeliveryError;
use crate::runs::remove::RemoveError;
use crate::runs::work_events::RecordError;
use crate::store::StoreError;

/// Says what could not be done with the checkpoints of a run.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CheckpointsError {
    /// The run has no git worktree of its own.
    #[error("{id} has no checkpoints: {}", why_none(*.vcs))]
    NoWorktree {
        /// The run.
        id: RunId,
        /// What keeps its files.
        vcs: Vcs,
    },
    /// The worktree is gone.
    #[error("{id} was removed, and its worktree with it")]
    Removed {
        /// The run.
        id: RunId,
    },
    /// The agent would still write while files are restored.
    #[error("the agent of {id} is at work")]
    Working {
        /// The run.
        id: RunId,
    },
    /// The worktree or its checkpoints.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The worktree cannot be found.
    #[error(transparent)]
    Remove(Box<RemoveError>),
    /// The agent was not interrupted.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// It was done, but not recorded.
    #[error("this was done, but no event of it was recorded: {0}")]
    Record(#[from] RecordError),
    /// The directory of the run could not be watched.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<WorkspaceError> for CheckpointsError {
    fn from(error: WorkspaceError) -> Self {
        Self::Checkpoint(error.into())
    }
}

impl CheckpointsError {
    /// There is no checkpoint with this number.
    pub(super) fn missing(number: u32, last: u32) -> Self {
        CheckpointError::Missing { number, last: Some(last).filter(|last| *last > 0) }.into()
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoWorktree { .. } | Self::Removed { .. } | Self::Working { .. } => ErrorCode::InvalidState,
            Self::Checkpoint(error) => error.code(),
            Self::Remove(error) => error.code(),
            Self::Delivery(error) => error.code(),
            Self::Record(error) => error.code(),
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

const fn why_none(vcs: Vcs) -> &'static str {
    match vcs {
        Vcs::Git => "it has no worktree of its own",
        Vcs::Jj => "jj records its files itself (jj op log)",
    }
}
