//! `agency wait`: until a run has started, or has finished.

use std::process::ExitCode;
use std::time::Duration;

use agency_engine::home::Home;
use agency_engine::store::{Purpose, RunRow};
use agency_model::ErrorCode;
use agency_model::run::State;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{parse_duration, state_word};
use crate::problem::Problem;
use crate::view::RunView;

/// Wait until a run has finished (or has started), and exit as it did
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 if the run completed, the agent's own code if it failed, 137 if it was killed,\n\
    124 if --timeout came first.\n\nExamples:\n  agency wait fix\n  agency wait --until running --timeout 30s fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// What to wait for
    #[arg(long, default_value = "done", value_parser = PossibleValuesParser::new(["running", "done"]))]
    until: String,
    /// Give up after this time, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let until_running = args.until == "running";
    let enough = |state: State| state.is_terminal() || (until_running && state == State::Running);
    let row = agency.wait(&row.id, args.timeout, enough)?;
    if !enough(row.state) {
        let message = format!("{} is still {}", row.id, row.state);
        return Err(Problem::new(ErrorCode::Timeout, message).detail("id", row.id).detail("state", row.state));
    }
    if until_running && row.state == State::Running {
        let line = format!("{} is {}", row.id, state_word(row.state));
        return context.answer(&RunView::new(row, agency.home()), |out| writeln!(out, "{line}"));
    }
    result_of(row, agency.home(), context)
}

/// Prints how a run ended, and makes its result ours.
pub(super) fn result_of(row: RunRow, home: &Home, context: &Context) -> Result<ExitCode, Problem> {
    result_with(row, context, |row| RunView::new(row, home))
}

/// The same with an answer that is made of the run.
pub(super) fn result_with<T: Serialize>(
    row: RunRow,
    context: &Context,
    answer: impl FnOnce(RunRow) -> T,
) -> Result<ExitCode, Problem> {
    let (state, exit_code) = (row.state, row.exit_code);
    let error = row.error.as_deref().map_or_else(String::new, |error| format!(" ({error})"));
    let line = format!("{} is {}{error}", row.id, state_word(state));
    context.answer(&answer(row), |out| writeln!(out, "{line}"))?;
    Ok(ExitCode::from(match state {
        State::Completed => 0,
        State::Killed => 137,
        State::Failed => exit_code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1),
        State::Queued | State::Running => 1,
    }))
}
