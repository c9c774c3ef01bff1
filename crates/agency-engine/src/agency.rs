//! The facade: everything that can be done with runs goes through [`Agency`].
//!
//! Its verbs are in [`runs`](crate::runs); this file only opens the home.

use std::path::PathBuf;

use agency_model::ErrorCode;

use crate::config::Config;
use crate::home::{Home, HomeError};
use crate::store::{Store, StoreError};

/// One user's runs.
#[derive(Debug)]
pub struct Agency {
    pub(crate) home: Home,
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) executable: PathBuf,
}

/// Why the place could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The home could not be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OpenError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// Opens the home, creating what is missing. `executable` is the program that supervises.
    pub fn open(home: Home, config: Config, executable: PathBuf) -> Result<Self, OpenError> {
        if !home.database().exists() {
            home.ensure()?;
        }
        let store = Store::open(&home.database(), config.lock_timeout)?;
        Ok(Self { home, config, store, executable })
    }

    /// Where everything is kept.
    #[must_use]
    pub const fn home(&self) -> &Home {
        &self.home
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }
}
