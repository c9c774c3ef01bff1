//! `agency scripted FILE`: the built-in agent that follows a script; for demos and tests.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::scripted::{execute, parse};
use agency_model::ErrorCode;

use crate::context::Context;
use crate::problem::Problem;

/// Follow the script in a prompt file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    file: PathBuf,
}

pub(crate) fn run(args: &Args, _context: &Context) -> Result<ExitCode, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        Problem::new(ErrorCode::InvalidSpec, format!("{}: {error}", args.file.display()))
    };
    let text = std::fs::read_to_string(&args.file).map_err(|error| failed(&error))?;
    let script = parse(&text).map_err(|error| failed(&error))?;
    let here = std::env::current_dir().map_err(|error| failed(&error))?;
    let code =
        execute(&script, &here, &mut std::io::stdout(), &mut std::io::stderr()).map_err(|error| failed(&error))?;
    Ok(ExitCode::from(code))
}
