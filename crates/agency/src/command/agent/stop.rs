//! `agency agent stop`: ends one agent; its workspace stays.

use std::process::ExitCode;

use super::AgentView;
use crate::command::completions::agent_candidates;
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;

/// Stop an agent: TERM, the grace period, then KILL; its workspace and conversation stay
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency agent stop alice\n  agency agent restart alice")]
pub(crate) struct Args {
    /// The agent
    #[arg(add = agent_candidates())]
    name: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let agent = {
        let _spinner = Spinner::begin(format!("stopping {}", args.name), context.is_watched());
        manager.stop_agent(&args.name)?
    };
    let view = AgentView::new(agent, manager.agency().home());
    context.answer(&view, |out| writeln!(out, "{}", view.line()))
}
