//! `agency workflow complete-task`: completes an interactive task on request.

use std::process::ExitCode;

use super::{SESSION_HELP, answer, orchestrator, selected};
use crate::context::Context;
use crate::problem::Problem;

/// Complete an interactive task: its agent is stopped, and the workflow continues
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow complete-task last explore")]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::open_session))]
    session: String,
    /// The task, by its name or its path
    task: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = orchestrator.complete_task(&id, &args.task)?;
    answer(&mut orchestrator, &session, context)
}
