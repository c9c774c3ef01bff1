//! `agency run --dry-run`: what would be created.

use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::create::{InputFingerprint, Plan};
use agency_model::spec::RunSpec;
use agency_model::{Host, RunId, without_values};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// The answer to `--dry-run`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DryRun {
    dry_run: bool,
    spec: RunSpec,
    would_create: WouldCreate,
    inputs: Vec<InputFingerprint>,
    program: String,
    /// What the user should know.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WouldCreate {
    id: RunId,
    name: String,
    new_branch: Option<String>,
    base_commit: String,
    worktree_path: Option<String>,
    tmux_session: Option<String>,
    run_dir: String,
}

pub(super) fn print(agency: &Agency, plan: &Plan, context: &Context) -> Result<ExitCode, Problem> {
    let home = agency.home();
    let session = plan.id.tmux_session();
    let would_create = WouldCreate {
        id: plan.id.clone(),
        name: plan.name.as_str().to_owned(),
        new_branch: plan.branch(),
        base_commit: plan.base.to_string(),
        worktree_path: plan.worktree(home).map(|path| path.display().to_string()),
        tmux_session: (plan.spec.host == Host::Tmux).then_some(session),
        run_dir: home.run(&plan.id).path().display().to_string(),
    };
    let answer = DryRun {
        dry_run: true,
        spec: RunSpec { mcp_servers: without_values(&plan.spec.mcp_servers), ..plan.spec.clone() },
        would_create,
        inputs: plan.inputs.clone(),
        program: plan.program.display().to_string(),
        warnings: plan.expected_warnings(),
    };
    answer.warnings.iter().for_each(|warning| context.say(&format!("warning: {warning}")));
    context.answer(&answer, |out| {
        let spec = serde_json::to_string_pretty(&answer.spec)?;
        writeln!(out, "{spec}\n\nWould create:")?;
        let made = &answer.would_create;
        let none = || "none".to_owned();
        writeln!(out, "  name      {}", made.name)?;
        writeln!(out, "  run       {} in {}", made.id, made.run_dir)?;
        writeln!(out, "  branch    {} at {}", made.new_branch.clone().unwrap_or_else(none), made.base_commit)?;
        writeln!(out, "  worktree  {}", made.worktree_path.clone().unwrap_or_else(none))?;
        writeln!(out, "  session   {}", made.tmux_session.clone().unwrap_or_else(none))?;
        writeln!(out, "  program   {}", answer.program)
    })
}
