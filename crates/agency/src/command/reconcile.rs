//! `agency reconcile`: makes the record agree with what is really there.

use std::process::ExitCode;

use agency_engine::reconcile::Reconciled;
use agency_engine::remove::MoveRefs;
use agency_engine::stray::Strays;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Write down how runs ended whose supervisor died, and clear up what crashes left
#[derive(Debug, clap::Args)]
#[command(after_help = "tmux sessions and worktrees that belong to no run are only named.\n\nExamples:\n  \
    agency reconcile --dry-run\n  agency reconcile")]
pub(crate) struct Args {
    /// Print what would be done, do nothing
    #[arg(long)]
    dry_run: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reconciliation {
    dry_run: bool,
    /// Runs whose state changed, or would change.
    runs: Vec<Reconciled>,
    /// What was cleared up.
    swept: Vec<String>,
    /// What was found; sessions and worktrees without a run are only reported.
    found: Strays,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let runs = if args.dry_run { agency.reconcile_plan()? } else { agency.reconcile_live()? };
    let found = agency.strays()?;
    let mut swept = if args.dry_run { vec![] } else { agency.sweep(&found) };
    swept.extend(agency.move_saved_refs(if args.dry_run { MoveRefs::Plan } else { MoveRefs::Now })?);
    let answer = Reconciliation { dry_run: args.dry_run, runs, swept, found };
    context.answer(&answer, |out| {
        for run in &answer.runs {
            writeln!(out, "{}  {} → {}: {}", run.id, run.from, run.to, run.why)?;
        }
        answer.swept.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        for session in &answer.found.sessions {
            writeln!(out, "tmux session {session} belongs to no run; left alone")?;
        }
        for path in &answer.found.worktrees {
            writeln!(out, "{} belongs to no run; left alone", path.display())?;
        }
        if args.dry_run {
            for survivor in &answer.found.survivors {
                writeln!(out, "would end process {} of {} ({})", survivor.pid, survivor.id, survivor.command)?;
            }
            let found = &answer.found;
            for path in found.run_directories.iter().chain(&found.trash).chain(&found.scratch) {
                writeln!(out, "would delete {}", path.display())?;
            }
        }
        if answer.runs.is_empty() && answer.found.is_empty() && answer.swept.is_empty() {
            writeln!(out, "Everything agrees.")?;
        }
        Ok(())
    })
}
