//! `agency workflow resume`: continues a session whose driver died.

use std::process::ExitCode;

use agency_engine::orchestrator::Orchestrator;

use super::continuing::{SessionArgs, continue_session};
use crate::context::Context;
use crate::problem::Problem;

/// Continue a session whose driver has exited; finished steps are not repeated
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow resume last\n  agency workflow resume --detach s_01J…")]
pub(crate) struct Args {
    #[command(flatten)]
    which: SessionArgs,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    continue_session(&args.which, context, Orchestrator::resume)
}
