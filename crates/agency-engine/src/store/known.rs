//! What the database holds about every run, for the comparison with files and directories.

use std::collections::{HashMap, HashSet};

use agency_model::RunId;
use agency_model::run::State;
use jiff::Timestamp;

/// What decides whether the files of a run are ahead of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownRun {
    pub(crate) state: State,
    pub(crate) removed: bool,
    pub(crate) updated_at: Timestamp,
}

/// Every run that has a row, and the worktrees that runs still hold.
#[derive(Debug, Default)]
pub(crate) struct KnownRuns {
    runs: HashMap<RunId, KnownRun>,
    /// Each as the last two directories of its path.
    held_worktrees: HashSet<String>,
    ended_drivers: Vec<RunId>,
    has_old_saved_refs: bool,
}

impl KnownRuns {
    /// Adds a run, with the last two directories of the path of its worktree.
    pub(super) fn add(&mut self, id: RunId, run: KnownRun, worktree: Option<String>) {
        if let (false, Some(worktree)) = (run.removed, worktree) {
            self.held_worktrees.insert(worktree);
        }
        self.runs.insert(id, run);
    }

    /// Notes a driver of a workflow session that has ended and was not removed.
    pub(super) fn add_ended_driver(&mut self, id: &RunId) {
        self.ended_drivers.push(id.clone());
    }

    /// Notes that a row names a ref at which an older version saved work.
    pub(super) const fn add_old_saved_ref(&mut self) {
        self.has_old_saved_refs = true;
    }

    /// The drivers of workflow sessions that have ended and were not removed.
    pub(crate) fn ended_drivers(&self) -> &[RunId] {
        &self.ended_drivers
    }

    /// Whether a row names a ref at which an older version saved work.
    pub(crate) const fn has_old_saved_refs(&self) -> bool {
        self.has_old_saved_refs
    }

    /// What is known of a run.
    pub(crate) fn get(&self, id: &RunId) -> Option<&KnownRun> {
        self.runs.get(id)
    }

    /// Counts the worktree of a run that has no row yet as held.
    pub(crate) fn hold(&mut self, worktree_path: &str) {
        self.held_worktrees.insert(last_two(worktree_path).to_owned());
    }

    /// Whether a run holds the worktree with this name below the directory of its repository.
    pub(crate) fn holds(&self, repository: &str, name: &str) -> bool {
        self.held_worktrees.contains(&format!("{repository}/{name}"))
    }
}

/// The last two directories of a path.
pub(super) fn last_two(path: &str) -> &str {
    let start = path.rmatch_indices('/').nth(1).map_or(0, |(slash, _)| slash + 1);
    path.get(start..).unwrap_or(path)
}
