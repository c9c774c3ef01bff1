//! `agency show`: everything about one run.

use std::process::ExitCode;

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;
use crate::view::shown;
use agency_engine::store::Purpose;

/// Show everything about one run, and the files it changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency show fix\n  agency show --json fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let shown = shown(&agency, row);
    context.answer(&shown, |out| shown.write(out))
}
