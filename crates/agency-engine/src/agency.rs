//! The facade: everything that can be done with runs goes through [`Agency`].
//!
//! Its verbs are in [`runs`](crate::runs); this file only opens the home.
//!
//! ```
//! # let place = tempfile::tempdir()?;
//! # let directory = place.path().join("home");
//! use agency_engine::agency::Agency;
//! use agency_engine::config::Config;
//! use agency_engine::store::RunFilter;
//! use agency_model::run::State;
//!
//! let mut config = Config::default();
//! config.max_agents = 3;
//! let mut agency = Agency::builder().home(directory).config(config).build()?;
//! assert!(agency.list(&RunFilter::default().state(State::Running))?.is_empty());
//!
//! // A clone has a connection of its own.
//! let mut other = agency.clone();
//! let listed = std::thread::spawn(move || other.list(&RunFilter::default()));
//! assert!(listed.join().unwrap()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;

pub use builder::AgencyBuilder;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_model::ErrorCode;

use crate::config::{AdapterRefused, Config, ConfigError};
use crate::deadline::capped;
use crate::home::{Home, HomeError};
use crate::own_program::{NotInitialised, check_child};
use crate::store::{Store, StoreError};

/// One user's runs. A clone has a connection of its own to the database, and can be used in another thread.
#[derive(Debug, Clone)]
pub struct Agency {
    pub(crate) home: Home,
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) executable: PathBuf,
}

/// Why the place could not be opened.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OpenError {
    /// The home could not be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The library started this process, and the program did not call [`init`](crate::init).
    #[error(transparent)]
    NotInitialised(#[from] NotInitialised),
    /// The configuration could not be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An adapter of the program's own could not be used.
    #[error(transparent)]
    Adapter(#[from] AdapterRefused),
    /// The program that runs now was not found.
    #[error("the executable of this program was not found: {0}")]
    Program(#[source] io::Error),
}

impl OpenError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::NotInitialised(_) => ErrorCode::HostStartFailed,
            Self::Config(_) => ErrorCode::InvalidConfig,
            Self::Adapter(_) => ErrorCode::RunnerNotConfigured,
            Self::Program(_) => ErrorCode::Io,
        }
    }
}

impl Agency {
    /// Opens the home of this user, or another one, with a configuration and adapters of the program's own.
    pub fn builder() -> AgencyBuilder {
        AgencyBuilder::default()
    }

    /// Opens the home, creating what is missing. `executable` is the program that supervises: `agency`, or this one if
    /// it calls [`init`](crate::init).
    pub fn open(home: Home, config: Config, executable: PathBuf) -> Result<Self, OpenError> {
        Self::open_with(Store::open, home, config, executable)
    }

    /// Does the same before [`Self::reconcile`]: a database that something emptied is moved aside, and a new one is made.
    pub fn open_to_reconcile(home: Home, config: Config, executable: PathBuf) -> Result<Self, OpenError> {
        Self::open_with(Store::open_to_rebuild, home, config, executable)
    }

    /// Does the same before [`Self::full_plan`]: a database that something emptied stays as it is.
    pub fn open_to_plan(home: Home, config: Config, executable: PathBuf) -> Result<Self, OpenError> {
        Self::open_with(Store::open_to_plan, home, config, executable)
    }

    fn open_with(
        open: fn(&Path, Duration) -> Result<Store, StoreError>,
        home: Home,
        mut config: Config,
        executable: PathBuf,
    ) -> Result<Self, OpenError> {
        check_child()?;
        for limit in [&mut config.stop_grace, &mut config.shutdown_grace, &mut config.lock_timeout] {
            *limit = capped(*limit);
        }
        if !home.database().exists() {
            home.ensure()?;
        }
        let store = open(&home.database(), config.lock_timeout)?;
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

    /// The same place with a database connection of its own, for another thread.
    ///
    /// # Errors
    ///
    /// Fails when the database cannot be opened again.
    pub fn try_clone(&self) -> Result<Self, StoreError> {
        Ok(Self {
            home: self.home.clone(),
            config: self.config.clone(),
            store: Store::open(&self.home.database(), self.config.lock_timeout)?,
            executable: self.executable.clone(),
        })
    }
}
