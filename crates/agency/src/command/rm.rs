//! `agency rm`: removes what finished runs hold, never work that is nowhere else.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::orchestrator::{SessionsInUse, needing_session};
use agency_engine::runs::remove::{NeedingSession, RemoveError, RemoveRequest, Removed, Teardown};
use agency_engine::store::{Purpose, RunFilter, RunRow};
use agency_model::run::State;
use agency_model::workflow::SessionState;
use agency_model::{ErrorCode, RunId, SessionId};
use agency_workspace::{DeleteBranch, RemoveOptions};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::output::{Progress, Spinner, Surface, ago, field, parse_duration};
use crate::problem::Problem;
use crate::run_names::{called, with_names};

/// Why a run is removed that the user named.
const NAMED: &str = "named";

/// Remove worktrees and sessions of finished runs; uncommitted work is saved first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Uncommitted and untracked files are saved as refs/agency/saved/<run_id>; agency restore brings them \
    back.\nFiles that .gitignore names are not saved.\nThe branch stays unless --delete-branch is given. Logs and the record of the run stay.\n\nExamples:\n  \
    agency rm fix\n  agency rm --repo . --older-than 1d\n  agency rm --all-finished --older-than 7d --dry-run"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, required_unless_present_any = ["all_finished", "repo", "race"],
        conflicts_with_all = ["all_finished", "repo", "race"],
        allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeFinished))]
    runs: Vec<String>,
    /// All finished runs
    #[arg(long)]
    all_finished: bool,
    /// All finished runs of this repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
    /// All finished runs of a race
    #[arg(long, value_name = "RACE", conflicts_with_all = ["all_finished", "repo"],
        add = super::completions::race_candidates())]
    race: Option<String>,
    /// With --all-finished or --repo: only those that ended so long ago, such as 7d
    #[arg(long, value_name = "TIME", conflicts_with = "runs", value_parser = parse_duration)]
    older_than: Option<Duration>,
    /// Print what would be done without doing it
    #[arg(long)]
    dry_run: bool,
    /// Do not execute the commands of `worktree.teardown` first
    #[arg(long)]
    no_teardown: bool,
    /// Delete the branch too; refused if its commits are in no other branch
    #[arg(long)]
    delete_branch: bool,
    /// Also remove what a plain rm refuses: a locked worktree, a run that a workflow session needs, a worktree with git
    /// repositories of its own or files that cannot be saved (moved to the home's kept/). With --delete-branch: delete an unmerged branch too
    #[arg(long)]
    force: bool,
}

impl Args {
    const fn teardown(&self) -> Teardown {
        if self.no_teardown { Teardown::Skip } else { Teardown::Execute }
    }

    /// Whether it is about all finished runs, and not about some by name.
    const fn takes_all(&self) -> bool {
        self.all_finished || self.repo.is_some() || self.race.is_some()
    }
}

/// The answer for several runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RemovedRuns {
    runs: Vec<Outcome>,
    /// Finished runs that stay, because their workflow session can still be resumed or retried.
    kept: Vec<KeptRun>,
}

/// A run that its workflow session still needs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeptRun {
    id: RunId,
    name: Option<String>,
    session: SessionId,
    /// The state of the session; `null` where it cannot be read.
    session_state: Option<SessionState>,
}

/// The outcome for one run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Outcome {
    #[serde(flatten)]
    removed: Removed,
    name: Option<String>,
    /// Why this run was chosen.
    why: String,
    /// Why it could not be removed.
    error: Option<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let options = RemoveOptions {
        delete_branch: match (args.delete_branch, args.force) {
            (false, _) => DeleteBranch::No,
            (true, false) => DeleteBranch::IfMerged,
            (true, true) => DeleteBranch::Force,
        },
        force: args.force,
    };
    // A run that the database lost may work in a worktree that is to be removed; the plan has to know it too.
    agency.adopt_missing()?;
    let mut chosen = choose(args, &mut agency, context)?;
    let kept = if args.takes_all() && !args.force { keep_for_sessions(&agency, &mut chosen) } else { vec![] };
    if let ([(row, why)], false) = (chosen.as_slice(), args.takes_all()) {
        let removed = one(&mut agency, row, options, args, context)?;
        let outcome = Outcome { removed, name: row.name.clone(), why: why.clone(), error: None };
        return context.answer(&outcome, |out| print(out, &outcome, &agency));
    }
    let (outcomes, failed) = many(args, &mut agency, &chosen, options, context)?;
    let outcomes = RemovedRuns { runs: outcomes, kept };
    if let (Some(error), true) = (&failed, context.json()) {
        return Err(Problem::new(error.code(), error.to_string()).detail("runs", &outcomes.runs));
    }
    let code = context.answer(&outcomes, |out| {
        if outcomes.runs.is_empty() {
            writeln!(out, "Nothing to remove.")?;
        }
        outcomes.runs.iter().try_for_each(|outcome| print(out, outcome, &agency))?;
        print_kept(out, &outcomes.kept, &agency)
    })?;
    failed.map_or(Ok(code), |error| Err(error.into()))
}

/// Removes several runs, or says what would be done. A refusal of one does not stop the others; Ctrl-C ends the loop between two.
fn many(
    args: &Args,
    agency: &mut Agency,
    chosen: &[(RunRow, String)],
    options: RemoveOptions,
    context: &Context,
) -> Result<(Vec<Outcome>, Option<RemoveError>), Problem> {
    let interrupts = Interrupts::listen()?;
    let text = if args.dry_run { "looking" } else { "removing" };
    let progress = Progress::begin(text, chosen.len(), context.is_watched());
    let needed_by = needing_session(agency.home());
    let request = RemoveRequest { options, teardown: args.teardown(), needed_by: &needed_by };
    let results: Vec<Result<Removed, RemoveError>> = if args.dry_run {
        let rows: Vec<&RunRow> = chosen.iter().map(|(row, _)| row).collect();
        let plans = interrupts.while_looking(|stop| agency.removal_plans(&rows, request, &|| progress.step(), stop));
        plans.ok_or_else(|| interrupted("nothing was removed"))?
    } else {
        let mut results = vec![];
        for (row, _) in chosen {
            if interrupts.asked().load(Ordering::Relaxed) {
                return Err(interrupted(&format!("{} of {} runs were looked at", results.len(), chosen.len())));
            }
            results.push(agency.remove(row, request));
            progress.step();
        }
        results
    };
    drop(progress);
    let (mut outcomes, mut failed) = (vec![], None);
    for ((row, why), result) in chosen.iter().zip(results) {
        let (name, why) = (row.name.clone(), why.clone());
        match result {
            Ok(removed) => outcomes.push(Outcome { removed, name, why, error: None }),
            Err(error) => {
                let removed = Removed::of(row, vec![]);
                outcomes.push(Outcome { removed, name, why, error: Some(error.to_string()) });
                failed = failed.or(Some(error));
            }
        }
    }
    Ok((outcomes, failed))
}

fn interrupted(what: &str) -> Problem {
    Problem::new(ErrorCode::Interrupted, format!("interrupted; {what}"))
}

fn choose(args: &Args, agency: &mut Agency, context: &Context) -> Result<Vec<(RunRow, String)>, Problem> {
    if !args.takes_all() {
        return args
            .runs
            .iter()
            .map(|text| Ok((context.select_for(agency, text, Purpose::ChangeFinished)?, NAMED.to_owned())))
            .collect();
    }
    if let Some(race) = &args.race {
        let race = agency.find_race(race)?;
        let mut rows = agency.runs_of_race(&race)?;
        rows.retain(|row| row.state.is_terminal() && row.removed_at.is_none());
        return Ok(rows.into_iter().map(|row| (row, format!("of {}", race.id))).collect());
    }
    let states = vec![State::Completed, State::Failed, State::Killed];
    let repo = args.repo.as_deref().map(|path| super::repository_root(agency, path));
    let rows = agency.list(&RunFilter { states, repo, ..RunFilter::default() })?;
    let now = Timestamp::now();
    let least = args.older_than.unwrap_or_default();
    let least = jiff::SignedDuration::try_from(least)
        .map_err(|error| Problem::new(ErrorCode::Usage, format!("--older-than: {error}")))?;
    Ok(rows
        .into_iter()
        .filter(|row| now.duration_since(row.ended_at.unwrap_or(row.updated_at)) >= least)
        .map(|row| {
            let why = format!("ended {} ago", ago(now, row.ended_at.unwrap_or(row.updated_at)));
            (row, why)
        })
        .collect())
}

/// Takes those runs out of the choice whose workflow session can still continue.
fn keep_for_sessions(agency: &Agency, chosen: &mut Vec<(RunRow, String)>) -> Vec<KeptRun> {
    let mut sessions = SessionsInUse::new(agency.home().clone());
    let mut kept = vec![];
    let mut rest = vec![];
    for (row, why) in chosen.drain(..) {
        match sessions.session_of(&row) {
            Some(NeedingSession { session, state }) => {
                kept.push(KeptRun { id: row.id, name: row.name, session, session_state: state });
            }
            None => rest.push((row, why)),
        }
    }
    *chosen = rest;
    kept
}

fn print_kept(out: &mut dyn std::io::Write, kept: &[KeptRun], agency: &Agency) -> std::io::Result<()> {
    for run in kept {
        let state = run.session_state.map_or("unreadable", SessionState::as_str);
        writeln!(out, "{}  kept: its workflow session {} is {state}", called(agency, &run.id), run.session)?;
    }
    let mut sessions: Vec<&SessionId> = kept.iter().map(|run| &run.session).collect();
    sessions.dedup();
    sessions.iter().try_for_each(|session| writeln!(out, "  give it up with: agency workflow cancel {session}"))
}

fn one(
    agency: &mut Agency,
    row: &RunRow,
    options: RemoveOptions,
    args: &Args,
    context: &Context,
) -> Result<Removed, RemoveError> {
    let needed_by = needing_session(agency.home());
    let request = RemoveRequest { options, teardown: args.teardown(), needed_by: &needed_by };
    if args.dry_run {
        return agency.removal_plan(row, request);
    }
    let _spinner = Spinner::begin(format!("removing {}", row.label()), context.is_watched());
    agency.remove(row, request)
}

fn print(out: &mut dyn std::io::Write, outcome: &Outcome, agency: &Agency) -> std::io::Result<()> {
    let removed = &outcome.removed;
    let word = match (removed.removed, &outcome.error) {
        (_, Some(_)) => "not removed",
        (true, None) => "removed",
        (false, None) => "would be removed",
    };
    let name = called(agency, &removed.id);
    let why = if outcome.why == NAMED { String::new() } else { format!(", {}", outcome.why) };
    writeln!(out, "{name}  {word} ({}{why})", removed.state)?;
    for note in &removed.notes {
        writeln!(out, "  {}", field(note))?;
    }
    if let Some(place) = &removed.kept {
        writeln!(out, "  kept in {}", field(&place.display().to_string()))?;
    }
    if let Some(saved) = &removed.saved_ref {
        writeln!(out, "  bring {saved} back with: agency restore {name}")?;
    }
    if let Some(error) = &outcome.error {
        writeln!(out, "  {}", Surface::stdout().below(&with_names(error, |id| called(agency, id))))?;
    }
    Ok(())
}
