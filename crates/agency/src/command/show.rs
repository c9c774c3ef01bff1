//! `agency show`: everything about one run.

use std::process::ExitCode;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::Pager;
use crate::problem::Problem;
use crate::view::shown;

/// Show everything about one run, and the files it changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency show fix\n  agency show --json fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, add = super::completions::run_candidates())]
    run: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let shown = shown(&agency, row);
    let _pager = if context.json() { None } else { Pager::start() };
    context.answer(&shown, |out| shown.write(out))
}
