//! `agency agent show`: everything about one agent's newest run.

use std::process::ExitCode;

use super::AgentView;
use crate::command::completions::agent_candidates;
use crate::context::Context;
use crate::problem::Problem;
use crate::view::{Shown, shown};

use agency_engine::agents::AgentState;
use schemars::JsonSchema;
use serde::Serialize;

/// Show everything about one agent, and the files it changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency agent show alice\n  agency agent show --json alice")]
pub(crate) struct Args {
    /// The agent
    #[arg(add = agent_candidates())]
    name: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownAgent {
    name: String,
    /// What it is about: `idle`, `running`, `stopped` or `error`.
    agent_state: AgentState,
    /// Its newest run, as `agency show` has it.
    run: Shown,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let agent = manager.agent(&args.name)?;
    let view = AgentView::new(agent.clone(), manager.agency().home());
    let answer =
        ShownAgent { name: agent.name.clone(), agent_state: agent.state, run: shown(manager.agency(), agent.run) };
    context.answer(&answer, |out| {
        writeln!(out, "{}", view.line())?;
        answer.run.write(out)
    })
}
