//! `agency workflow cancel`: ends a session.

use std::process::ExitCode;

use super::{SESSION_HELP, answer, orchestrator, selected};
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;

/// End a session: its agents and commands are stopped, its worktree stays
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow cancel last")]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::open_session))]
    session: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = {
        let _spinner = Spinner::begin(format!("ending {id}"), context.is_watched());
        orchestrator.cancel(&id, context.caller_env()?)?
    };
    answer(&mut orchestrator, &session, context)
}
