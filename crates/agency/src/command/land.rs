//! `agency land`: brings the work of runs into a branch, after the merge was checked.

mod all_ready;
mod dirty;
mod plan;
mod removal;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::land::{
    DirtyChoice, FailedLanding, LandChecks, LandRequest, Landed, LandedRuns, OnConflict, Publish, ReadyPlan,
};
use agency_engine::runs::create::SetupChoice;
use agency_engine::store::Purpose;
use agency_model::RunId;
use agency_workspace::MergeStrategy;
use clap::builder::PossibleValuesParser;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::plan::LandPlans;
use self::removal::RemovedAfter;
use super::RUN_HELP;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::parse_duration;
use crate::problem::Problem;
use crate::typed_text::given_text;

/// Bring the work of runs into a branch: commit, merge, check the merge, then move the branch
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is not committed is committed first. The branch moves only after the checks passed on exactly the \
    merged files, and not over\nchanges of yours that are in the way. Several runs land in the order given; the first that \
    cannot land ends it.\n\nExamples:\n  \
    agency land fix\n  agency land fix --check \"npm test\" --rm\n  agency land fix --strategy squash -m \"Fix the login\"\n  \
    agency land fix --dry-run\n  agency land --all-ready --dry-run\n  agency land --all-ready --check \"npm test\""
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required_unless_present = "all_ready", allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Land))]
    runs: Vec<String>,
    /// Land all runs of the repository that are ready, in the order that needs the least rework; runs that are named come first
    #[arg(long)]
    all_ready: bool,
    /// The branch to land on [default: the one that the run started from]
    #[arg(long, value_name = "BRANCH", allow_hyphen_values = true)]
    into: Option<String>,
    /// A merge commit, one commit with all changes, or the commits anew on top of the branch
    #[arg(long, default_value = "merge", value_parser = PossibleValuesParser::new(["merge", "squash", "rebase"]))]
    strategy: String,
    /// The message of commits, - from standard input [default: the agent's final answer, else its prompt]
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    /// A command that has to succeed on the merged files, for sh -c; may be repeated [default: `land.check` of
    /// .agency/project.toml]
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_check")]
    check: Vec<String>,
    /// Check nothing
    #[arg(long)]
    no_check: bool,
    /// How long each check may take, such as 10m [default: `land.check_minutes`, else 30m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    check_timeout: Option<Duration>,
    /// Check without the ignored files, such as build output, of earlier checks
    #[arg(long)]
    fresh: bool,
    /// Check without what the project file gives to worktrees
    #[arg(long)]
    no_setup: bool,
    /// Interrupt an agent that is at work, instead of refusing
    #[arg(long)]
    interrupt: bool,
    /// Save uncommitted changes of yours that are in the way to a ref, then land
    #[arg(long)]
    save_changes: bool,
    /// Where both sides changed the same lines: report it, or let the agent resolve it in its worktree, at most
    /// `land.attempts` times
    #[arg(long, default_value = "report", value_parser = PossibleValuesParser::new(["report", "agent"]))]
    on_conflict: String,
    /// Push the branch after the work landed [default: to its usual remote]
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with = "pr")]
    push: Option<String>,
    /// Check the merge, push the run's branch and make a pull request with gh or glab; the branch does not move here
    #[arg(long, value_name = "REMOTE", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with = "rm")]
    pr: Option<String>,
    /// Remove each run that landed; its branch goes if the target holds it
    #[arg(long)]
    rm: bool,
    /// Print what would land, with conflicts and checks, without doing it
    #[arg(long)]
    dry_run: bool,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandAnswer {
    /// The runs that landed, in that order.
    landed: Vec<LandedRun>,
    /// What was planned, with `--all-ready`.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<ReadyPlan>,
}

/// A run that landed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LandedRun {
    #[serde(flatten)]
    landed: Landed,
    name: Option<String>,
    /// What its removal did, with `--rm`.
    removed: Option<RemovedAfter>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let runs: Vec<RunId> = args
        .runs
        .iter()
        .map(|text| Ok(context.select_for(&mut agency, text, Purpose::Land)?.id))
        .collect::<Result<_, Problem>>()?;
    let (dry_run, rm, all_ready) = (args.dry_run, args.rm, args.all_ready);
    let request = request_of(args, agency.config().land_attempts)?;
    if all_ready {
        return all_ready::run(&mut agency, &runs, &request, all_ready::AllReadyOptions { dry_run, rm }, context);
    }
    if dry_run {
        return plan::print(&mut agency, &runs, &request, context);
    }
    let interrupts = Interrupts::listen_for_hangup_too()?;
    land(&mut agency, Wanted { runs: &runs, plan: None, rm }, &request, &interrupts, context)
}

fn request_of(args: Args, attempts: u32) -> Result<LandRequest, Problem> {
    let message = args.message.map(|text| given_text(text, "message")).transpose()?;
    let mut request = LandRequest::new();
    request.into = args.into;
    // The parser accepts no other value.
    request.strategy = args.strategy.parse().unwrap_or(MergeStrategy::Merge);
    request.message = message;
    request.checks = match (args.check.is_empty(), args.no_check) {
        (_, true) => LandChecks::None,
        (true, false) => LandChecks::Project,
        (false, false) => LandChecks::Only(args.check),
    };
    request.check_limit = args.check_timeout;
    request.on_conflict = match args.on_conflict.as_str() {
        "agent" => OnConflict::Agent { attempts },
        _ => OnConflict::Report,
    };
    let named = |remote: String| Some(remote).filter(|remote| !remote.is_empty());
    request.publish = match (args.push, args.pr) {
        (Some(remote), _) => Publish::Push { remote: named(remote) },
        (None, Some(remote)) => Publish::PullRequest { remote: named(remote) },
        (None, None) => Publish::Nothing,
    };
    request.fresh = args.fresh;
    request.setup = if args.no_setup { SetupChoice::None } else { SetupChoice::Project };
    request.interrupt = args.interrupt;
    request.dirty = if args.save_changes { DirtyChoice::Save } else { DirtyChoice::Block };
    Ok(request)
}

/// What is to land.
struct Wanted<'a> {
    runs: &'a [RunId],
    /// Why in this order.
    plan: Option<ReadyPlan>,
    /// Whether runs that landed are removed.
    rm: bool,
}

/// Lands the runs, asks what to do about changes that are in the way, and reports what landed.
fn land(
    agency: &mut Agency,
    wanted: Wanted<'_>,
    request: &LandRequest,
    interrupts: &Interrupts,
    context: &Context,
) -> Result<ExitCode, Problem> {
    let Wanted { runs, plan, rm } = wanted;
    let mut done = vec![];
    let mut left = runs.to_vec();
    let mut wish = request.clone();
    let failed = loop {
        let mut report = report::Report::new(agency, context);
        let LandedRuns { landed, failed, left: later } =
            agency.land_in_order(&left, &wish, &mut |progress| report.show(&progress), interrupts.asked());
        done.extend(landed);
        let Some(failed) = failed else { break None };
        let Some(choice) = dirty::ask(&failed.error, context)? else { break Some((failed, later)) };
        wish = LandRequest { dirty: choice, ..request.clone() };
        left = std::iter::once(failed.id).chain(later).collect();
    };
    let mut problem = failed.map(|(FailedLanding { id, error }, later)| {
        let landed: Vec<&RunId> = done.iter().map(|landed: &Landed| &landed.id).collect();
        Problem::from(error).detail("run", id).detail("landed", landed).detail("left", later)
    });
    let mut answer = LandAnswer { landed: vec![], plan };
    for landed in done {
        let removed = match rm.then(|| removal::remove(agency, &landed)).transpose() {
            Ok(removed) => removed,
            Err(error) => {
                problem = problem.or(Some(error));
                None
            }
        };
        let name = agency.run_name(&landed.id);
        answer.landed.push(LandedRun { landed, name, removed });
    }
    if let (Some(problem), true) = (&mut problem, context.json()) {
        return Err(std::mem::replace(problem, Problem::silent(1)));
    }
    let code =
        context.answer(&answer, |out| answer.landed.iter().try_for_each(|run| report::print(out, run, agency)))?;
    problem.map_or(Ok(code), Err)
}
