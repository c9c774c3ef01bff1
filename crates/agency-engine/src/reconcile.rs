//! Reconciliation: makes the rows agree with what is really there.
//!
//! The one rule: a run with a living owner is never touched. Whoever finds a live row without an
//! owner becomes its owner for a moment, and finishes the story that the markers tell.

use std::time::Duration;

use agency_model::RunId;
use agency_model::run::{Input, State};
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::door::ring;
use crate::event_log::EventLog;
use crate::finish::{Ended, after_end, log_end, read_markers};
use crate::home::RunDirectory;
use crate::lock::{Lock, is_held};
use crate::store::{Applied, RunRow, StoreError, now};

/// A run whose row did not agree with the facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reconciled {
    /// The run.
    pub id: RunId,
    /// The state the row had.
    pub from: State,
    /// The state it has now, or would have.
    pub to: State,
    /// What led to it.
    pub why: String,
}

impl Agency {
    /// Finishes the story of every run whose owner is dead. Cheap: only live rows are looked at.
    pub fn reconcile_live(&mut self) -> Result<Vec<Reconciled>, StoreError> {
        let live = self.store.live()?;
        let mut done = vec![];
        for row in &live {
            done.extend(self.settle(row)?);
        }
        if !live.is_empty() {
            for id in self.store.runs_with_requests()? {
                // A request whose asker died before the bell rang.
                ring(&self.home.run(&id));
            }
        }
        Ok(done)
    }

    /// What [`Self::reconcile_live`] would do.
    pub fn reconcile_plan(&self) -> Result<Vec<Reconciled>, StoreError> {
        let rows = self.store.live()?;
        Ok(rows.iter().filter(|row| !has_owner(&self.home.run(&row.id))).map(|row| self.verdict(row).0).collect())
    }

    /// Settles one run, if it is live and has no owner.
    pub(crate) fn settle(&mut self, row: &RunRow) -> Result<Option<Reconciled>, StoreError> {
        let directory = self.home.run(&row.id);
        if row.state.is_terminal() || has_owner(&directory) {
            return Ok(None);
        }
        // Without its directory there is no lock to take and nothing to race for.
        let _owner = match Lock::take(&directory.supervisor_lock(), Duration::ZERO) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => return Ok(None),
            Err(_) if !directory.path().exists() => None,
            Err(_) => return Ok(None),
        };
        let (verdict, ended) = self.verdict(row);
        let details = ended.as_ref().and_then(|ended| ended.details.clone());
        let at = ended.as_ref().map_or_else(now, |ended| ended.ended_at);
        let input = Input::SupervisorGone(ended.map(|ended| ended.ending));
        match self.store.apply_at(&row.id, &input, details.as_deref(), at)? {
            Applied::Stale(_) => Ok(None),
            Applied::Moved { from, row, .. } => {
                if let Ok(mut events) = EventLog::open(&directory.events()) {
                    log_end(&mut events, from, &Ended::from_row(&row));
                }
                after_end(&self.home, &row);
                Ok(Some(verdict))
            }
        }
    }

    fn verdict(&self, row: &RunRow) -> (Reconciled, Option<Ended>) {
        let ended = read_markers(&self.home.run(&row.id));
        let (to, why) = match (&ended, row.state) {
            (Some(ended), _) => (ended.ending.state, "its supervisor left an exit marker"),
            (None, State::Queued) => (State::Failed, "it was never started, and nobody is left to start it"),
            (None, _) => (State::Failed, "its supervisor is gone and left no exit marker"),
        };
        (Reconciled { id: row.id.clone(), from: row.state, to, why: why.to_owned() }, ended)
    }
}

/// Whether somebody is creating or supervising the run. The creator lets go only when the supervisor holds on, so
/// the order of the two looks matters. A lock that cannot be probed counts as held.
pub(crate) fn has_owner(directory: &RunDirectory) -> bool {
    is_held(&directory.creator_lock()).unwrap_or(true) || is_held(&directory.supervisor_lock()).unwrap_or(true)
}
