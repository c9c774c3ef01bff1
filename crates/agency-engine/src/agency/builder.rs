//! Opens the home with the settings of a program, and defaults for the rest.

use std::io;
use std::path::PathBuf;

use agency_adapters::AgentAdapter;

use super::{Agency, OpenError};
use crate::config::{Config, Environment, register_adapter};
use crate::home::{Home, HomeError};
use crate::own_program::own_executable;

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
    /// that runs now. A path is taken from the current directory, a bare name from `$PATH`.
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
            Some(directory) if directory.as_os_str().is_empty() => {
                return Err(HomeError::new("open", directory, empty("home", "the home of the user")).into());
            }
            Some(directory) => Home::new(directory),
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
            Some(program) if program.as_os_str().is_empty() => {
                return Err(OpenError::Program(empty("program", "the program that runs now")));
            }
            Some(program) => program,
            None => own_executable().map_err(OpenError::Program)?,
        };
        Agency::open(home, config, program)
    }
}

fn empty(setting: &str, otherwise: &str) -> io::Error {
    let why = format!("AgencyBuilder::{setting} got an empty path; without the call, {otherwise} is used");
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
