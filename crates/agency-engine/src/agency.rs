//! The facade: everything that can be done with runs goes through [`Agency`].
//!
//! Its verbs are spread over files that are named after them; this one only opens the place.

use std::path::PathBuf;
use std::time::Duration;

use agency_model::{ErrorCode, RunId};

use crate::config::Config;
use crate::home::{Home, HomeError};
use crate::store::{RunFilter, RunRow, Selected, Store, StoreError};

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

    /// The runs that match, newest first, with the dead ones among them reconciled.
    pub fn list(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        self.reconcile_live()?;
        self.store.list(filter)
    }

    /// One run as the database has it, for those who watch and need no reconciliation.
    pub fn run(&self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.run(id)
    }

    /// One run as the database that is there now has it.
    pub(crate) fn fresh_row(&mut self, id: &RunId) -> Result<RunRow, StoreError> {
        self.store.refresh()?;
        self.store.run(id)
    }

    /// Finds one run by id, prefix or name, reconciled.
    pub fn select(&mut self, text: &str) -> Result<Selected, StoreError> {
        self.reconcile_live()?;
        self.store.select(text)
    }

    /// How long a stop may take before the supervisor counts as stuck.
    pub(crate) fn stop_limit(&self) -> Duration {
        self.config.stop_grace + Duration::from_secs(20)
    }
}
