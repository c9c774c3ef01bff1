//! `agency checkpoint`: the files of a run as they were at the end of each turn, one file per verb below it.

pub(crate) mod diff;
pub(crate) mod ls;
pub(crate) mod restore;
pub(crate) mod show;

use std::process::ExitCode;

use crate::context::Context;
use crate::problem::Problem;

/// List, compare and restore the files of a run as they were at the end of each turn
#[derive(Debug, clap::Args)]
#[command(after_help = "Checkpoints are numbered from 1; 0 is the commit that the run started at.\n\nExamples:\n  \
    agency checkpoint ls fix\n  \
    agency checkpoint diff fix 3\n  \
    agency checkpoint restore fix 2")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    #[command(visible_alias = "list")]
    Ls(ls::Args),
    Show(show::Args),
    Diff(diff::Args),
    Restore(restore::Args),
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.verb {
        Verb::Ls(args) => ls::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Diff(args) => diff::run(&args, context),
        Verb::Restore(args) => restore::run(&args, context),
    }
}
