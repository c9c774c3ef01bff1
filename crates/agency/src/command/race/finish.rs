//! What happens after the runs of a race were started: they are waited for, verified, shown, and one may land.

use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::land::{LandChecks, LandRequest, Landed};
use agency_engine::race::{RaceError, RaceProgress, VerifyRequest};
use agency_engine::store::RaceRow;
use agency_model::{ErrorCode, RunId};

use super::Ending;
use crate::context::Context;
use crate::interrupts::Interrupts;
use crate::problem::Problem;
use crate::terminal::choose;
use crate::view::RaceView;

/// How many runs can be chosen by one key.
const MAX_KEYS: usize = 9;

/// What is to happen.
pub(super) struct Afterwards {
    /// Wait until all runs have ended, and verify them.
    pub(super) wait: bool,
    pub(super) ending: Ending,
    /// Runs that could not be started.
    pub(super) failed: Vec<String>,
}

pub(super) fn finish(
    agency: &mut Agency,
    race: &RaceRow,
    then: Afterwards,
    interrupts: &Interrupts,
    context: &Context,
) -> Result<ExitCode, Problem> {
    if then.wait {
        let id = &race.id;
        context.say(&format!("waiting for the runs of {id} (Ctrl-C leaves them running; agency race show {id})"));
        wait_and_verify(agency, race, &then.ending, interrupts, context).map_err(|error| left(error, race))?;
    }
    let view = RaceView::new(agency.race(race)?).with_failures(then.failed);
    let chosen = match (then.ending.land, then.ending.pick) {
        (true, _) => Some(winner(agency, race)?),
        (false, true) => pick(&view, context)?,
        (false, false) => None,
    };
    let Some(chosen) = chosen else { return context.answer(&view, |out| view.write(out)) };
    let landed = land(agency, race, &chosen, interrupts)?;
    let view = RaceView::new(agency.race(race)?).with_landed(Some(landed));
    context.answer(&view, |out| view.write(out))
}

fn wait_and_verify(
    agency: &mut Agency,
    race: &RaceRow,
    ending: &Ending,
    interrupts: &Interrupts,
    context: &Context,
) -> Result<(), RaceError> {
    let mut report = |progress: RaceProgress<'_>| match progress {
        RaceProgress::Ended { run, left } => {
            context.say(&format!("{} ({}) is {}, {left} at work", run.label(), run.runner_kind, run.state));
        }
        RaceProgress::VerifyBegins { run, command } => context.say(&format!("verifying {}: {command}", run.label())),
        RaceProgress::Verified { run, result } => context.say(&format!("{}: {}", run.label(), result.outcome)),
    };
    agency.wait_for_race(race, &mut report, interrupts.asked())?;
    let mut request = VerifyRequest::new();
    if let Some(limit) = ending.verify_timeout {
        request.limit = limit;
    }
    agency.verify_race(race, &request, &mut report, interrupts.asked())
}

/// The hint of an interrupt names the command that continues.
fn left(error: RaceError, race: &RaceRow) -> Problem {
    let is_interrupt = matches!(error, RaceError::Interrupted);
    let problem = Problem::from(error).detail("race", &race.id);
    if is_interrupt {
        let id = &race.id;
        return problem.hint(format!("the runs are left running; agency race show {id} --wait continues"));
    }
    problem
}

fn winner(agency: &mut Agency, race: &RaceRow) -> Result<RunId, Problem> {
    let standing = agency.race(race)?;
    standing.winner().map(|entry| entry.run.id.clone()).ok_or_else(|| {
        let message = "no run passed, kept the protected files and merges; nothing landed";
        Problem::new(ErrorCode::NotReady, message)
            .hint(format!("agency race show {} --pick lets you choose one", race.id))
            .detail("race", &race.id)
    })
}

/// The run that the user chooses; none if the user chooses none.
fn pick(view: &RaceView, context: &Context) -> Result<Option<RunId>, Problem> {
    if !context.is_at_terminal() {
        return Err(Problem::new(ErrorCode::Usage, "--pick needs a terminal")
            .hint("use --land, or agency land with the name of a run"));
    }
    context.print(|out| view.write(out))?;
    let runs: Vec<(&RunId, char)> = view.runs().map(|(id, _)| id).zip('1'..='9').take(MAX_KEYS).collect();
    let keys: Vec<char> = runs.iter().map(|(_, key)| *key).chain(['n']).collect();
    let question = format!("Which run is to land? [1-{}], [n]one", runs.len());
    let chosen = choose(&question, &keys);
    let chosen = chosen.map_err(|error| Problem::new(ErrorCode::Io, format!("the terminal: {error}")))?;
    Ok(chosen.and_then(|chosen| runs.iter().find(|(_, key)| *key == chosen)).map(|(id, _)| (*id).clone()))
}

/// Lands a run; the command that verified it alone also checks it merged.
fn land(agency: &mut Agency, race: &RaceRow, id: &RunId, interrupts: &Interrupts) -> Result<Landed, Problem> {
    let mut request = LandRequest::new();
    if let Some(verify) = &race.verify {
        request.checks = LandChecks::Only(vec![verify.clone()]);
    }
    let rows = agency.runs_of_race(race)?;
    let Some(row) = rows.iter().find(|row| row.id == *id) else {
        return Err(RaceError::NotFound(id.to_string()).into());
    };
    Ok(agency.land(row, &request, &mut |_| {}, interrupts.asked())?)
}
