//! `agency serve`: the long-lived reconciler.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use agency_engine::agency::Agency;
use agency_engine::agents::{AgentManager, ManagerConfig};
use agency_engine::housekeeping::{GcAction, GcNews};
use agency_model::escaped_line;
use schemars::JsonSchema;
use serde::Serialize;

use super::agent::shutdown::end_all;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;

/// Watch all runs and reconcile those whose supervisor dies; no run depends on it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Ctrl-C or TERM ends it and shuts the named agents down, as agency agent shutdown does. Other runs continue.\n\
    With gc.auto = true in your configuration, it also does what agency gc --yes does, every hour.\n\n\
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
    /// How much was removed, as `[gc]` of the configuration says.
    removed: usize,
    /// The named agents that were shut down.
    stopped_agents: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let interrupts = Interrupts::listen()?;
    let agents = if args.keep_agents { "harms no run" } else { "shuts the named agents down; other runs continue" };
    context.say(&format!("agency serve: watching; Ctrl-C ends it and {agents}"));
    let reconciled = AtomicUsize::new(0);
    let mut cleaner = agency.try_clone()?;
    let removed = std::thread::scope(|scope| {
        let cleaning = scope.spawn(|| clean_up(&mut cleaner, &interrupts, context));
        let served = agency.serve(interrupts.asked(), |run| {
            reconciled.fetch_add(1, Ordering::Relaxed);
            context.say(&format!("{}  {} → {}: {}", run.id, run.from, run.to, run.why));
        });
        // Also where it failed.
        interrupts.asked().store(true, Ordering::Relaxed);
        let removed = cleaning.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        served.map(|()| removed)
    })?;
    let mut stopped_agents = vec![];
    if !args.keep_agents {
        let config = ManagerConfig::of(agency.config());
        let ended = end_all(&mut AgentManager::new(agency, config), &interrupts, context)?;
        stopped_agents.extend(ended.stopped.into_iter().map(|stopped| stopped.agent.name));
    }
    let served = Served { reconciled: reconciled.into_inner(), removed, stopped_agents };
    context.answer(&served, |_| Ok(()))
}

/// Removes what nothing needs any more, if the user's configuration says so; how much that was.
fn clean_up(agency: &mut Agency, interrupts: &Interrupts, context: &Context) -> usize {
    agency.gc_automatically(interrupts.asked(), |news| match news {
        GcNews::Entry(entry) => {
            let what = entry.run.as_ref().map(ToString::to_string);
            let what = what.or_else(|| entry.path.as_deref().map(escaped_line)).unwrap_or_default();
            let word = if entry.action == GcAction::Removed { "removed by gc" } else { "not removed by gc" };
            let why = escaped_line(entry.error.as_deref().unwrap_or(&entry.why));
            context.say(&format!("{what}  {word}: {why}"));
        }
        GcNews::Failed(error) => context.say(&format!("gc: {}", escaped_line(&error.to_string()))),
    })
}
