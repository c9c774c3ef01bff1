//! `agency workflow retry`: continues a session that is blocked, failed or cancelled.

use std::process::ExitCode;

use super::continuing::{SessionArgs, continue_session};
use crate::context::Context;
use crate::problem::Problem;

/// Retry a session that is blocked, failed or cancelled: from the failed step, or from a given one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow retry last\n  agency workflow retry last --from tests")]
pub(crate) struct Args {
    /// Do this step again, and all that come after it
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
    #[command(flatten)]
    which: SessionArgs,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let from = args.from.as_deref();
    continue_session(&args.which, context, |orchestrator, id, caller_env, asked| {
        orchestrator.retry(id, from, caller_env, asked)
    })
}
