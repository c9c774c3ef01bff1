//! `agency workflow approve` and `reject`: the answer to what a session asks for.

use std::process::ExitCode;

use super::{SESSION_HELP, answer, orchestrator, selected};
use crate::context::{Context, user_name};
use crate::problem::Problem;

/// Agree to what a session waits for: an approval, or the merge that it shows
#[derive(Debug, clap::Args)]
#[command(after_help = "agency inbox show has the whole question.\n\nExamples:\n  \
    agency workflow approve last\n  agency workflow approve last --message \"Only to staging\"")]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::active_session))]
    session: String,
    /// What later steps may read
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
}

/// Refuse what a session waits for, which blocks it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow reject last --message \"The tests are missing\"")]
pub(crate) struct RejectArgs {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates(crate::command::completions::active_session))]
    session: String,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = orchestrator.approve(&id, args.message.as_deref(), &user_name())?;
    answer(&mut orchestrator, &session, context)
}

pub(crate) fn reject(args: &RejectArgs, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = orchestrator.reject(&id, args.message.as_deref(), &user_name())?;
    answer(&mut orchestrator, &session, context)
}
