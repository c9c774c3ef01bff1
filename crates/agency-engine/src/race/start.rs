//! Starts the runs of a race: all are planned before the first is created, on one base commit.

use std::sync::atomic::AtomicBool;

use agency_model::{Mode, Vcs};
use agency_system::fault;
use ulid::Ulid;

use super::RaceError;
use crate::agency::Agency;
use crate::runs::create::{CreateError, Plan, RunOrigin, RunRequest};
use crate::store::{RaceRow, RunRow};

/// How many runs a race may have.
const MAX_RUNS: usize = 32;

/// A race that a user asks for.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RaceRequest {
    /// One request for each run; they are headless, so that they end.
    pub runs: Vec<RunRequest>,
    /// The command that verifies the work of each run, for `sh -c`.
    pub verify: Option<String>,
    /// Patterns of files that are verified as they are in the base.
    pub protect: Vec<String>,
}

impl RaceRequest {
    /// A race of these runs, whose work is not verified.
    #[must_use]
    pub const fn new(runs: Vec<RunRequest>) -> Self {
        Self { runs, verify: None, protect: vec![] }
    }
}

/// A race that was started.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StartedRace {
    /// The race.
    pub race: RaceRow,
    /// The runs that were created.
    pub runs: Vec<RunRow>,
    /// Those that were not.
    pub failed: Vec<FailedEntry>,
}

/// A run of a race that was not created.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FailedEntry {
    /// Its agent.
    pub agent: String,
    /// Why not.
    pub error: CreateError,
}

impl Agency {
    /// Starts a race. Nothing is created if one of its runs cannot be planned; a run that then cannot be created leaves the
    /// others in the race.
    pub fn start_race(&mut self, request: RaceRequest, interrupted: &AtomicBool) -> Result<StartedRace, RaceError> {
        let id = format!("race_{}", Ulid::generate());
        let plans = self.plan_race(request.runs, &id)?;
        let (Some(first), 2..=MAX_RUNS) = (plans.first(), plans.len()) else {
            return Err(RaceError::Size { most: MAX_RUNS });
        };
        let mut race = RaceRow::new(id, first.spec.repo.clone(), first.base.to_string());
        (race.verify, race.protect) = (request.verify, request.protect);
        self.home.ensure()?;
        self.store.insert_race(&race)?;
        fault::point("race.stored");
        let (mut runs, mut failed) = (vec![], vec![]);
        for plan in &plans {
            match self.create(plan, interrupted) {
                Ok(row) => runs.push(row),
                Err(CreateError::Interrupted) if !runs.is_empty() => {
                    return Err(RaceError::Incomplete { race: race.id, started: runs.len() });
                }
                Err(error @ CreateError::Interrupted) => return Err(error.into()),
                Err(error) => failed.push(FailedEntry { agent: plan.spec.runner.kind.clone(), error }),
            }
            fault::point("race.created");
        }
        match (runs.is_empty(), failed.pop()) {
            (true, Some(last)) => Err(last.error.into()),
            (_, last) => {
                failed.extend(last);
                Ok(StartedRace { race, runs, failed })
            }
        }
    }

    fn plan_race(&self, requests: Vec<RunRequest>, id: &str) -> Result<Vec<Plan>, RaceError> {
        let mut plans: Vec<Plan> = vec![];
        for request in requests {
            let mut plan = self.plan(request.mode(Mode::Headless))?;
            let is_worktree = matches!(plan.origin, RunOrigin::NewWorktree { .. });
            if plan.vcs != Vcs::Git || !is_worktree {
                return Err(RaceError::NotInWorktrees);
            }
            if let Some(first) = plans.first() {
                // The branch may have moved since the first was planned.
                plan.base = first.base.clone();
            }
            plan.race = Some(id.to_owned());
            plans.push(plan);
        }
        Ok(plans)
    }
}
