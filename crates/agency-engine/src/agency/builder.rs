//! Opens the home with the settings of a program, and defaults for the rest.

use std::path::PathBuf;

use agency_adapters::AgentAdapter;

use super::{Agency, OpenError};
use crate::config::{Config, Environment, register_adapter};
use crate::home::{Home, HomeError};

/// What [`Agency::builder`] begins.
#[derive(Debug, Default)]
#[must_use = "nothing is opened before `build`"]
pub struct AgencyBuilder {
    home: Option<PathBuf>,
    config: Option<Config>,
    program: Option<PathBuf>,
    adapters: Vec<(String, &'static dyn AgentAdapter)>,
}

impl AgencyBuilder {
    /// Keeps everything in this directory. Without it: `$AGENCY_HOME`, else `~/.agency`.
    pub fn home(mut self, directory: impl Into<PathBuf>) -> Self {
        self.home = Some(directory.into());
        self
    }

    /// Uses this configuration, in all processes of its runs and sessions. Without it: the user's file.
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Starts this program to supervise: `agency`, or another one that calls [`init`](crate::init()). Without it: the one
    /// that runs now.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Makes an adapter of the program's own an agent of this name. Its supervisors are processes of their own, so it is
    /// also given to [`Init::adapter`](crate::Init::adapter).
    pub fn adapter(mut self, name: impl Into<String>, adapter: &'static dyn AgentAdapter) -> Self {
        self.adapters.push((name.into(), adapter));
        self
    }

    /// Opens the home, creating what is missing.
    ///
    /// # Errors
    ///
    /// Fails when the home, the database, the configuration or an adapter cannot be used, and in a process that the
    /// library started in a program without [`init`](crate::init()).
    pub fn build(self) -> Result<Agency, OpenError> {
        let home = match self.home {
            Some(directory) => std::path::absolute(&directory)
                .map(Home::new)
                .map_err(|source| HomeError::new("use", directory, source))?,
            None => Home::of_process()?,
        };
        for (name, adapter) in &self.adapters {
            register_adapter(name, *adapter)?;
        }
        let mut config = match self.config {
            Some(config) => config,
            None => Config::load(None, &Environment::of_process())?,
        };
        for (_, adapter) in self.adapters {
            config.adopt_adapter(adapter);
        }
        let program = match self.program {
            Some(program) => program,
            None => std::env::current_exe().map_err(OpenError::Program)?,
        };
        Agency::open(home, config, program)
    }
}
