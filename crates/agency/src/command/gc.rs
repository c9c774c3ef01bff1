//! `agency gc`: removes what finished runs hold and nothing needs any more.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::housekeeping::{GcAction, GcReport, Listener, size_text};
use agency_model::ErrorCode;
use schemars::JsonSchema;
use serde::Serialize;

use self::report::{counted, print_plan, print_result};
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::Phases;
use crate::problem::Problem;
use crate::terminal::choose;

/// Remove what finished runs hold and nothing needs any more, with a reason for each
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It removes worktrees of runs that changed nothing or have landed, after the times of [gc] in the\n\
    configuration, trial trees that are not used, and old checkpoints of removed runs. It keeps work that\n\
    is not saved or has not landed, and what something still needs.\n\
    On a terminal, it asks first; elsewhere it needs --yes.\n\nExamples:\n  \
    agency gc --dry-run\n  agency gc\n  agency gc --yes --repo .\n  agency gc --dry-run --json"
)]
pub(crate) struct Args {
    /// Print what would be removed and kept, and why, without doing it
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Remove without a question
    #[arg(short, long)]
    yes: bool,
    /// Only what belongs to this repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
}

/// The answer: the plan with `--dry-run`, else what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CleanUp {
    /// Whether it is only a plan.
    dry_run: bool,
    #[serde(flatten)]
    report: GcReport,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let repo = args.repo.as_deref().map(|path| super::repository_root(&agency, path));
    let interrupts = Interrupts::listen()?;
    let phases = Phases::new("looking", context.is_watched());
    let (begins, step) = (|steps| phases.begin(steps), || phases.step());
    let plan =
        interrupts.while_looking(|stop| agency.gc_plan(repo.as_deref(), &Listener::new(stop, &begins, &step)))?;
    phases.end();
    if args.dry_run {
        let answer = CleanUp { dry_run: true, report: plan };
        return context.answer(&answer, |out| print_plan(out, &answer.report, &agency));
    }
    if plan.with(GcAction::Remove).next().is_some() && !args.yes {
        confirm(&plan, &agency, context)?;
    }
    let planned = plan.with(GcAction::Remove).count();
    let phases = Phases::new("removing", context.is_watched());
    let (begins, step) = (|steps| phases.begin(steps), || phases.step());
    let report = agency.gc(plan, &Listener::new(interrupts.asked(), &begins, &step))?;
    phases.end();
    let problem = problem_of(&report, planned);
    let answer = CleanUp { dry_run: false, report };
    if let (Some(problem), true) = (&problem, context.json()) {
        return Err(Problem::new(problem.0, problem.1.clone()).detail("entries", &answer.report.entries));
    }
    let code = context.answer(&answer, |out| print_result(out, &answer.report, &agency))?;
    problem.map_or(Ok(code), |(code, message)| Err(Problem::new(code, message)))
}

/// Asks the user; without one, the consent has to be an option.
fn confirm(plan: &GcReport, agency: &Agency, context: &Context) -> Result<(), Problem> {
    let mut text = vec![];
    print_plan(&mut text, plan, agency).map_err(|error| Problem::output(&error))?;
    context.say(String::from_utf8_lossy(&text).trim_end());
    let (what, bytes) = counted(plan.with(GcAction::Remove));
    if context.json() || !context.is_at_terminal() {
        let message = format!("{what} would be removed, and there is no terminal to ask on; nothing was removed");
        return Err(Problem::new(ErrorCode::Usage, message)
            .hint("agency gc --yes removes them; agency gc --dry-run shows them with the reasons"));
    }
    let chosen = choose(&format!("Remove {what} ({})? [y/N]", size_text(bytes)), &['y', 'n']);
    match chosen.map_err(|error| Problem::new(ErrorCode::Io, format!("the terminal: {error}")))? {
        Some('y') => Ok(()),
        Some(_) | None => Err(Problem::new(ErrorCode::Interrupted, "nothing was removed")),
    }
}

/// Why a clean-up is not a success.
fn problem_of(report: &GcReport, planned: usize) -> Option<(ErrorCode, String)> {
    let removed = report.with(GcAction::Removed).count();
    let failed = report.with(GcAction::Failed).count();
    if report.interrupted {
        return Some((ErrorCode::Interrupted, format!("interrupted; {removed} of {planned} were removed")));
    }
    let first = report.with(GcAction::Failed).find_map(|entry| entry.error.clone())?;
    Some((ErrorCode::CleanupFailed, format!("{failed} of {planned} could not be removed: {first}")))
}
