//! `agency diff`: what a run changed, committed or not.

use std::process::ExitCode;

use agency_engine::runs::remove::RemoveError;
use agency_engine::store::Purpose;
use agency_model::{Escaper, Sgr};
use agency_workspace::Patch;
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::Data;
use crate::problem::Problem;

/// Print what a run changed against its base commit, committed or not
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency diff fix\n  agency diff fix | git apply --stat")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    id: agency_model::RunId,
    base_commit: String,
    /// A unified diff; bytes that are not UTF-8 are replaced.
    diff: String,
    /// What git printed about each directory that it could not open: files in it are not in the diff.
    unread: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    if row.removed_at.is_some() {
        return Err(Problem::removed(&row));
    }
    let Patch { text, unread } = agency.workspace_of(&row)?.patch().map_err(RemoveError::from)?;
    for warning in &unread {
        context.say(&format!("not in the diff: {warning}"));
    }
    if !context.json() {
        let mut data = Data::new(Escaper::new(Sgr::Escape));
        data.print(&text).and_then(|()| data.finish()).map_err(|error| Problem::output(&error))?;
        return Ok(ExitCode::SUCCESS);
    }
    let diff = String::from_utf8_lossy(&text).into_owned();
    context.answer(&Diff { id: row.id, base_commit: row.base_commit, diff, unread }, |_| Ok(()))
}
