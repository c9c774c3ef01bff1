//! `agency checkpoint diff`: what changed from one checkpoint to another.

use std::process::ExitCode;

use agency_engine::store::Purpose;
use agency_workspace::PatchContext;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::diff::{Layout, print_files, print_patch};
use crate::command::{RUN_HELP, completions};
use crate::context::Context;
use crate::problem::Problem;

/// Print what changed in a turn: from the checkpoint before to this one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency checkpoint diff fix\n  agency checkpoint diff fix 3\n  \
    agency checkpoint diff fix 5 --from 0 --stat")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = completions::run_candidates(Purpose::Read))]
    run: String,
    /// Which checkpoint [default: the last one]
    number: Option<u32>,
    /// The checkpoint to compare with; 0 is the start [default: the one before]
    #[arg(long, value_name = "NUMBER")]
    from: Option<u32>,
    /// Only how many lines of each file changed
    #[arg(long, group = "form")]
    stat: bool,
    /// Only the names of the files
    #[arg(long, group = "form")]
    name_only: bool,
    /// How the diff looks on a terminal
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "auto")]
    layout: Layout,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckpointDiff {
    id: agency_model::RunId,
    /// The checkpoint before; 0 is the start.
    from: u32,
    /// The checkpoint after.
    to: u32,
    /// A unified diff; bytes that are not UTF-8 are replaced.
    diff: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let compared = agency.compared_checkpoints(&row, args.from, args.number)?;
    if (args.stat || args.name_only) && !context.json() {
        return print_files(&agency.checkpoint_changes(&row, &compared)?, args.stat, context);
    }
    let text = agency.checkpoint_diff(&row, &compared, PatchContext::Usual)?;
    if context.json() {
        let diff = String::from_utf8_lossy(&text).into_owned();
        let answer = CheckpointDiff { id: row.id, from: compared.from, to: compared.to, diff };
        return context.answer(&answer, |_| Ok(()));
    }
    print_patch(&text, args.layout, context)
}
