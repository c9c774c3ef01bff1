//! `agency interrupt`: lets an agent stop what it is doing, without ending the run.

use std::process::ExitCode;

use super::RUN_HELP;
use super::send::DeliveryView;
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;
use agency_engine::store::Purpose;

/// Let a running agent stop what it is doing; it stays and waits for a message
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency interrupt fix\n  agency interrupt fix && agency send fix \"Start over\"")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeLive))]
    run: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::ChangeLive)?;
    let outcome = {
        let _spinner = Spinner::begin(format!("interrupting {}", row.id), context.is_watched());
        agency.interrupt(&row)?
    };
    let told = DeliveryView { id: row.id, outcome };
    context.answer(&told, |out| writeln!(out, "{}: {}", told.id, told.outcome))
}
