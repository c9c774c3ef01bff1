//! `agency agent kill-orphan`: ends an agent that has lost its supervisor.

use std::process::ExitCode;

use super::super::completions::orphan_candidates;
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;

/// End an orphan and everything it started: TERM, the grace period, KILL
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Only a process that `agency agent orphans` lists is ended; the workspace stays.\n\nExamples:\n  \
    agency agent kill-orphan 12345"
)]
pub(crate) struct Args {
    /// The process, as `agency agent orphans` lists it
    #[arg(add = orphan_candidates())]
    pid: u32,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let spinner = Spinner::begin(format!("ending process {}", args.pid), context.is_watched());
    let killed = agency.kill_orphan(args.pid);
    drop(spinner);
    let killed = killed?;
    context.answer(&killed, |out| {
        let all = if killed.ended == 1 { String::new() } else { format!(", with {} more", killed.ended - 1) };
        writeln!(out, "ended process {}{all}; {} is {}", killed.pid, killed.run_id, killed.run_state)
    })
}
