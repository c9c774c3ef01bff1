//! Carries a plan out, one entry after the other.
//!
//! The one rule: it can be killed at any step and repeated; what was removed stays removed, and nothing is half removed.

use std::io;
use std::path::Path;
use std::time::Duration;

use agency_model::RunId;
use agency_system::fault;
use agency_system::lock::Lock;
use agency_workspace::{Repository, TrialTree, forget_checkpoints};
use tracing::info;

use super::facts::Facts;
use super::work::{REMOVING_FILE, Work, work_of};
use super::{GcAction, GcCategory, GcEntry, GcReport, Group};
use crate::agency::Agency;
use crate::home::write_atomically;
use crate::housekeeping::{HousekeepingError, Listener};
use crate::orchestrator::{SessionsInUse, needing_session};
use crate::runs::remove::{RemoveError, RemoveRequest};
use crate::store::{RunFilter, RunRow};

impl Agency {
    /// Removes what a plan says, and returns what became of it. What changed since the plan is kept.
    pub fn gc(&mut self, plan: GcReport, listener: &Listener<'_>) -> Result<GcReport, HousekeepingError> {
        let _lock = self.lock_gc()?;
        let mut report = plan;
        listener.begin(report.with(GcAction::Remove).count());
        for entry in &mut report.entries {
            if entry.action != GcAction::Remove {
                continue;
            }
            if listener.is_stopped() {
                report.interrupted = true;
                break;
            }
            match entry.category {
                GcCategory::Worktree => self.remove_worktree(entry),
                GcCategory::Trial => remove_trial(entry),
                GcCategory::Checkpoints => remove_checkpoints(entry),
            }
            if entry.action == GcAction::Removed {
                report.freed_bytes += entry.bytes.unwrap_or(0);
                info!(run = ?entry.run, path = ?entry.path, why = entry.why, "removed by gc");
            }
            listener.step();
            fault::point("gc.removed");
        }
        Ok(report)
    }

    /// Held while things are removed; `None` where the disk is too full for the file, since each removal has a lock of its
    /// own.
    fn lock_gc(&self) -> Result<Option<Lock>, HousekeepingError> {
        match Lock::take(&self.home.gc_lock(), Duration::ZERO) {
            Ok(Some(lock)) => Ok(Some(lock)),
            Ok(None) => Err(HousekeepingError::Busy),
            Err(error) if error.source.kind() == io::ErrorKind::StorageFull => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn remove_worktree(&mut self, entry: &mut GcEntry) {
        let Some(id) = entry.run.clone() else { return };
        match self.try_remove(&id, entry) {
            Ok(notes) => (entry.action, entry.notes) = (GcAction::Removed, notes),
            Err(RemoveError::Kept { why, .. }) => entry.keep(why),
            Err(
                error @ (RemoveError::InUse(_) | RemoveError::NotEnded { .. } | RemoveError::NeededBySession { .. }),
            ) => {
                entry.keep(error.to_string());
            }
            Err(error) => fail(entry, &error),
        }
    }

    fn try_remove(&mut self, id: &RunId, entry: &GcEntry) -> Result<Vec<String>, RemoveError> {
        let row = self.store.run(id)?;
        if row.removed_at.is_some() {
            return Err(RemoveError::Kept { id: id.clone(), why: "another process removed it".to_owned() });
        }
        let needed_by = needing_session(&self.home);
        let request = RemoveRequest::new(&needed_by);
        let removed = self.remove_if(&row, request, &mut |agency, row| agency.check_again(row, entry))?;
        // It says nothing about a run that is removed.
        let _ = std::fs::remove_file(self.home.run(id).file(REMOVING_FILE));
        Ok(removed.notes)
    }

    /// Refuses to remove a run whose reason does not hold any more. The locks of the run are held.
    fn check_again(&mut self, row: &RunRow, entry: &GcEntry) -> Result<(), RemoveError> {
        let kept = |why: String| RemoveError::Kept { id: row.id.clone(), why };
        let rows = self.store.list(&RunFilter { removed: true, ..RunFilter::default() })?;
        let facts = Facts::gather(self, &rows)?;
        let group = Group::at(row.worktree_path.as_deref(), &rows);
        let group = group.ok_or_else(|| kept("another process removed it".to_owned()))?;
        let mut sessions = SessionsInUse::new(self.home.clone());
        if let Some(why) = facts.what_keeps(&self.home, &group, &mut sessions) {
            return Err(kept(why));
        }
        // A run that is removed before the others of its worktree takes its times along.
        let since = group.due(self.config.gc).map(|due| due.since);
        if since.is_none_or(|since| entry.since.is_none_or(|planned| since > planned)) {
            return Err(kept("it changed since the plan was made".to_owned()));
        }
        match work_of(&self.home, &group) {
            Work::Left(why) => Err(kept(why)),
            Work::Nothing | Work::Landed { .. } | Work::BeingRemoved { .. } => {
                let note = self.home.run(&row.id).file(REMOVING_FILE);
                // On a full disk it has to do without: a removal that is interrupted then is left to agency rm.
                let _ = write_atomically(&note, format!("{}\n", entry.why).as_bytes());
                fault::point("gc.checked");
                Ok(())
            }
        }
    }
}

fn remove_trial(entry: &mut GcEntry) {
    let Some(path) = entry.path.clone() else { return };
    match TrialTree::clear_unused(Path::new(&path)) {
        Ok(true) => entry.action = GcAction::Removed,
        Ok(false) => entry.keep("it is in use"),
        Err(error) => fail(entry, &error),
    }
}

fn remove_checkpoints(entry: &mut GcEntry) {
    let (Some(repo), Some(run)) = (entry.repo.clone(), entry.run.clone()) else { return };
    match forget_checkpoints(&Repository::from_root(repo.into()), &run) {
        Ok(true) => entry.action = GcAction::Removed,
        Ok(false) => entry.keep("it leads to commits that are on no branch"),
        Err(error) => fail(entry, &error),
    }
}

fn fail(entry: &mut GcEntry, error: &dyn std::error::Error) {
    (entry.action, entry.error) = (GcAction::Failed, Some(error.to_string()));
}
