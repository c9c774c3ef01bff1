//! `agency agent shutdown`: ends all agents together.

use std::process::ExitCode;

use agency_engine::agents::{AgentManager, Shutdown};
use schemars::JsonSchema;
use serde::Serialize;

use super::AgentView;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;

/// Stop all named agents at once: TERM, limits.shutdown_grace_seconds, then KILL; a second Ctrl-C kills them at once
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Their workspaces and conversations stay: agency agent restart NAME continues them.\n\nExamples:\n  \
    agency agent shutdown\n  agency agent shutdown --json"
)]
pub(crate) struct Args {}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShutDown {
    stopped: Vec<StoppedView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StoppedView {
    #[serde(flatten)]
    agent: AgentView,
    /// Whether it did not end by itself in time.
    killed_by_force: bool,
}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut manager = context.agent_manager()?;
    let interrupts = Interrupts::listen()?;
    shut_down(&mut manager, &interrupts, context)
}

/// Shuts all agents down, and returns the outcome of each.
pub(crate) fn shut_down(
    manager: &mut AgentManager,
    interrupts: &Interrupts,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let ended = end_all(manager, interrupts, context)?;
    answer(ended, manager, context)
}

/// Shuts all agents down.
pub(crate) fn end_all(
    manager: &mut AgentManager,
    interrupts: &Interrupts,
    context: &Context,
) -> Result<Shutdown, Problem> {
    let seconds = manager.agency().config().shutdown_grace.as_secs();
    context.say(&format!("stopping all agents; they have {seconds} s, Ctrl-C twice kills them at once"));
    Ok(manager.shutdown(interrupts.hurried())?)
}

/// Prints the outcome for each agent.
pub(super) fn answer(ended: Shutdown, manager: &mut AgentManager, context: &Context) -> Result<ExitCode, Problem> {
    let home = manager.agency().home().clone();
    let stopped = ended.stopped.into_iter().map(|stopped| StoppedView {
        agent: AgentView::new(stopped.agent, &home),
        killed_by_force: stopped.killed_by_force,
    });
    let answer = ShutDown { stopped: stopped.collect() };
    context.answer(&answer, |out| {
        for StoppedView { agent, killed_by_force } in &answer.stopped {
            let force = if *killed_by_force { "; it was killed" } else { "" };
            writeln!(out, "{}{force}", agent.line())?;
        }
        Ok(())
    })
}
