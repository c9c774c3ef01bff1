//! `agency source import`: takes over the sources of lctx.

use std::path::PathBuf;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Take over the sources and groups of an lctx configuration
#[derive(Debug, clap::Args)]
#[command(after_help = "Repositories are fetched by agency source sync afterwards.\n\nExamples:\n  \
    agency source import ~/.config/lctx/config.json\n  agency source sync")]
pub(crate) struct Args {
    /// The file
    file: PathBuf,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ImportedSources {
    /// The sources that are new.
    sources: Vec<String>,
    /// The groups that are new.
    groups: Vec<String>,
    /// What was left, and why.
    skipped: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let imported = context.sources()?.import(&args.file, home.as_deref())?;
    let answer = ImportedSources { sources: imported.sources, groups: imported.groups, skipped: imported.skipped };
    context.answer(&answer, |out| {
        answer.sources.iter().try_for_each(|name| writeln!(out, "source {name}"))?;
        answer.groups.iter().try_for_each(|name| writeln!(out, "group  {name}"))?;
        answer.skipped.iter().try_for_each(|why| writeln!(out, "left:  {why}"))?;
        writeln!(out, "Fetch the repositories with agency source sync.")
    })
}
