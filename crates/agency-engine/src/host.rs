//! What a supervisor runs in: a tmux session, or a session of its own.

mod detached;
mod tmux;

use std::path::PathBuf;

use crate::own_program::{RESERVED_ARGUMENT, SUPERVISE};
use agency_model::RunId;
use agency_system::process::LOG_VARIABLE;

pub use detached::start_detached;
pub use tmux::{StartingSession, Tmux, TmuxError, TmuxPane, TmuxSession, socket_in};

/// How the supervisor of a run is started.
#[derive(Debug, Clone)]
pub struct SupervisorCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The home of its run.
    pub home: String,
    /// What it finds in its environment beside the usual.
    pub environment: Vec<(&'static str, String)>,
}

impl SupervisorCommand {
    /// The program with the arguments of a supervisor, or the configured wrapper, which is to end up as
    /// `agency supervise <run_id>`.
    #[must_use]
    pub fn new(agency: &str, wrapper: Option<&PathBuf>, home: &str, id: &RunId) -> Self {
        let environment = vec![("AGENCY_HOME", home.to_owned()), ("AGENCY_BIN", agency.to_owned())];
        let argv = match wrapper {
            Some(wrapper) => vec![wrapper.display().to_string(), id.to_string()],
            None => [agency, RESERVED_ARGUMENT, SUPERVISE, id.as_str()].map(str::to_owned).to_vec(),
        };
        Self { argv, home: home.to_owned(), environment }
    }

    /// Lets it record these diagnostics.
    #[must_use]
    pub fn recording(mut self, directives: Option<&str>) -> Self {
        self.environment.extend(directives.map(|directives| (LOG_VARIABLE, directives.to_owned())));
        self
    }
}
