//! `agency workflow show`: one session with its steps.

use std::process::ExitCode;

use super::{SESSION_HELP, answer, orchestrator, selected, tree, watching};
use crate::context::Context;
use crate::patience::Patience;
use crate::problem::Problem;

/// Show a session: its steps with their states, times, costs and runs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  agency workflow show last\n  agency workflow show -f last\n  agency workflow show last --json"
)]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, default_value = "last", add = crate::command::completions::session_candidates())]
    session: String,
    /// Go on with what happens until the session stands still
    #[arg(short, long)]
    follow: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = orchestrator.show(&id)?;
    if !args.follow || session.state().stands_still() {
        return answer(&mut orchestrator, &session, context);
    }
    let after = session.entries.last().map_or(0, |entry| entry.seq);
    if !context.json() {
        let overview = orchestrator.overview(&session)?;
        context.print(|out| tree::print(out, &overview).and_then(|()| writeln!(out)))?;
    }
    let patience = Patience::listen()?;
    watching::watch(&mut orchestrator, &id, after, patience.asked(), context)
}
