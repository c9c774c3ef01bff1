//! `agency restore`: brings back what `agency rm` saved.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::runs::remove::RemoveError;
use agency_engine::store::{Purpose, RunRow};
use agency_model::{Vcs, shell_quoted};
use agency_workspace::Repository;
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;

/// Bring work that `agency rm` saved back into a new branch, or with jj a new bookmark
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency restore fix\n  agency restore --branch rescued fix\n  \
                  agency restore --repo ~/moved/shop fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Restore))]
    run: String,
    /// The branch or bookmark to create [default: agency/restored-<run_id>]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    branch: Option<String>,
    /// Where the repository is now, if it was moved
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredWork {
    id: agency_model::RunId,
    repo: String,
    branch: String,
    commit: String,
    /// Refs that hold other commits of the run's worktree.
    other_refs: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let mut row = context.select_for(&mut agency, &args.run, Purpose::Restore)?;
    if let Some(moved) = &args.repo {
        row.repo_path = agency.repository_at(moved).map_err(RemoveError::from)?.root().display().to_string();
    }
    // Where the recorded one lies in the worktree of another run, that run's.
    row.repo_path = agency.repository_of(&row).map_err(RemoveError::from)?.display().to_string();
    let restored = agency.restore(&row, args.branch.as_deref())?;
    let look = look_command(&row, &restored.branch);
    let answer = RestoredWork {
        id: row.id,
        repo: row.repo_path,
        branch: restored.branch,
        commit: restored.commit.to_string(),
        other_refs: restored.other_refs,
    };
    context.answer(&answer, |out| {
        writeln!(out, "{} is at {}", answer.branch, answer.commit)?;
        for other in &answer.other_refs {
            writeln!(out, "  also saved  {other}")?;
        }
        writeln!(out, "  look  {look}")
    })
}

/// The command that shows the restored work.
fn look_command(row: &RunRow, branch: &str) -> String {
    let repository = Repository::from_root(row.repo_path.clone().into());
    let (root, branch) = (shell_quoted(&row.repo_path), shell_quoted(branch));
    match row.vcs {
        Vcs::Jj => format!("jj -R {root} show {branch}"),
        // Git does not find by itself what only jj knows.
        Vcs::Git if repository.has_hidden_git_store() => {
            let store = repository.common_dir().map_or_else(|_| root.clone(), shell_quoted);
            format!("git --git-dir={store} log -p -1 {branch}")
        }
        Vcs::Git => format!("git -C {root} log -p -1 {branch}"),
    }
}
