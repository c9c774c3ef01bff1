//! `agency scripted FILE`: the built-in agent that follows a script; for demos and tests.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::scripted::{converse, execute_file};
use agency_model::ErrorCode;

use crate::context::Context;
use crate::problem::Problem;

/// Follow the script in a prompt file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The prompt file
    #[arg(required_unless_present = "protocol")]
    file: Option<PathBuf>,
    /// Have a conversation on standard input and output; its first message is the script
    #[arg(long, conflicts_with = "file")]
    protocol: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let code = match &args.file {
        Some(file) => execute_file(file, &mut out, &mut err).map_err(|error| error.to_string()),
        None => converse(&context.current_directory()?, &mut std::io::stdin().lock(), &mut out, &mut err)
            .map_err(|error| error.to_string()),
    };
    let code = code.map_err(|error| Problem::new(ErrorCode::InvalidSpec, error))?;
    Ok(ExitCode::from(code))
}
