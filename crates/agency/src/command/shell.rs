//! `agency shell`: a shell of the user's in the directory of a run.
//!
//! The one rule: it is the user's own. It does not carry the id of the run, so it is not ended with it, and what is
//! answered in it is answered by the user.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use agency_engine::store::Purpose;
use agency_model::{ErrorCode, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use super::cd::present_directory;
use crate::context::Context;
use crate::problem::Problem;

/// Open a shell in the directory of a run, with its ports; or execute a command there
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency shell fix\n  agency shell fix -- npm test")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true, add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// A program and its arguments, instead of $SHELL
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The answer: what would be executed, since JSON and a shell do not go together.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HowToEnter {
    /// The run.
    id: RunId,
    /// Where it works.
    directory: String,
    /// The variables beside those of the user.
    environment: BTreeMap<String, String>,
    /// The program and its arguments.
    command: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::Read)?;
    let directory = present_directory(&row)?.to_owned();
    let variables = agency.worktree_variables(&row)?;
    let shell = || std::env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into());
    let (program, arguments) = match args.command.split_first() {
        Some((program, arguments)) => (program.clone(), arguments),
        None => (shell(), &[][..]),
    };
    if context.json() {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        let answer = HowToEnter {
            id: row.id,
            directory,
            environment: variables.iter().map(|(name, value)| (text(name), text(value))).collect(),
            command: std::iter::once(&program).chain(arguments).map(text).collect(),
        };
        return context.answer(&answer, |_| Ok(()));
    }
    if args.command.is_empty() {
        context.say(&format!("{}: {directory} (exit leaves it)", row.label()));
    }
    // Only a failure comes back from here.
    let error = execute(&program, arguments, &directory, &variables);
    let message = format!("{} could not be started: {error}", program.display());
    Err(Problem::new(ErrorCode::Io, message).hint("set $SHELL to an installed shell, or name an installed program"))
}

#[expect(clippy::disallowed_methods, reason = "the user's shell takes over the terminal")]
fn execute(
    program: &OsString,
    arguments: &[OsString],
    directory: &str,
    variables: &BTreeMap<OsString, OsString>,
) -> std::io::Error {
    Command::new(program).args(arguments).current_dir(directory).env("PWD", directory).envs(variables).exec()
}
