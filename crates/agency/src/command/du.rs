//! `agency du`: what takes disk space.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::housekeeping::{DiskUsage, Listener, RepositoryUsage, RunUsage, UsageRequest, size_text};
use agency_model::escaped_line;

use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::{Phases, columns, state_word};
use crate::problem::Problem;

/// How many runs are listed unless all are asked for.
const USUAL_RUNS: usize = 20;

/// Show what takes disk space: runs, repositories and kinds of files, the largest first
#[derive(Debug, clap::Args)]
#[command(after_help = "The blocks of the disk are counted, once for each file. Links are not followed.\n\
    Commits, saved work and checkpoints are objects of the repositories, and not counted.\n\
    With --json, all runs are listed.\n\nExamples:\n  \
    agency du\n  agency du --repo .\n  agency du --all\n  agency du --json")]
pub(crate) struct Args {
    /// Only what belongs to this repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
    /// All runs, and not only the 20 largest
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let request = UsageRequest { repo: args.repo.as_deref().map(|path| super::repository_root(&agency, path)) };
    let interrupts = Interrupts::listen()?;
    let phases = Phases::new("measuring", context.is_watched());
    let (begins, step) = (|steps| phases.begin(steps), || phases.step());
    let usage = interrupts.while_looking(|stop| agency.disk_usage(&request, &Listener::new(stop, &begins, &step)))?;
    phases.end();
    context.answer(&usage, |out| print(out, &usage, args.all))
}

fn print(out: &mut dyn Write, usage: &DiskUsage, all: bool) -> io::Result<()> {
    let shown = if all { usage.runs.len() } else { USUAL_RUNS.min(usage.runs.len()) };
    let (listed, rest) = usage.runs.split_at(shown);
    if !listed.is_empty() {
        let header = ["SIZE", "WORKTREE", "LOGS", "RUN", "STATE", "REPOSITORY"];
        write!(out, "{}", columns(&header, listed.iter().map(run_cells).collect()))?;
    }
    if !rest.is_empty() {
        let bytes = rest.iter().map(|run| run.bytes).sum();
        writeln!(out, "and {} more runs with {}; --all lists them", rest.len(), size_text(bytes))?;
    }
    if !usage.repositories.is_empty() {
        let header = ["SIZE", "WORKTREES", "LOGS", "TRIALS", "RUNS", "REPOSITORY"];
        writeln!(out, "\n{}", columns(&header, usage.repositories.iter().map(repository_cells).collect()))?;
    }
    let kinds = usage.kinds.iter().map(|kind| vec![size_text(kind.bytes), kind.kind.as_str().to_owned()]);
    writeln!(out, "{}", columns(&["SIZE", "KIND"], kinds.collect()))?;
    let free = usage.free_bytes.map_or_else(String::new, |free| format!("; {} are free", size_text(free)));
    writeln!(out, "{} in {}{free}", size_text(usage.bytes), escaped_line(&usage.home))?;
    match usage.unread {
        0 => Ok(()),
        unread => writeln!(out, "{unread} files or directories could not be counted"),
    }
}

fn run_cells(run: &RunUsage) -> Vec<String> {
    let state = match (run.removed, run.state) {
        (true, _) => "removed".to_owned(),
        (false, Some(state)) => state_word(state),
        (false, None) => "unknown".to_owned(),
    };
    vec![
        size_text(run.bytes),
        size_text(run.worktree_bytes),
        size_text(run.log_bytes),
        run.name.clone().unwrap_or_else(|| run.id.to_string()),
        state,
        shown_repository(run.repo.as_deref()),
    ]
}

fn repository_cells(repository: &RepositoryUsage) -> Vec<String> {
    vec![
        size_text(repository.bytes),
        size_text(repository.worktree_bytes),
        size_text(repository.log_bytes),
        size_text(repository.trial_bytes),
        repository.runs.to_string(),
        shown_repository(repository.repo.as_deref()),
    ]
}

fn shown_repository(repo: Option<&str>) -> String {
    repo.unwrap_or("unknown").to_owned()
}
