//! `agency chat`: a conversation about sources, on your own terminal.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agency_engine::ask::ChatRequest;
use agency_model::ErrorCode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::ask::About;
use super::completions::runner_candidates;
use crate::context::Context;
use crate::problem::Problem;

/// Talk with an agent about sources, on your own terminal
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The agent's exit code becomes this command's. The conversation is not recorded.\n\nExamples:\n  \
    agency chat -s langchain\n  agency chat -g core --runner codex"
)]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,
    /// The agent: claude-code, codex, gemini, opencode, or one of your own [default: default_agent]
    #[arg(short = 'a', long, visible_alias = "agent", value_name = "AGENT", add = runner_candidates())]
    runner: Option<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    if context.json() {
        return Err(Problem::new(ErrorCode::Usage, "agency chat needs a terminal and has no JSON output")
            .hint("agency ask --json answers one question"));
    }
    let mut runner = context.subagent_runner()?;
    let ended = listen()?;
    let request = ChatRequest {
        sources: args.about.sources,
        groups: args.about.groups,
        runner: args.runner,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
    };
    let end = runner.chat(&request, &ended)?;
    Ok(ExitCode::from(u8::try_from(end.exit_code).unwrap_or(1)))
}

/// A Ctrl-C is the agent's, which sits at the same terminal; TERM and the end of the terminal are ours.
fn listen() -> Result<Arc<AtomicBool>, Problem> {
    let ended = Arc::new(AtomicBool::new(false));
    let of_the_agent = Arc::new(AtomicBool::new(false));
    for (signal, flag) in [(SIGINT, &of_the_agent), (SIGTERM, &ended), (SIGHUP, &ended)] {
        signal_hook::flag::register(signal, Arc::clone(flag))
            .map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
    }
    Ok(ended)
}
