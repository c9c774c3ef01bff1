//! What can go wrong with named agents.

use agency_model::{ErrorCode, RunId};

use crate::home::HomeError;
use crate::runs::create::CreateError;
use crate::runs::orphans::OrphanError;
use crate::runs::stop::StopError;
use crate::store::StoreError;

/// Why an agent was not spawned, stopped, restarted or found.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AgentError {
    /// The name cannot be used.
    #[error(
        "'{name}' cannot be the name of an agent: it has 1 to 64 letters, digits, '-' and '_', begins with a letter or \
         digit, and not with 'r_'"
    )]
    InvalidName {
        /// The name.
        name: String,
    },
    /// Another live agent has the name.
    #[error("an agent named '{name}' is running{}", run.as_ref().map_or_else(String::new, |run| format!(": {run}")))]
    NameTaken {
        /// The name.
        name: String,
        /// Its run, if it was there already when we looked.
        run: Option<RunId>,
    },
    /// No agent has the name.
    #[error("no agent is named '{name}'{}", nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean {near}?")))]
    NotFound {
        /// The name.
        name: String,
        /// A similar one.
        nearest: Option<String>,
    },
    /// Its run could not be created.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// Its run could not be stopped.
    #[error(transparent)]
    Stop(#[from] StopError),
    /// An orphan could not be ended.
    #[error(transparent)]
    Orphan(#[from] OrphanError),
    /// A file of its run.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(StoreError),
}

impl AgentError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidName { .. } => ErrorCode::InvalidSpec,
            Self::NameTaken { .. } => ErrorCode::AgentExists,
            Self::NotFound { .. } => ErrorCode::RunNotFound,
            Self::Create(error) => error.code(),
            Self::Stop(error) => error.code(),
            Self::Orphan(error) => error.code(),
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// Two may ask for the same name at the same time; the database gives it to one.
    pub(super) fn spawning(name: &str, error: CreateError) -> Self {
        if matches!(error, CreateError::Store(StoreError::NameTaken)) {
            return Self::NameTaken { name: name.to_owned(), run: None };
        }
        Self::Create(error)
    }
}
