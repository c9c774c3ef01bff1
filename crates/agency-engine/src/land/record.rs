//! Records that work landed, once.
//!
//! The one rule: before the target moves, a private file has what it moves to. So a landing that was killed is completed
//! by the next one, with the same commit.

use agency_model::{Event, RunId, WorkEvent};
use agency_workspace::{Commit, Repository};
use serde::{Deserialize, Serialize};

use super::LandError;
use crate::agency::Agency;
use crate::home::{RunDirectory, read_text};
use crate::store::RunRow;
use agency_system::fault;

/// Its file, in the directory of the run that made the worktree.
const FILE: &str = "landing.json";

/// A move of the target that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) target: String,
    /// What the target moves to.
    pub(crate) commit: String,
    /// The commit of the branch.
    pub(crate) tip: String,
}

impl Intent {
    /// Keeps it, before the target moves.
    pub(super) fn write(&self, directory: &RunDirectory) -> Result<(), LandError> {
        Ok(directory.write_json(FILE, self)?)
    }

    /// What was kept; `None` where that cannot be read.
    pub(crate) fn read(directory: &RunDirectory) -> Option<Self> {
        serde_json::from_str(&read_text(&directory.file(FILE)).ok()?).ok()
    }
}

impl Agency {
    /// The commit by which an earlier call moved the target to this work, if it is known and still there.
    pub(super) fn landed_before(
        &self,
        row: &RunRow,
        repository: &Repository,
        target: &str,
        tip: &Commit,
    ) -> Option<String> {
        let intent = Intent::read(&self.home.run(&row.worktree_owner()));
        let intended = intent.filter(|intent| intent.target == target && intent.tip == tip.as_str());
        let recorded = || row.landed_commit.clone().filter(|_| row.landed_into.as_deref() == Some(target));
        let commit = intended.map(|intent| intent.commit).or_else(recorded)?;
        let is_there = commit.parse().is_ok_and(|commit| repository.is_in_branch(&commit, target).unwrap_or(false));
        is_there.then_some(commit)
    }

    /// Stores where the work is now, in the row and as an event. Safe to repeat.
    pub(super) fn record_landed(
        &mut self,
        id: &RunId,
        target: &str,
        commit: &str,
        strategy: &str,
    ) -> Result<(), LandError> {
        fault::point("land.moved");
        let row = self.store.run(id)?;
        if row.landed_commit.as_deref() != Some(commit) || row.landed_into.as_deref() != Some(target) {
            self.store.mark_landed(&row.id, target, commit)?;
        }
        fault::point("land.stored");
        let last = self.last_event(id, |line| {
            if let Event::Work(WorkEvent::Landed { target, commit, .. }) = line.event {
                Some((target, commit))
            } else {
                None
            }
        })?;
        if last.is_none_or(|(into, landed)| into != target || landed != commit) {
            let (target, commit, strategy) = (target.to_owned(), commit.to_owned(), strategy.to_owned());
            self.record_work(&row.id, WorkEvent::Landed { target, commit, strategy })?;
        }
        fault::point("land.recorded");
        Ok(())
    }
}
