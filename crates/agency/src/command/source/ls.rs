//! `agency source ls`: the sources by name.

use std::process::ExitCode;

use crate::context::Context;
use crate::output::columns;
use crate::problem::Problem;
use crate::view::{SourceList, SourceView};

/// List the sources
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency source ls\n  agency source ls --json")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let list = SourceList::read(context)?;
    context.answer(&list, |out| {
        if list.sources.is_empty() {
            return writeln!(out, "No sources. Add one with agency source add.");
        }
        let row = |source: &SourceView| {
            let words = source.problem.as_ref().map(|_| "not there; see agency source show");
            let words = words.map(str::to_owned).or(source.description.clone()).unwrap_or_default();
            vec![source.name.clone(), source.kind.to_owned(), source.groups.join(", "), source.place(), words]
        };
        let rows = list.sources.iter().map(row).collect();
        write!(out, "{}", columns(&["NAME", "KIND", "GROUPS", "FROM", "DESCRIPTION"], rows))
    })
}
