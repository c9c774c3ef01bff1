//! Why a race could not be started, found or verified.

use agency_model::ErrorCode;
use agency_workspace::MergeError;

use crate::home::HomeError;
use crate::land::LandError;
use crate::runs::create::CreateError;
use crate::runs::remove::RemoveError;
use crate::runs::wait::WaitError;
use crate::runs::work_events::RecordError;
use crate::store::StoreError;

/// Why something about a race could not be done.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RaceError {
    /// There are too few runs to compare.
    #[error("a race needs at least two agents, and at most {most}")]
    Size {
        /// How many it may have.
        most: usize,
    },
    /// An agent works without a worktree of git.
    #[error("the runs of a race work in worktrees of git")]
    NotInWorktrees,
    /// No race is called so.
    #[error("no race matches '{0}'")]
    NotFound(String),
    /// Several races are called so.
    #[error("'{text}' matches several races: {}", ids.join(", "))]
    Ambiguous {
        /// What was given.
        text: String,
        /// What it may mean.
        ids: Vec<String>,
    },
    /// Another process verifies.
    #[error("another process verifies the race {0}")]
    Busy(String),
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
    /// The user ended it while its runs were started.
    #[error("interrupted; {started} of the runs of {race} are started and left running")]
    Incomplete {
        /// The race.
        race: String,
        /// How many of its runs were created.
        started: usize,
    },
    /// No run of the race could be started.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// Waiting for a run.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// A worktree.
    #[error(transparent)]
    Workspace(#[from] RemoveError),
    /// The tree in which work is verified.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Whether work merges.
    #[error(transparent)]
    Land(Box<LandError>),
    /// An event was not recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LandError> for RaceError {
    fn from(error: LandError) -> Self {
        Self::Land(Box::new(error))
    }
}

impl RaceError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Size { .. } | Self::NotInWorktrees => ErrorCode::InvalidSpec,
            Self::NotFound(_) => ErrorCode::RunNotFound,
            Self::Ambiguous { .. } => ErrorCode::AmbiguousRun,
            Self::Busy(_) => ErrorCode::InvalidState,
            Self::Interrupted | Self::Incomplete { .. } => ErrorCode::Interrupted,
            Self::Create(error) => error.code(),
            Self::Wait(WaitError::Home(error)) | Self::Home(error) => error.code(),
            Self::Wait(WaitError::Store(error)) | Self::Store(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Merge(error) => error.code(),
            Self::Land(error) => error.code(),
            Self::Record(error) => error.code(),
        }
    }
}
