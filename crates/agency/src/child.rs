//! The processes that the library starts of this program: supervisors, drivers, the scripted agent.

use std::io::Write;
use std::process::ExitCode;

use agency_engine::{ChildError, ChildProcess, Execution, Init};

use crate::context::Context;
use crate::diagnostics::{Destination, install, install_for_supervisor};
use crate::output::Surface;
use crate::problem::Problem;

/// Does what the library started this process for; `None` if a user started it.
pub(crate) fn run() -> Option<ExitCode> {
    // Only an adapter can be refused, and this program has none of its own.
    match Init::new().before_child(record_diagnostics).execute().ok()? {
        Execution::NotNeeded => None,
        Execution::Done(outcome) => Some(outcome.map_or_else(report, ExitCode::from)),
    }
}

fn record_diagnostics(child: &ChildProcess) {
    // The process that started this one has refused a filter that is not valid.
    let _ = match child {
        ChildProcess::Supervisor { home, run } => {
            install_for_supervisor(home, run);
            Ok(())
        }
        // Its standard error is part of the log of a run.
        ChildProcess::Driver { home, .. } | ChildProcess::Forecast { home, .. } => {
            install(0, || Some(Destination::File(home.diagnostics_log())))
        }
        ChildProcess::Scripted { .. } => Ok(()),
        _ => Ok(()),
    };
}

fn report(error: ChildError) -> ExitCode {
    if let ChildError::Drive(error) = error {
        return Context::new(false, None).report(&Problem::from(error));
    }
    // The tmux pane, or a log of the run, shows it.
    let text = Surface::stderr().shown(format!("agency: {error}\n").as_bytes());
    let _ = std::io::stderr().write_all(&text);
    ExitCode::FAILURE
}
