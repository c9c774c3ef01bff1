//! `agency cd`: where a run works. The shell function of `agency completions` changes to it.

use std::process::ExitCode;

use agency_engine::store::{Purpose, RunRow};
use agency_model::{ErrorCode, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;

/// Print the directory of a run; with the script of agency completions, change to it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A program cannot change the directory of its shell: agency completions bash, zsh or fish defines \
    a function that does.\n\nExamples:\n  agency cd fix\n  cd \"$(agency cd fix)\""
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true, add = super::completions::run_candidates(Purpose::Read))]
    run: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunDirectory {
    /// The run.
    id: RunId,
    /// Where it works.
    directory: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::Read)?;
    let directory = present_directory(&row)?.to_owned();
    let answer = RunDirectory { id: row.id, directory };
    context.answer(&answer, |out| writeln!(out, "{}", answer.directory))
}

/// Where a run works, as long as that is there.
pub(super) fn present_directory(row: &RunRow) -> Result<&str, Problem> {
    let directory = row.directory();
    if std::path::Path::new(directory).is_dir() {
        return Ok(directory);
    }
    let message = format!("the directory of {} does not exist any more: {directory}", row.label());
    Err(Problem::new(ErrorCode::InvalidState, message)
        .hint("agency restore brings back the work of a run that was removed"))
}
