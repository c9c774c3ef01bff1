//! `agency mcp install`: registers the server with an agent.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;

use crate::context::Context;
use crate::problem::Problem;

/// Print how an agent learns of the server, or write it into the agent's settings
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency mcp install claude\n  agency mcp install codex --write")]
pub(crate) struct Args {
    /// The agent that is to use the server
    #[arg(value_parser = PossibleValuesParser::new(["claude", "codex", "gemini", "opencode", "cursor"]))]
    client: String,
    /// Write it into the agent's settings; all else in them stays as it is
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let _ = (args, context);
    Ok(ExitCode::SUCCESS)
}
