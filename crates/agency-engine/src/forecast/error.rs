//! Why there is no forecast.

use agency_model::ErrorCode;
use agency_workspace::{MergeError, WorkspaceError};

use crate::home::HomeError;
use crate::project::ProjectError;
use crate::store::StoreError;

/// Why there is no forecast.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ForecastError {
    /// The repository or the branch.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Git could not compare.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The project file.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The file of the forecast.
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl ForecastError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Merge(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Project(error) => error.code(),
            Self::Home(error) => error.code(),
        }
    }
}
