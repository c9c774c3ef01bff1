//! `agency reconcile`: makes the record agree with what is really there.

use std::io::{self, Write};
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::adopt::Adopted;
use agency_engine::runs::garbage::Garbage;
use agency_engine::runs::reconcile::Reconciled;
use agency_engine::runs::remove::MoveRefs;
use agency_model::RunId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Write down how runs ended whose supervisor died, rebuild a lost database, and clear up what crashes left
#[derive(Debug, clap::Args)]
#[command(
    after_help = "tmux sessions and worktrees that belong to no run are only listed. Run directories that the database \
    does not know are adopted: the database is rebuilt from them.\n\nExamples:\n  \
    agency reconcile --dry-run\n  agency reconcile"
)]
pub(crate) struct Args {
    /// Print what would be done without doing it
    #[arg(long)]
    dry_run: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reconciliation {
    dry_run: bool,
    /// Runs whose row was rebuilt from their files, or would be.
    adopted: Vec<Adopted>,
    /// Runs whose state changed, or would change.
    runs: Vec<Reconciled>,
    /// Finished runs whose exit markers were missing and were written, or would be.
    completed: Vec<RunId>,
    /// What was cleared up.
    swept: Vec<String>,
    /// What was found; sessions and worktrees without a run are only reported.
    found: Garbage,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let open = if args.dry_run { Agency::open_to_plan } else { Agency::open_to_reconcile };
    let mut agency = context.open(open)?;
    let mut plan = agency.full_plan()?;
    let mut swept = if args.dry_run { vec![] } else { agency.reconcile(&mut plan)? };
    if plan.has_old_saved_refs {
        swept.extend(agency.move_saved_refs(if args.dry_run { MoveRefs::Plan } else { MoveRefs::Now })?);
    }
    let answer = Reconciliation {
        dry_run: args.dry_run,
        adopted: plan.findings.adopted(),
        runs: plan.runs,
        completed: plan.completed,
        swept,
        found: plan.garbage,
    };
    context.answer(&answer, |out| print(&answer, out))
}

fn print(answer: &Reconciliation, out: &mut dyn Write) -> io::Result<()> {
    let Reconciliation { dry_run, adopted, runs, completed, swept, found } = answer;
    for run in adopted {
        let verb = match (run.from, dry_run) {
            (None, false) => "adopted",
            (None, true) => "would adopt",
            (Some(_), false) => "brought up to date",
            (Some(_), true) => "would bring up to date",
        };
        writeln!(out, "{}  {verb} from its files: {}", run.id, run.to)?;
    }
    for run in runs {
        writeln!(out, "{}  {} → {}: {}", run.id, run.from, run.to, run.why)?;
    }
    for id in completed {
        writeln!(
            out,
            "{id}  {} the files, which did not record its end",
            if *dry_run { "would complete" } else { "completed" }
        )?;
    }
    swept.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    for session in &found.sessions {
        writeln!(out, "tmux session {session} belongs to no run; left alone")?;
    }
    for path in &found.worktrees {
        writeln!(out, "{} belongs to no run; left alone (agency doctor says how to move it aside)", path.display())?;
    }
    for unadoptable in &found.unadoptable {
        let (path, why) = (unadoptable.path.display(), &unadoptable.why);
        writeln!(out, "{path} cannot be adopted and is left alone (agency doctor says how to move it aside): {why}")?;
    }
    if *dry_run {
        for survivor in &found.survivors {
            writeln!(out, "would end process {} of {} ({})", survivor.pid, survivor.id, survivor.command)?;
        }
        let Garbage { run_directories, pid_files, trash, scratch, temporary, .. } = found;
        for path in [run_directories, pid_files, trash, scratch, temporary].into_iter().flatten() {
            writeln!(out, "would delete {}", path.display())?;
        }
    }
    if adopted.is_empty() && runs.is_empty() && completed.is_empty() && found.is_empty() && swept.is_empty() {
        writeln!(out, "Everything agrees.")?;
    }
    Ok(())
}
