//! How an agent is started again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::environment_of_process;

/// How an agent is started again. [`RestartRequest::new`] is without a prompt, in the environment of this process.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RestartRequest {
    /// Its prompt; nothing if absent.
    pub prompt: Option<String>,
    /// The working directory of the user.
    pub current_directory: PathBuf,
    /// The environment it gets.
    pub environment: BTreeMap<OsString, OsString>,
}

impl RestartRequest {
    /// Without a prompt, with the environment of this process; the user is in `directory`,
    /// where a relative path of a program is looked for.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { prompt: None, current_directory: directory.into(), environment: environment_of_process() }
    }

    /// What the agent is to do.
    #[must_use]
    pub fn prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt = Some(text.into());
        self
    }

    /// The environment of the agent, in place of that of this process.
    #[must_use]
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.environment = environment;
        self
    }
}
