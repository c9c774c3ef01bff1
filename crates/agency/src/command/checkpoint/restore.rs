//! `agency checkpoint restore`: changes the files of a run to what a checkpoint has.

use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::store::{Purpose, RunRow};
use agency_model::run::ChangedPath;
use agency_workspace::{ChangedFile, RestoreRequest, RestoredFiles};
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::{RUN_HELP, completions};
use crate::context::Context;
use crate::output::{Spinner, Surface};
use crate::problem::Problem;
use crate::run_names::called;

/// Change the files of a run to what a checkpoint has; the files of now are kept in a checkpoint first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Files that git ignores, and files that may hold secrets, are left alone. The agent's conversation \
    stays as it is: its next message begins with a note about the restore.\n\nExamples:\n  agency checkpoint restore fix 2\n  \
    agency checkpoint restore fix 0\n  agency checkpoint restore --interrupt --commits fix 2"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = completions::run_candidates(Purpose::Read))]
    run: String,
    /// Which checkpoint; 0 is the start
    number: u32,
    /// Interrupt the agent first if it is at work
    #[arg(long)]
    interrupt: bool,
    /// Move the branch, too, to the commit that was checked out then
    #[arg(long)]
    commits: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredCheckpoint {
    id: agency_model::RunId,
    /// The checkpoint that was restored; 0 is the start.
    number: u32,
    /// The checkpoint that has the files as they were before; 0 if they were as at the start.
    before: u32,
    /// The files that were changed.
    changed_files: Vec<ChangedPath>,
    /// Files that the checkpoint has too, but that were left alone: no checkpoint holds what they are now.
    left_alone: Vec<String>,
    /// What happened to the branch, if it was moved.
    branch: Option<MovedBranch>,
    /// The command that takes the restore back.
    undo: String,
}

impl RestoredCheckpoint {
    pub(crate) fn new(agency: &Agency, row: &RunRow, number: u32, restored: &RestoredFiles) -> Self {
        let branch = restored.branch.as_ref().map(|moved| MovedBranch {
            name: moved.name.clone(),
            from: moved.from.to_string(),
            to: moved.to.to_string(),
        });
        let commits = if branch.is_some() { " --commits" } else { "" };
        let name = called(agency, &row.id);
        Self {
            id: row.id.clone(),
            number,
            before: restored.before,
            changed_files: restored.changed.iter().map(ChangedFile::noted).collect(),
            left_alone: restored.left_alone.iter().map(|path| path.display().to_string()).collect(),
            branch,
            undo: format!("agency checkpoint restore{commits} {name} {}", restored.before),
        }
    }
}

/// A branch that was moved.
#[derive(Debug, Serialize, JsonSchema)]
struct MovedBranch {
    name: String,
    from: String,
    to: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let request = RestoreRequest { number: args.number, commits: args.commits };
    let restored = {
        let _spinner = Spinner::begin(format!("restoring {}", row.label()), context.is_watched());
        agency.restore_checkpoint(&row, request, args.interrupt)?
    };
    let name = called(&agency, &row.id);
    let answer = RestoredCheckpoint::new(&agency, &row, args.number, &restored);
    context.answer(&answer, |out| {
        if answer.changed_files.is_empty() && answer.branch.is_none() {
            return writeln!(out, "{name}: the files are as in checkpoint {} already", answer.number);
        }
        let count = answer.changed_files.len();
        let files = if count == 1 { "file" } else { "files" };
        writeln!(out, "{name}: {count} {files} restored to checkpoint {}", answer.number)?;
        for path in &restored.left_alone {
            out.write_all(b"  left alone  ")?;
            out.write_all(&Surface::stdout().field_bytes(path.as_os_str().as_bytes()))?;
            writeln!(out)?;
        }
        if let Some(MovedBranch { name, from, to }) = &answer.branch {
            writeln!(out, "  branch      {name} is at {to:.12}; it was at {from:.12}")?;
        }
        writeln!(out, "  undo        {}", answer.undo)
    })
}
