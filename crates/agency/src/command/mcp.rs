//! `agency mcp`: the MCP server, and its installation in the configuration of agents.

pub(crate) mod install;
mod registration;
mod settings;

use std::process::ExitCode;

use crate::context::Context;
use crate::mcp::serve;
use crate::problem::Problem;

/// Serve sources and runs to other agents, as an MCP server on standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = "Agents start this server; agency mcp install prints how to configure them.\n\nExamples:\n  \
    agency mcp install claude\n  \
    agency mcp install codex --write\n  \
    claude mcp add --scope user agency -- agency mcp")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
}

impl Args {
    /// Whether the protocol is spoken on standard input and output.
    pub(crate) const fn serves(&self) -> bool {
        self.verb.is_none()
    }
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Install(install::Args),
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    match &args.verb {
        Some(Verb::Install(args)) => install::run(args, context),
        None => serve(context).map(|()| ExitCode::SUCCESS),
    }
}
