//! The tools `start_race` and `show_race`.

use agency_engine::race::{RaceProgress, VerifyRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::tool::Call;
use crate::new_race::NewRace;
use crate::problem::Problem;
use crate::view::RaceView;

/// What `start_race` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Racing {
    /// What each agent is to do.
    prompt: String,
    /// The agents, at least two, each AGENT, AGENT:MODEL or AGENT@MODEL.
    agents: Vec<String>,
    /// A command for sh -c that verifies the work of each run.
    verify: Option<String>,
    /// Patterns of files that are verified as they are in the base, such as tests/**.
    #[serde(default)]
    protect: Vec<String>,
    /// The repository; the one that the server was started in if absent.
    repo: Option<String>,
    /// The branch, tag or commit to begin at; HEAD if absent.
    base: Option<String>,
}

/// What `show_race` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichRace {
    /// The race: its id, the beginning or end of it, or last.
    race: String,
    /// Whether to wait until all runs have ended, and to verify what is not verified yet. false if absent.
    #[serde(default)]
    wait: bool,
}

/// Starts the runs of a race.
pub(super) fn start(call: &Call) -> Result<Reply, Problem> {
    let Racing { prompt, agents, verify, protect, repo, base } = call.input()?;
    let mut agency = call.context.agency()?;
    let race = NewRace { prompt, agents, verify, protect, repo, base, max_minutes: None };
    let mut request = race.request(&call.context)?;
    for run in &mut request.runs {
        // The server has no terminal of a user.
        (run.terminal, run.notify) = (None, false);
    }
    let started = agency.start_race(request, &call.unwanted)?;
    let failed = started.failed.iter().map(|entry| format!("{}: {}", entry.agent, entry.error)).collect();
    Reply::new(&RaceView::new(agency.race(&started.race)?).with_failures(failed))
}

/// A race as it stands, or as it ends.
pub(super) fn show(call: &Call) -> Result<Reply, Problem> {
    let WhichRace { race, wait } = call.input()?;
    let mut agency = call.context.agency()?;
    let race = agency.find_race(&race)?;
    if wait {
        let mut tell = |progress: RaceProgress<'_>| {
            call.tell(match progress {
                RaceProgress::Ended { run, left } => format!("{} is {}, {left} at work", run.label(), run.state),
                RaceProgress::VerifyBegins { run, .. } => format!("verifying {}", run.label()),
                RaceProgress::Verified { run, result } => format!("{}: {}", run.label(), result.outcome),
            });
        };
        agency.wait_for_race(&race, &mut tell, &call.unwanted)?;
        agency.verify_race(&race, &VerifyRequest::new(), &mut tell, &call.unwanted)?;
    }
    Reply::new(&RaceView::new(agency.race(&race)?))
}
