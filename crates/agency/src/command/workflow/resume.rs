//! `agency workflow resume`: a session whose driver died goes on.

use std::process::ExitCode;

use super::{SESSION_HELP, answer, around, orchestrator, selected, watching};
use crate::context::Context;
use crate::patience::Patience;
use crate::problem::Problem;

/// Let a session go on that nobody drives any more; what is done is not done again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow resume last\n  agency workflow resume --detach s_01J…")]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, add = crate::command::completions::session_candidates())]
    session: String,
    /// Do not follow it
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let patience = Patience::listen()?;
    let before = orchestrator.show(&id)?.entries.last().map_or(0, |entry| entry.seq);
    let around = around(context)?;
    let session = patience.while_creating(|asked| orchestrator.resume(&id, around, asked))?;
    if args.detach {
        return answer(&mut orchestrator, &session, context);
    }
    watching::watch(&mut orchestrator, &id, before, patience.asked(), context)
}
