//! Why something could not be done with sources.

use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_workspace::WorkspaceError;

use crate::config::ConfigError;
use crate::home::HomeError;

/// Why something could not be done with sources.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SourceError {
    /// A name cannot be used.
    #[error("a source or group cannot be named {name:?}: {why}")]
    InvalidName {
        /// The name.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// An address or ref cannot be used.
    #[error("{what} {value:?} cannot be used: {why}")]
    Invalid {
        /// What it is.
        what: &'static str,
        /// The value, without a password.
        value: String,
        /// Why not.
        why: &'static str,
    },
    /// The name is taken.
    #[error("a {what} named '{name}' already exists")]
    Exists {
        /// A source or a group.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing has that name.
    #[error("no {what} is named '{name}'{}", meant(nearest))]
    NotFound {
        /// A source or a group.
        what: &'static str,
        /// The name.
        name: String,
        /// Those that were probably meant.
        nearest: Vec<String>,
    },
    /// Its files are not there.
    #[error("the source '{name}' is gone: {} {why}", path.display())]
    Gone {
        /// The source.
        name: String,
        /// Where its files should be.
        path: PathBuf,
        /// What was found.
        why: &'static str,
        /// The way out.
        hint: String,
    },
    /// The file of sources has a mistake.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// Another process is writing.
    #[error("another process holds {}", .0.display())]
    Busy(PathBuf),
    /// The file to import is not a regular file.
    #[error("{}: {message}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file could not be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// Git failed.
    #[error("the source '{name}' could not be fetched: {message}")]
    Sync {
        /// The source.
        name: String,
        /// Git's own words.
        message: String,
    },
    /// There is no git, or a clone cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The user wanted no more of it.
    #[error("interrupted")]
    Interrupted,
}

fn meant(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

impl SourceError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidName { .. } | Self::Invalid { .. } => ErrorCode::InvalidSource,
            Self::Exists { .. } => ErrorCode::SourceExists,
            Self::NotFound { .. } => ErrorCode::SourceNotFound,
            Self::Gone { .. } => ErrorCode::SourceGone,
            Self::File(_) | Self::Import { .. } => ErrorCode::InvalidConfig,
            Self::Busy(_) => ErrorCode::Timeout,
            Self::Home(error) => error.code(),
            Self::Sync { .. } => ErrorCode::SyncFailed,
            Self::Workspace(error) => error.code(),
            Self::Interrupted => ErrorCode::Interrupted,
        }
    }
}
