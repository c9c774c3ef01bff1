//! `agency agent restart`: ends an agent and starts it again where it was.

use std::process::ExitCode;

use agency_engine::agents::RestartRequest;

use super::AgentView;
use crate::command::completions::agent_candidates;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::Spinner;
use crate::problem::Problem;

/// Start an agent again in its workspace, with its conversation; one that runs is stopped first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency agent restart alice\n  agency agent restart alice --prompt \"Continue\"")]
pub(crate) struct Args {
    /// The agent
    #[arg(add = agent_candidates())]
    name: String,
    /// The prompt; without it, the agent waits for a message
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let interrupts = Interrupts::listen()?;
    let request = RestartRequest {
        prompt: args.prompt,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
    };
    let agent = {
        let _spinner = Spinner::begin(format!("restarting {}", args.name), context.is_watched());
        interrupts.while_creating(|asked| manager.restart_agent(&args.name, request, asked))?
    };
    let view = AgentView::new(agent, manager.agency().home());
    context.answer(&view, |out| writeln!(out, "{}  {}", view.line(), view.run.id))
}
