//! Whether the files of a run may change: work that is written while it lands would land only in part.

use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{Activity, RunId};

use super::LandError;
use crate::agency::Agency;
use crate::store::RunRow;
use crate::watch::DirectoryWatch;

/// How long an agent may take to stop what it is doing.
const INTERRUPT_LIMIT: Duration = Duration::from_secs(30);
/// How often its activity is looked at, at least.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// What happens to an agent at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtWork {
    Refuse,
    Interrupt,
}

impl Agency {
    /// The row of a run whose worktree no agent is changing.
    pub(super) fn at_rest(&mut self, id: &RunId, at_work: AtWork) -> Result<RunRow, LandError> {
        let row = self.settled(id)?;
        if row.removed_at.is_some() {
            return Err(LandError::Removed { id: row.id });
        }
        for other in self.store.runs_in_worktree(row.worktree_path.as_deref())? {
            let other = self.settled(&other.id)?;
            match (rest_of(&other), at_work) {
                (Rest::Quiet, _) => {}
                (Rest::NotStarted, _) => {
                    return Err(LandError::NotReady { why: format!("{} has not started yet", other.id), id: row.id });
                }
                (Rest::AtWork(doing), AtWork::Refuse) => {
                    let why =
                        format!("the agent of {} is at work ({doing}); wait for it, or use --interrupt", other.id);
                    return Err(LandError::NotReady { id: row.id, why });
                }
                (Rest::AtWork(_), AtWork::Interrupt) => self.interrupt_for(&row, &other)?,
            }
        }
        self.settled(id)
    }

    /// Ends the turn of an agent, and waits until it is idle.
    fn interrupt_for(&mut self, row: &RunRow, other: &RunRow) -> Result<(), LandError> {
        self.interrupt(other)?;
        let watch = DirectoryWatch::begin(&[self.home.run(&other.id).path()])?;
        let started = Instant::now();
        while started.elapsed() < INTERRUPT_LIMIT {
            if matches!(rest_of(&self.settled(&other.id)?), Rest::Quiet) {
                return Ok(());
            }
            watch.wait(LOOK_INTERVAL);
        }
        let why = format!("the agent of {} was interrupted and is still at work", other.id);
        Err(LandError::NotReady { id: row.id.clone(), why })
    }

    fn settled(&mut self, id: &RunId) -> Result<RunRow, LandError> {
        let row = self.store.run(id)?;
        self.settle(&row)?;
        Ok(self.store.run(id)?)
    }
}

/// What the agent of a run may be doing to its files.
enum Rest {
    Quiet,
    NotStarted,
    AtWork(&'static str),
}

fn rest_of(row: &RunRow) -> Rest {
    match (row.state, row.activity) {
        (State::Completed | State::Failed | State::Killed, _) | (State::Running, Some(Activity::Idle)) => Rest::Quiet,
        (State::Queued, _) => Rest::NotStarted,
        (State::Running, activity) => Rest::AtWork(activity.unwrap_or(Activity::Unknown).as_str()),
    }
}
