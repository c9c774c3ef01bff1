//! `agency show`: everything about one run.

use std::process::ExitCode;

use agency_engine::store::Purpose;

use super::RUN_HELP;
use super::several::each;
use crate::context::Context;
use crate::output::Pager;
use crate::problem::Problem;
use crate::view::shown;

/// Show everything about runs, and the files they changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency show fix\n  agency show last\n  agency show --json fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required = true, value_name = "RUN", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    runs: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let _pager = if context.json() { None } else { Pager::start() };
    let act = |text: &str| {
        let row = context.select(&mut agency, text)?;
        Ok(shown(&agency, row))
    };
    each(&args.runs, context, act, |out, shown| shown.write(out))
}
