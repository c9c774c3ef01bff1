//! `agency scripted FILE`: the built-in agent that follows a script; for demos and tests.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::scripted::execute_file;
use agency_model::ErrorCode;

use crate::context::Context;
use crate::problem::Problem;

/// Follow the script in a prompt file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _context: &Context) -> Result<ExitCode, Problem> {
    let code = execute_file(&args.file, &mut std::io::stdout(), &mut std::io::stderr())
        .map_err(|error| Problem::new(ErrorCode::InvalidSpec, error.to_string()))?;
    Ok(ExitCode::from(code))
}
