//! `agency stop`: ends runs; their worktrees stay.

use std::process::ExitCode;

use agency_engine::agency::Agency;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{Spinner, state_word};
use crate::problem::Problem;
use crate::view::{RunView, Runs};

/// Stop runs: TERM to the agent, the grace period, then KILL; the worktree stays
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency stop fix\n  agency stop fix-login fix-logout")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required = true, add = super::completions::run_candidates())]
    runs: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let mut stopped = vec![];
    let mut failed: Option<Problem> = None;
    for text in &args.runs {
        match stop(&mut agency, text, context) {
            Ok(view) => stopped.push(view),
            // One that cannot be stopped does not keep the others.
            Err(problem) => {
                failed = Some(match failed {
                    None => problem,
                    Some(first) => {
                        context.report_to_people(&problem);
                        first
                    }
                });
            }
        }
    }
    let lines: Vec<String> = stopped.iter().map(|run| format!("{} is {}", run.id, state_word(run.state))).collect();
    let human = |out: &mut dyn std::io::Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    match (failed, stopped.as_slice()) {
        (Some(problem), _) if context.json() => Err(problem.detail("stopped", &stopped)),
        (Some(problem), _) => context.print(human).and(Err(problem)),
        (None, [one]) => context.answer(one, human),
        (None, _) => context.answer(&Runs { runs: stopped }, human),
    }
}

fn stop(agency: &mut Agency, text: &str, context: &Context) -> Result<RunView, Problem> {
    let row = context.select(agency, text)?;
    let _spinner = Spinner::begin(format!("stopping {}", row.id), context.is_watched());
    let row = agency.stop(&row)?;
    Ok(RunView::new(row, agency.home()))
}
