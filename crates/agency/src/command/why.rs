//! `agency why`: the evidence for what an agent is doing.

use std::process::ExitCode;

use agency_engine::store::Purpose;
use jiff::Timestamp;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::state_word;
use crate::problem::Problem;
use crate::run_names::called;
use crate::view::reason;

/// Show what an agent is doing, since when, and the event or screen line it follows from
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency why fix\n  agency why --json fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let reason = reason(&agency, row)?;
    context.answer(&reason, |out| {
        writeln!(out, "{}  {}", called(&agency, &reason.id), state_word(reason.state))?;
        reason.lines(Timestamp::now()).iter().try_for_each(|line| writeln!(out, "  {line}"))
    })
}
