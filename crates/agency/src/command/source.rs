//! `agency source`: what questions can be about, one file per verb below it.

pub(crate) mod add;
pub(crate) mod group;
pub(crate) mod import;
pub(crate) mod ls;
pub(crate) mod rm;
pub(crate) mod show;
pub(crate) mod sync;

use std::process::ExitCode;

use crate::context::Context;
use crate::problem::Problem;

/// Keep a list of repositories, directories and files that questions can be about
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency source add langchain --git https://github.com/langchain-ai/langchain\n  \
    agency source add notes --dir ~/notes\n  \
    agency source group add core langchain notes\n  \
    agency ask -g core \"How do I create a tool?\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(add::Args),
    #[command(visible_alias = "list")]
    Ls(ls::Args),
    Show(show::Args),
    Sync(sync::Args),
    #[command(visible_alias = "remove")]
    Rm(rm::Args),
    Import(import::Args),
    Group(group::Args),
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.verb {
        Verb::Add(args) => add::run(args, context),
        Verb::Ls(args) => ls::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Sync(args) => sync::run(&args, context),
        Verb::Rm(args) => rm::run(&args, context),
        Verb::Import(args) => import::run(&args, context),
        Verb::Group(args) => group::run(&args, context),
    }
}
