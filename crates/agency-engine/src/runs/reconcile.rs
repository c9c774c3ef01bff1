//! Reconciliation: makes the rows agree with what is really there.
//!
//! The one rule: a run with a living owner is never touched. A process that finds a live row without an
//! owner becomes its owner for a moment, and completes the record from the exit markers.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config};
//! # let place = tempfile::tempdir()?;
//! # let mut agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! // `list`, `wait` and the like do this themselves.
//! let completed = agency.reconcile_live()?;
//! assert!(completed.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use agency_model::run::{Input, State, StopCause};
use agency_model::{RunId, RunKind};
use agency_system::fault;
use agency_system::lock::Lock;
use schemars::JsonSchema;
use serde::Serialize;
use tracing::info;

use crate::agency::Agency;
use crate::record::finish::{Ended, announce_end, read_markers};
use crate::runs::adopt::{FileFindings, RunDirectories};
use crate::runs::garbage::{Garbage, GarbageListing, list_processes, list_sessions, list_worktrees};
use crate::runs::owner::has_owner;
use crate::store::{Applied, KnownRuns, RunRow, Store, StoreError, now};
use crate::wire::wake_supervisor;

/// A run whose row did not agree with the facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

impl Reconciled {
    /// Records the decision as a diagnostic.
    fn record(&self) {
        info!(run = %self.id, from = %self.from, to = %self.to, why = self.why, "run reconciled");
    }
}

/// What `agency reconcile` does, or has done.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ReconcilePlan {
    /// What the files of runs contain.
    pub findings: FileFindings,
    /// Runs whose state changes.
    pub runs: Vec<Reconciled>,
    /// Finished runs whose exit markers were missing.
    pub completed: Vec<RunId>,
    /// What no run needs.
    pub garbage: Garbage,
    /// Whether saved work may be at refs of an older version.
    pub has_old_saved_refs: bool,
    /// The ended drivers of workflow sessions.
    ended_drivers: Vec<RunId>,
}

impl Agency {
    /// Completes the record of every run whose owner has died. Cheap: only live rows are read, and finished ones whose
    /// exit markers are known to be missing.
    pub fn reconcile_live(&mut self) -> Result<Vec<Reconciled>, StoreError> {
        // A database that was replaced is not read any further.
        self.store.refresh()?;
        if !self.store.has_unsettled_runs()? {
            return Ok(vec![]);
        }
        self.name_unnamed()?;
        let live = self.store.live()?;
        let mut done = vec![];
        for row in &live {
            done.extend(self.settle(row)?);
        }
        if !live.is_empty() {
            for id in self.store.runs_with_requests()? {
                // A request whose sender died before it woke the supervisor.
                wake_supervisor(&self.home.run(&id));
            }
        }
        for row in self.store.unrecorded_ends()? {
            self.record_end(&row);
        }
        Ok(done)
    }

    /// What [`Self::reconcile_live`] would do.
    pub fn reconcile_plan(&self) -> Result<Vec<Reconciled>, StoreError> {
        let rows = self.store.live()?;
        Ok(rows.iter().filter_map(|row| self.verdict_on_dead(row)).collect())
    }

    /// All that [`Self::reconcile`] would do.
    pub fn full_plan(&self) -> Result<ReconcilePlan, StoreError> {
        self.plan_with(Store::known_runs)
    }

    /// The same with rows that are read in another way.
    pub(crate) fn plan_with(
        &self,
        read: impl FnOnce(&Store) -> Result<KnownRuns, StoreError>,
    ) -> Result<ReconcilePlan, StoreError> {
        // All of it is read at the same time: thousands of directories take as long as thousands of rows, processes are
        // read one by one, and tmux is mostly waited for. A session and a process are never older than their run, so they
        // may be listed before the rows.
        let (home, config, pid_dir) = (&self.home, &self.config, self.pid_dir());
        let (listed, directories, known) = thread::scope(|scope| {
            let sessions = thread::Builder::new().spawn_scoped(scope, || list_sessions(config));
            let processes = thread::Builder::new().spawn_scoped(scope, || list_processes(&pid_dir));
            let worktrees = thread::Builder::new().spawn_scoped(scope, || list_worktrees(home));
            let directories = thread::Builder::new().spawn_scoped(scope, || RunDirectories::list(home));
            let known = read(&self.store);
            let listed = GarbageListing {
                sessions: joined(sessions).unwrap_or_else(|| list_sessions(config)),
                processes: joined(processes).unwrap_or_else(|| list_processes(&pid_dir)),
                worktrees: joined(worktrees).unwrap_or_else(|| list_worktrees(home)),
            };
            (listed, joined(directories).unwrap_or_else(|| RunDirectories::list(home)), known)
        });
        let mut known = known?;
        let findings = self.compare_files(directories, &known)?;
        let adopted_worktrees = findings.runs.iter().filter(|(_, run)| run.row.removed_at.is_none());
        adopted_worktrees.filter_map(|(_, run)| run.row.worktree_path.as_deref()).for_each(|path| known.hold(path));
        let adopted = |id: &RunId| findings.runs.iter().any(|(_, run)| run.row.id == *id);
        let mut runs = self.reconcile_plan()?;
        runs.retain(|run| !adopted(&run.id));
        runs.extend(findings.runs.iter().filter_map(|(_, run)| self.verdict_on_dead(&run.row)));
        runs.sort_by(|one, other| one.id.cmp(&other.id));
        let completed = self.unrecorded_ends(&findings)?;
        let garbage = self.garbage(&findings, &known, listed)?;
        let is_old = |row: &RunRow| row.saved_ref == Some(row.id.old_saved_work_ref());
        let has_old_saved_refs = known.has_old_saved_refs() || findings.runs.iter().any(|(_, run)| is_old(&run.row));
        let ended_drivers = known.ended_drivers().to_vec();
        Ok(ReconcilePlan { findings, runs, completed, garbage, has_old_saved_refs, ended_drivers })
    }

    /// Adopts the runs that the database does not have, before something is decided about a worktree or a name that one
    /// of them may have. It costs nothing once all are known.
    pub fn adopt_missing(&mut self) -> Result<(), StoreError> {
        if self.store.is_complete()? {
            return Ok(());
        }
        self.reconcile_live()?;
        let known = self.store.known_runs()?;
        let findings = self.compare_files(RunDirectories::list(&self.home), &known)?;
        let refused = self.adopt(&findings)?;
        if refused.is_empty() && findings.unadoptable.is_empty() {
            // Looking again is all that is lost if this cannot be stored, on a full disk for example.
            let _ = self.store.set_complete();
        }
        Ok(())
    }

    /// Does what a plan says, and returns what was swept away. The plan then holds what was done.
    pub fn reconcile(&mut self, plan: &mut ReconcilePlan) -> Result<Vec<String>, StoreError> {
        // First: the name of a dead agent is free for a live one.
        plan.runs = self.reconcile_live()?;
        let refused = self.adopt(&plan.findings)?;
        fault::point("reconcile.adopted");
        plan.runs.extend(self.reconcile_live()?);
        plan.runs.sort_by(|one, other| one.id.cmp(&other.id));
        for id in &plan.completed {
            let row = self.store.run(id)?;
            self.record_end(&row);
        }
        let settled = plan.runs.iter().filter(|run| run.to.is_terminal()).map(|run| &run.id);
        let adopted = plan.findings.runs.iter().map(|(_, run)| &run.row).filter(|row| row.state.is_terminal());
        self.delete_driver_configs(settled.chain(adopted.map(|row| &row.id)).chain(&plan.ended_drivers));
        let swept = self.sweep(&plan.garbage);
        plan.findings
            .runs
            .retain(|(_, run)| refused.iter().all(|refused| refused.path != *self.home.run(&run.row.id).path()));
        if refused.is_empty() {
            self.files_are_compared(&plan.findings)?;
        } else {
            // They are named by this command, and by every further one that compares.
            self.store.set_complete()?;
        }
        plan.garbage.unadoptable.extend(refused);
        Ok(swept)
    }

    /// The ended runs whose files do not record the end, oldest first.
    fn unrecorded_ends(&self, findings: &FileFindings) -> Result<Vec<RunId>, StoreError> {
        let rows = self.store.unrecorded_ends()?;
        let mut ids: Vec<RunId> = rows.into_iter().map(|row| row.id).chain(findings.untold.iter().cloned()).collect();
        ids.retain(|id| !has_owner(&self.home.run(id)));
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// Deletes the configurations that earlier versions left in the directories of ended drivers.
    fn delete_driver_configs<'a>(&self, ended: impl Iterator<Item = &'a RunId>) {
        for id in ended {
            self.home.run(id).delete_driver_config();
        }
    }

    fn record_end(&mut self, row: &RunRow) {
        let directory = self.home.run(&row.id);
        if !row.state.is_terminal() || has_owner(&directory) {
            return;
        }
        let owner = Lock::take(&directory.supervisor_lock(), Duration::ZERO);
        if matches!(owner, Ok(Some(_))) || !directory.path().exists() {
            let from = if row.started_at.is_some() { State::Running } else { State::Queued };
            info!(run = %row.id, state = %row.state, "end written to the files");
            announce_end(&self.home, &mut self.store, from, row);
        }
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
        if let Some(run) = self.ended_in_files(&row.id) {
            let verdict = self.verdict(row).0;
            self.store.adopt(&[&run])?;
            directory.delete_driver_config();
            verdict.record();
            return Ok(Some(verdict));
        }
        let (verdict, ended) = self.verdict(row);
        let details = ended.as_ref().and_then(|ended| ended.details.clone());
        let at = ended.as_ref().map_or_else(now, |ended| ended.ended_at);
        let input = match ended {
            // As if the process that asked had been seen to end by the supervisor.
            None if was_never_asked(row) => Input::Stop(StopCause::Requested),
            ended => Input::SupervisorGone(ended.map(|ended| ended.ending)),
        };
        match self.store.apply_at(&row.id, &input, details.as_deref(), at)? {
            Applied::Stale(_) => Ok(None),
            Applied::Moved { from, row, .. } => {
                fault::point("reconcile.settled");
                announce_end(&self.home, &mut self.store, from, &row);
                verdict.record();
                Ok(Some(verdict))
            }
        }
    }

    fn verdict_on_dead(&self, row: &RunRow) -> Option<Reconciled> {
        let dead = !row.state.is_terminal() && !has_owner(&self.home.run(&row.id));
        dead.then(|| self.verdict(row).0)
    }

    fn verdict(&self, row: &RunRow) -> (Reconciled, Option<Ended>) {
        let ended = read_markers(&self.home.run(&row.id));
        let in_files = self.ended_in_files(&row.id).map(|run| run.row.state);
        let (to, why) = match (in_files, &ended, row.state) {
            (Some(state), _, _) => (state, "its files show that it has finished"),
            (None, Some(ended), _) => (ended.ending.state, "its supervisor left an exit marker"),
            (None, None, _) if was_never_asked(row) => {
                (State::Killed, "the process that asked ended before it was started")
            }
            (None, None, State::Queued) => (State::Failed, "it was never started, and its creator has exited"),
            (None, None, _) => (State::Failed, "its supervisor is gone and left no exit marker"),
        };
        (Reconciled { id: row.id.clone(), from: row.state, to, why: why.to_owned() }, ended)
    }
}

/// What a thread found; nothing if it could not be started.
fn joined<T>(thread: io::Result<ScopedJoinHandle<'_, T>>) -> Option<T> {
    thread.ok()?.join().ok()
}

/// Whether it is a question that was still in the queue.
fn was_never_asked(row: &RunRow) -> bool {
    row.kind == RunKind::Ask && row.state == State::Queued
}
