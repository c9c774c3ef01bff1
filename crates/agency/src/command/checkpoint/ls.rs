//! `agency checkpoint ls`: the checkpoints of a run.

use std::process::ExitCode;

use agency_engine::store::Purpose;
use jiff::Timestamp;

use crate::command::{RUN_HELP, completions};
use crate::context::Context;
use crate::problem::Problem;
use crate::view::Checkpoints;

/// List the checkpoints of a run, the last one first, and how much changed in each
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency checkpoint ls fix\n  agency checkpoint ls fix --json")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = completions::run_candidates(Purpose::Read))]
    run: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let list = Checkpoints::new(&row, agency.checkpoint_sizes(&row)?);
    context.answer(&list, |out| {
        if list.checkpoints.is_empty() {
            return writeln!(out, "No checkpoints: the files are as at the start.");
        }
        write!(out, "{}", list.table(Timestamp::now()))
    })
}
