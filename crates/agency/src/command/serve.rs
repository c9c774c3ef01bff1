//! `agency serve`: the long-lived reconciler.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use agency_engine::agents::{AgentManager, ManagerConfig};
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::shutdown::end_all;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;

/// Watch all runs and reconcile those whose supervisor dies; no run depends on it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Ctrl-C or TERM ends it and shuts the named agents down, as agency agent shutdown does. Other runs continue.\n\n\
    Examples:\n  agency serve\n  agency serve --keep-agents"
)]
pub(crate) struct Args {
    /// Leave the named agents alone when it ends
    #[arg(long)]
    keep_agents: bool,
}

/// The answer, when it is ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Served {
    reconciled: usize,
    /// The named agents that were shut down.
    stopped_agents: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let interrupts = Interrupts::listen()?;
    let agents = if args.keep_agents { "harms no run" } else { "shuts the named agents down; other runs continue" };
    context.say(&format!("agency serve: watching; Ctrl-C ends it and {agents}"));
    let reconciled = AtomicUsize::new(0);
    agency.serve(interrupts.asked(), |run| {
        reconciled.fetch_add(1, Ordering::Relaxed);
        context.say(&format!("{}  {} → {}: {}", run.id, run.from, run.to, run.why));
    })?;
    let mut stopped_agents = vec![];
    if !args.keep_agents {
        let config = ManagerConfig::of(agency.config());
        let ended = end_all(&mut AgentManager::new(agency, config), &interrupts, context)?;
        stopped_agents.extend(ended.stopped.into_iter().map(|stopped| stopped.agent.name));
    }
    let served = Served { reconciled: reconciled.into_inner(), stopped_agents };
    context.answer(&served, |_| Ok(()))
}
