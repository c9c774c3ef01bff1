//! `agency diff`: what a run changed, committed or not.

use std::process::ExitCode;

use agency_engine::runs::remove::RemoveError;
use agency_engine::store::RunRow;
use agency_model::{ErrorCode, Escaper, Sgr, Vcs, shell_quoted};
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
    #[arg(help = RUN_HELP, add = super::completions::run_candidates())]
    run: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    id: agency_model::RunId,
    base_commit: String,
    /// A unified diff; bytes that are not UTF-8 are replaced.
    diff: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    if row.removed_at.is_some() {
        return Err(removed(&row));
    }
    let bytes = agency.workspace_of(&row)?.diff().map_err(RemoveError::from)?;
    if !context.json() {
        let mut data = Data::new(Escaper::new(Sgr::Escape));
        data.print(&bytes).and_then(|()| data.finish()).map_err(|error| Problem::output(&error))?;
        return Ok(ExitCode::SUCCESS);
    }
    let diff = String::from_utf8_lossy(&bytes).into_owned();
    context.answer(&Diff { id: row.id, base_commit: row.base_commit, diff }, |_| Ok(()))
}

/// A removed run has no directory to compare, but its commits are still on its branch.
pub(crate) fn removed(row: &RunRow) -> Problem {
    let message = format!("{} was removed, and its worktree with it", row.id);
    let problem = Problem::new(ErrorCode::InvalidState, message).detail("id", &row.id);
    match (row.vcs, &row.new_branch) {
        (Vcs::Jj, _) => problem.hint(match &row.saved_ref {
            Some(saved) if saved.starts_with("refs/") => {
                format!("agency restore {} brings back what was saved", row.id)
            }
            Some(bookmark) => format!(
                "what it did is kept by a bookmark: jj -R {} diff --from {} --to {}",
                shell_quoted(&row.repo_path),
                row.base_commit,
                shell_quoted(bookmark)
            ),
            None => "it left nothing".to_owned(),
        }),
        (Vcs::Git, Some(branch)) => {
            let saved = match &row.saved_ref {
                Some(_) => format!("agency restore {} brings back what was not committed; ", row.id),
                None => String::new(),
            };
            let diff =
                format!("git -C {} diff {} {}", shell_quoted(&row.repo_path), row.base_commit, shell_quoted(branch));
            problem.hint(format!("{saved}its commits are on its branch: {diff}"))
        }
        (Vcs::Git, None) => problem,
    }
}
