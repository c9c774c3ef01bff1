//! `agency restore`: brings back what `agency rm` saved.

use std::process::ExitCode;

use agency_model::Vcs;
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;

/// Bring work that `agency rm` saved back into a new branch, or with jj a new bookmark
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency restore fix\n  agency restore --branch rescued fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, add = super::completions::run_candidates())]
    run: String,
    /// The branch or bookmark to create [default: agency/restored-<run_id>]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    branch: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredWork {
    id: agency_model::RunId,
    repo: String,
    branch: String,
    commit: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let restored = agency.restore(&row, args.branch.as_deref())?;
    let vcs = row.vcs;
    let answer =
        RestoredWork { id: row.id, repo: row.repo_path, branch: restored.branch, commit: restored.commit.to_string() };
    context.answer(&answer, |out| {
        writeln!(out, "{} is at {}", answer.branch, answer.commit)?;
        match vcs {
            Vcs::Git => writeln!(out, "  look  git -C '{}' log -p -1 '{}'", answer.repo, answer.branch),
            Vcs::Jj => writeln!(out, "  look  jj -R '{}' show '{}'", answer.repo, answer.branch),
        }
    })
}
