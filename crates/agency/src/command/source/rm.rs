//! `agency source rm`: takes a source off the list.

use std::process::ExitCode;

use agency_engine::sources::SourceKind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::completions::source_candidates;
use crate::context::Context;
use crate::problem::Problem;

/// Take a source off the list; agency's own clone goes, your files stay
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency source rm langchain\n  agency source rm --json langchain")]
pub(crate) struct Args {
    /// The source
    #[arg(add = source_candidates())]
    name: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedSource {
    name: String,
    /// The groups that it was in.
    left_groups: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let (source, left_groups) = context.sources()?.remove(&args.name)?;
    let removed = RemovedSource { name: source.name.clone(), left_groups };
    context.answer(&removed, |out| {
        let files = match source.kind {
            SourceKind::Git { .. } => "its clone is deleted",
            SourceKind::Directory { .. } | SourceKind::File { .. } => "its files stay where they are",
        };
        writeln!(out, "{} is removed from the list; {files}", removed.name)?;
        removed.left_groups.iter().try_for_each(|group| writeln!(out, "  it was in the group {group}"))
    })
}
