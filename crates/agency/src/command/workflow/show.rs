//! `agency workflow show`: one session with its steps.

use std::io::IsTerminal;
use std::process::ExitCode;

use super::{SESSION_HELP, answer, orchestrator, selected, tree, watching};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;

/// Show a session: its steps with their states, times, costs and runs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  agency workflow show last\n  agency workflow show -f last\n  agency workflow show last --json"
)]
pub(crate) struct Args {
    #[arg(help = SESSION_HELP, default_value = "last", add = crate::command::completions::session_candidates(crate::command::completions::any_session))]
    session: String,
    /// Follow until the session stops: redraw the steps on a terminal, otherwise print a line per change
    #[arg(short, long)]
    follow: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut orchestrator = orchestrator(context)?;
    let id = selected(&orchestrator, &args.session)?;
    let session = orchestrator.show(&id)?;
    if !args.follow || session.state().is_settled() {
        return answer(&mut orchestrator, &session, context);
    }
    let after = session.entries.last().map_or(0, |entry| entry.seq);
    let interrupts = Interrupts::listen()?;
    if !context.json() && std::io::stdout().is_terminal() {
        return watching::watch_tree(&mut orchestrator, &id, after, interrupts.asked(), context);
    }
    if !context.json() {
        let overview = orchestrator.overview(&session)?;
        context.print(|out| tree::print(out, &overview).and_then(|()| writeln!(out)))?;
    }
    watching::watch(&mut orchestrator, &id, after, interrupts.asked(), context)
}
