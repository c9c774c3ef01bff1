//! `agency stop`: ends runs; their worktrees stay.

use std::process::ExitCode;

use super::RUN_HELP;
use super::ls::Runs;
use crate::context::Context;
use crate::output::{Spinner, state_word};
use crate::problem::Problem;
use crate::view::RunView;

/// Stop runs: TERM to the agent, a grace, then KILL; the worktree stays
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency stop fix\n  agency stop fix-login fix-logout")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required = true, add = super::completions::run_candidates())]
    runs: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let mut stopped = vec![];
    for text in &args.runs {
        let row = context.select(&mut agency, text)?;
        let _spinner = Spinner::begin(format!("stopping {}", row.id), context.is_watched());
        let row = agency.stop(&row)?;
        stopped.push(RunView::new(row, agency.home()));
    }
    let lines: Vec<String> = stopped
        .iter()
        .map(|run| format!("{} is {}", run.id, state_word(run.state)))
        .collect();
    let human = |out: &mut dyn std::io::Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    match stopped.as_slice() {
        [one] => context.answer(one, human),
        _ => context.answer(&Runs { runs: stopped }, human),
    }
}
