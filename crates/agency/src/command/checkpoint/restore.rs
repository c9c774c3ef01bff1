//! `agency checkpoint restore`: changes the files of a run to what a checkpoint has.

use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use agency_engine::store::Purpose;
use agency_workspace::RestoreRequest;

use crate::command::{RUN_HELP, completions};
use crate::context::Context;
use crate::output::{Spinner, Surface};
use crate::problem::Problem;
use crate::run_names::called;
use crate::view::{MovedBranch, RestoredCheckpoint};

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
        if answer.changed_files.is_empty() && answer.branch.is_none() && answer.left_alone.is_empty() {
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
