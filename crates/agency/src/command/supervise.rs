//! `agency supervise <run_id>`: what a run is started with; not for users.

use std::io::Write;
use std::process::ExitCode;

use agency_engine::supervise::supervise;

use crate::context::home_from_environment;
use crate::diagnostics::install_for_supervisor;
use crate::output::Surface;

/// Supervises, if that is what the command line says; `None` if it says something else.
pub(crate) fn is_meant() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let verb = arguments.next()?;
    let id = arguments.next()?;
    if verb != "supervise" || arguments.next().is_some() {
        return None;
    }
    let id = id.to_str()?.parse().ok()?;
    let outcome = home_from_environment().map_err(|problem| problem.to_human()).and_then(|home| {
        install_for_supervisor(&home, &id);
        supervise(&home, &id).map_err(|error| error.to_string())
    });
    match outcome {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(message) => {
            // The tmux pane, or the supervisor's log, shows it.
            let text = Surface::stderr().shown(format!("agency: {message}\n").as_bytes());
            let _ = std::io::stderr().write_all(&text);
            Some(ExitCode::FAILURE)
        }
    }
}
