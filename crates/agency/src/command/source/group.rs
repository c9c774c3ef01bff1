//! `agency source group`: several sources under one name.

use std::process::ExitCode;

use schemars::JsonSchema;
use serde::Serialize;

use crate::command::completions::{group_candidates, source_candidates};
use crate::context::Context;
use crate::output::columns;
use crate::problem::Problem;

/// Name several sources together
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency source group add core langchain langgraph\n  \
    agency source group ls\n  \
    agency ask -g core \"…\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Make a group of sources
    #[command(after_help = "Examples:\n  agency source group add core langchain langgraph")]
    Add {
        /// The name of the group
        name: String,
        /// Its sources
        #[arg(required = true, add = source_candidates())]
        sources: Vec<String>,
    },
    /// List the groups
    #[command(visible_alias = "list", after_help = "Examples:\n  agency source group ls")]
    Ls,
    /// Forget a group; its sources stay
    #[command(visible_alias = "remove", after_help = "Examples:\n  agency source group rm core")]
    Rm {
        /// The group
        #[arg(add = group_candidates())]
        name: String,
    },
}

/// The answer to `group ls`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Groups {
    groups: Vec<GroupView>,
}

/// The answer to `group add` and `group rm`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupView {
    name: String,
    sources: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let sources = context.sources()?;
    let (view, word) = match &args.verb {
        Verb::Ls => return list(context),
        Verb::Add { name, sources: members } => {
            sources.add_group(name, members)?;
            let members = sources.catalogue()?.groups.remove(name).unwrap_or_default();
            (GroupView { name: name.clone(), sources: members }, "is")
        }
        Verb::Rm { name } => {
            let members = sources.remove_group(name)?;
            (GroupView { name: name.clone(), sources: members }, "is no longer a group; it was")
        }
    };
    context.answer(&view, |out| writeln!(out, "{} {word} {}", view.name, view.sources.join(", ")))
}

fn list(context: &Context) -> Result<ExitCode, Problem> {
    let catalogue = context.sources()?.catalogue()?;
    let groups = catalogue.groups.into_iter().map(|(name, sources)| GroupView { name, sources }).collect();
    let answer = Groups { groups };
    context.answer(&answer, |out| {
        if answer.groups.is_empty() {
            return writeln!(out, "No groups. Make one with agency source group add NAME SOURCE….");
        }
        let rows = answer.groups.iter().map(|group| vec![group.name.clone(), group.sources.join(", ")]).collect();
        write!(out, "{}", columns(&["NAME", "SOURCES"], rows))
    })
}
