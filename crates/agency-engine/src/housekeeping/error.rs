//! Why disk space could not be measured or cleaned up.

use agency_model::ErrorCode;

use crate::home::HomeError;
use crate::store::StoreError;

/// Why disk space could not be measured or cleaned up.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum HousekeepingError {
    /// Another process executes `agency gc`.
    #[error("another agency gc is at work in this home")]
    Busy,
    /// The caller ended it before anything was removed.
    #[error("interrupted; nothing was removed")]
    Interrupted,
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The lock.
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl HousekeepingError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Busy => ErrorCode::CleanupFailed,
            Self::Interrupted => ErrorCode::Interrupted,
            Self::Store(error) => error.code(),
            Self::Home(error) => error.code(),
        }
    }
}
