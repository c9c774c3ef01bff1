//! What can go wrong with the database.

use std::path::{Path, PathBuf};

use agency_model::run::Refusal;
use agency_model::{ErrorCode, RunId};
use rusqlite::ErrorCode as Sqlite;

/// Why the database did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StoreError {
    /// Another process held the write lock too long.
    #[error("the database stayed locked by another process for {seconds} s")]
    Locked {
        /// How long we waited.
        seconds: u64,
    },
    /// The file was written by a newer agency.
    #[error("{} has schema version {found}; this agency knows versions up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The file is damaged. It is left as it is.
    #[error("{} is damaged: {message}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        message: String,
    },
    /// The file was moved or deleted while it was open.
    #[error("the database {} is gone", path.display())]
    Missing {
        /// Where it was.
        path: PathBuf,
    },
    /// Something removed all content of the file. It is left as it is.
    #[error("the database {} is empty: its content was removed while there were runs", path.display())]
    Emptied {
        /// The file.
        path: PathBuf,
    },
    /// The system refused access to the file.
    #[error("no access to {}: {message}", path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        message: String,
    },
    /// No run has this id.
    #[error("no run {0}")]
    NotFound(RunId),
    /// A live agent has the name.
    #[error("a live agent has this name")]
    NameTaken,
    /// The state machine refuses.
    #[error("{id}: {refusal}")]
    Refused {
        /// The run.
        id: RunId,
        /// Why.
        refusal: Refusal,
    },
    /// A stored value is none that agency writes.
    #[error("the database holds {column} = '{value}', which is not a known value")]
    BadValue {
        /// The column.
        column: &'static str,
        /// What it holds.
        value: String,
    },
    /// Any other error of SQLite.
    #[error("database error: {0}")]
    Sqlite(#[source] SqliteError),
}

/// What SQLite says.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SqliteError(rusqlite::Error);

impl StoreError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Locked { .. } => ErrorCode::DbLocked,
            Self::Access { .. } => ErrorCode::PermissionDenied,
            Self::NotFound(_) => ErrorCode::RunNotFound,
            Self::NameTaken => ErrorCode::AgentExists,
            Self::Refused { .. } => ErrorCode::InvalidState,
            Self::Newer { .. }
            | Self::Missing { .. }
            | Self::Emptied { .. }
            | Self::Corrupt { .. }
            | Self::BadValue { .. }
            | Self::Sqlite(_) => ErrorCode::DbError,
        }
    }

    /// Whether the database does not have the run, or there is none at all: `agency reconcile` rebuilds the row.
    #[must_use]
    pub fn is_lost_row(&self) -> bool {
        // A question or a request of a run without a row.
        let has_no_row = |error: &rusqlite::Error| {
            error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY)
        };
        matches!(self, Self::NotFound(_) | Self::Missing { .. } | Self::Emptied { .. })
            || matches!(self, Self::Sqlite(error) if has_no_row(&error.0))
    }

    /// Whether a rule of the schema refused.
    pub(super) fn is_constraint(&self) -> bool {
        matches!(self, Self::NameTaken)
            || matches!(self, Self::Sqlite(error) if error.0.sqlite_error_code() == Some(Sqlite::ConstraintViolation))
    }

    /// Whether the disk took no more bytes.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        let full = [Some(Sqlite::DiskFull), Some(Sqlite::SystemIoFailure)];
        matches!(self, Self::Sqlite(error) if full.contains(&error.0.sqlite_error_code()))
    }
}

impl StoreError {
    /// Names the file where SQLite says only what is wrong with it.
    pub(super) fn naming(self, path: &Path) -> Self {
        if let Self::Sqlite(error) = self { opening(path.to_owned())(error.0) } else { self }
    }
}

#[doc(hidden)]
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => {
                Self::Locked { seconds: super::open::lock_timeout().as_secs() }
            }
            Some(Sqlite::ConstraintViolation) if error.to_string().contains("runs.name") => Self::NameTaken,
            _ => Self::Sqlite(SqliteError(error)),
        }
    }
}

/// Turns an error of opening a file into one that names it.
pub(super) fn opening(path: PathBuf) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |error| {
        let message = error.to_string();
        match error.sqlite_error_code() {
            Some(Sqlite::NotADatabase | Sqlite::DatabaseCorrupt) => StoreError::Corrupt { path, message },
            Some(Sqlite::CannotOpen | Sqlite::ReadOnly | Sqlite::PermissionDenied) => {
                StoreError::Access { path, message }
            }
            _ => error.into(),
        }
    }
}
