//! `agency stop`: ends runs; their worktrees stay.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::orchestrator::{OrchestratorError, SessionManager};
use agency_engine::store::{Purpose, RunFilter};
use agency_model::RunKind;
use agency_model::run::State;

use super::RUN_HELP;
use super::several::attempt_each;
use crate::context::Context;
use crate::output::{Spinner, state_word};
use crate::problem::Problem;
use crate::view::{RunView, Runs};

/// Stop runs: TERM to the agent, the grace period, then KILL; the worktree stays
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  agency stop fix\n  agency stop fix-login fix-logout\n  agency stop last\n  agency stop --repo .\n  agency stop --all"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required_unless_present_any = ["all", "repo", "session"], allow_negative_numbers = true,
        conflicts_with_all = ["all", "repo", "session"], add = super::completions::run_candidates(Purpose::ChangeLive))]
    runs: Vec<String>,
    /// All live runs
    #[arg(long)]
    all: bool,
    /// All live runs of this repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
    /// All live runs of this workflow session
    #[arg(long, value_name = "SESSION", add = super::completions::session_candidates(super::completions::open_session))]
    session: Option<String>,
}

/// The runs that the options mean.
fn chosen(args: &Args, agency: &mut Agency, context: &Context) -> Result<Vec<String>, Problem> {
    if !args.runs.is_empty() {
        return Ok(args.runs.clone());
    }
    let session = args.session.as_deref().map(|text| SessionManager::new(agency.home().clone()).select(text));
    let live = RunFilter {
        states: vec![State::Queued, State::Running],
        repo: args.repo.as_deref().map(|path| super::repository_root(agency, path)),
        session: session.transpose().map_err(OrchestratorError::from)?,
        ..RunFilter::default()
    };
    // The drivers of workflows first: they would start the next task.
    let mut rows = agency.list(&live)?;
    rows.sort_by_key(|row| row.kind != RunKind::Workflow);
    if rows.is_empty() {
        context.say("No live runs to stop.");
    }
    Ok(rows.into_iter().map(|row| row.id.to_string()).collect())
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let runs = chosen(args, &mut agency, context)?;
    let (stopped, failed) = attempt_each(&runs, context, |text| stop(&mut agency, text, context));
    let lines: Vec<String> = stopped
        .iter()
        .map(|run| format!("{} is {}", run.name.as_deref().unwrap_or(run.id.as_str()), state_word(run.state)))
        .collect();
    let human = |out: &mut dyn std::io::Write| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    match (failed, stopped.as_slice()) {
        (Some(problem), _) if context.json() => Err(problem.detail("stopped", &stopped)),
        (Some(problem), _) => context.print(human).and(Err(problem)),
        (None, [one]) if !args.runs.is_empty() => context.answer(one, human),
        (None, _) => context.answer(&Runs { runs: stopped }, human),
    }
}

fn stop(agency: &mut Agency, text: &str, context: &Context) -> Result<RunView, Problem> {
    let row = context.select_for(agency, text, Purpose::ChangeLive)?;
    let _spinner = Spinner::begin(format!("stopping {}", row.label()), context.is_watched());
    let row = agency.stop(&row)?;
    Ok(RunView::new(row, agency.home()))
}
