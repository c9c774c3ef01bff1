//! `agency wait`: until a run has started, or has finished.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use agency_engine::store::{Purpose, RunRow};
use agency_model::ErrorCode;
use agency_model::run::State;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{parse_duration, state_word};
use crate::problem::Problem;
use crate::view::{RunView, Runs};

/// Wait until runs have finished (or have started), and exit as they did
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 if the run completed, the agent's own code if it failed, 137 if it was killed,\n\
    124 if --timeout came first.\n\nExamples:\n  agency wait fix\n  agency wait fix-login fix-logout\n  agency wait --until running --timeout 30s fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required = true, value_name = "RUN", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    runs: Vec<String>,
    /// What to wait for
    #[arg(long, default_value = "done", value_parser = PossibleValuesParser::new(["running", "done"]))]
    until: String,
    /// Give up after this time, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let deadline = args.timeout.map(|timeout| Instant::now() + timeout);
    let until_running = args.until == "running";
    let enough = |state: State| state.is_terminal() || (until_running && state == State::Running);
    let mut rows = vec![];
    for text in &args.runs {
        let row = context.select(&mut agency, text)?;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let row = agency.wait(&row.id, left, enough)?;
        if !enough(row.state) {
            let message = format!("{} is still {}", row.label(), row.state);
            return Err(Problem::new(ErrorCode::Timeout, message).detail("id", row.id).detail("state", row.state));
        }
        rows.push(row);
    }
    let codes: Vec<u8> =
        rows.iter().map(|row| if row.state == State::Running { 0 } else { exit_code_of(row) }).collect();
    let lines: Vec<String> = rows.iter().map(line_of).collect();
    let mut views: Vec<RunView> = rows.into_iter().map(|row| RunView::new(row, agency.home())).collect();
    let human = |out: &mut dyn Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    match (views.len(), views.pop()) {
        (1, Some(view)) => context.answer(&view, human)?,
        (_, last) => context.answer(&Runs { runs: views.into_iter().chain(last).collect() }, human)?,
    };
    // The first run that did not complete decides.
    Ok(ExitCode::from(codes.into_iter().find(|code| *code != 0).unwrap_or(0)))
}

/// Prints how a run ended, with an answer that is made of it, and makes its result ours.
pub(super) fn result_with<T: Serialize>(
    row: RunRow,
    context: &Context,
    answer: impl FnOnce(RunRow) -> T,
) -> Result<ExitCode, Problem> {
    let (line, code) = (line_of(&row), exit_code_of(&row));
    context.answer(&answer(row), |out| writeln!(out, "{line}"))?;
    Ok(ExitCode::from(code))
}

fn line_of(row: &RunRow) -> String {
    let error = row.error.as_deref().map_or_else(String::new, |error| format!(" ({error})"));
    format!("{} is {}{error}", row.label(), state_word(row.state))
}

fn exit_code_of(row: &RunRow) -> u8 {
    match row.state {
        State::Completed => 0,
        State::Killed => 137,
        State::Failed => row.exit_code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0).unwrap_or(1),
        State::Queued | State::Running => 1,
    }
}
