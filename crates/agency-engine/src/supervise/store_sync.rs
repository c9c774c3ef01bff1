//! The run's row from the supervisor's side: what it would hold, and what follows when the database is replaced.
//!
//! The one rule: a database that is lost, or does not know the run, never ends the run. Its files hold everything until
//! `agency reconcile` has rebuilt the row.

use std::time::Duration;

use agency_model::Event;
use agency_model::run::Progress;
use tokio::time::Instant;
use tracing::warn;

use super::Supervisor;
use super::activity::ActivityTimes;
use super::timers::Timer;
use crate::store::{RunRow, StoreError, now};

/// The ends of turns write the snapshot once per interval at most, as often as they write the row.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(250);

/// How far the row agrees with the supervisor.
#[derive(Debug, Default)]
pub(super) struct RowSync {
    /// Which opening of the database file has all that the supervisor has.
    synced: u32,
    /// Whether a missing row was reported; once is enough.
    reported_lost: bool,
    pub(super) activity: ActivityTimes,
    /// When the snapshot was last written for a report of the agent.
    snapshot_at: Option<Instant>,
}

impl Supervisor<'_> {
    /// The row as it would be if the database had every change.
    pub(super) fn row_in_memory(&self) -> RunRow {
        let phase = match &self.run.progress {
            Progress::Running { phase, .. } => Some(phase.as_str().to_owned()),
            Progress::Queued | Progress::Ended(_) => None,
        };
        let activity = self.present_activity();
        RunRow {
            state: self.run.state(),
            phase,
            attempt: self.run.attempt(),
            updated_at: now(),
            agent_session: self.protocol.session.clone().or_else(|| self.row.agent_session.clone()),
            usage: self.protocol.usage(),
            activity: activity.map(|(activity, _)| activity),
            activity_at: activity.map(|(_, since)| since),
            ..self.row.clone()
        }
    }

    /// Writes the snapshot from which the row can be rebuilt.
    pub(super) fn write_snapshot(&mut self) {
        self.timers.disarm(&Timer::WriteSnapshot);
        self.row_sync.snapshot_at = Some(Instant::now());
        self.files.write_snapshot(&self.row_in_memory());
    }

    /// Writes the snapshot now, or soon if it was written a moment ago. A file that replaces another one is brought to the
    /// disk at once, and takes as long as to read a hundred lines of an agent that ends one turn after the other.
    pub(super) fn write_snapshot_soon(&mut self) {
        let written = self.row_sync.snapshot_at.map(|at| at.elapsed());
        if written.is_none_or(|since| since >= SNAPSHOT_INTERVAL) {
            self.write_snapshot();
        } else {
            self.timers.arm_once(Timer::WriteSnapshot, SNAPSHOT_INTERVAL);
        }
    }

    /// Continues with the database that is at its path now, if it is another one and has the run.
    pub(super) fn renew_store(&mut self) {
        match self.store.refresh() {
            Ok(_) if self.store.openings() != self.row_sync.synced => self.write_row_again(),
            Ok(_) => {}
            Err(error) => self.report_store_error("the database was replaced and cannot be used", &error),
        }
    }

    /// Completes a row that was rebuilt from the files with the supervisor's own values.
    fn write_row_again(&mut self) {
        let openings = self.store.openings();
        match self.store.save(&self.id, &self.run, None) {
            Ok(row) if row.state.is_terminal() => {}
            Ok(row) => {
                self.row = row;
                self.store_open_questions();
                (self.row_sync.synced, self.row_sync.reported_lost) = (openings, false);
                self.store_agent_note();
            }
            Err(error) => self.report_store_error("the run could not be stored", &error),
        }
    }

    /// Notes that something could not be stored. That the row is missing is noted once: agents write a lot.
    pub(super) fn report_store_error(&mut self, what: &str, error: &StoreError) {
        if error.is_lost_row() && std::mem::replace(&mut self.row_sync.reported_lost, true) {
            return;
        }
        warn!(what, code = error.code().as_str(), "not stored");
        let hint = if error.is_lost_row() { "; agency reconcile rebuilds the row from the run's files" } else { "" };
        let message = format!("{what}: {error}{hint}");
        self.append(Event::Error { message });
    }
}
