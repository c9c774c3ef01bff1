//! `agency interrupt`: lets an agent stop what it is doing, without ending the run.

use std::process::ExitCode;

use agency_engine::store::Purpose;

use super::RUN_HELP;
use super::send::DeliveryView;
use super::several::each;
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;

/// Let a running agent stop what it is doing; it stays and waits for a message
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency interrupt fix\n  agency interrupt fix && agency send fix \"Start over\"")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required = true, value_name = "RUN", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeLive))]
    runs: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let act = |text: &str| {
        let row = context.select_for(&mut agency, text, Purpose::ChangeLive)?;
        let _spinner = Spinner::begin(format!("interrupting {}", row.label()), context.is_watched());
        Ok(DeliveryView::new(&row, agency.interrupt(&row)?))
    };
    each(&args.runs, context, act, |out, told| writeln!(out, "{}: {}", told.label, told.outcome))
}
