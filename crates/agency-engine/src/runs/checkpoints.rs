//! `agency checkpoint`: the files of a run's worktree as they were at the end of each turn.
//!
//! The one rule: an agent at work is never interrupted unless that is asked for, and files are restored only while it is
//! idle or gone.
//!
//! ```
//! # use agency_engine::{agency::Agency, runs::checkpoints::CheckpointsError, store::RunRow};
//! fn last_commit(agency: &Agency, run: &RunRow) -> Result<Option<String>, CheckpointsError> {
//!     Ok(agency.last_checkpoint(run)?.map(|checkpoint| checkpoint.commit.to_string()))
//! }
//! ```

mod error;
mod turn;

use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{Activity, RunId, WorkEvent};
use agency_workspace::{
    ChangedFile, Checkpoint, CheckpointCause, CheckpointMoment, DiffSize, GitWorktree, PatchContext, Repository,
    RestoreRequest, RestoredFiles, last_checkpoints,
};

pub use self::error::CheckpointsError;
pub use self::turn::CheckpointTurn;
use crate::agency::Agency;
use crate::home::Home;
use crate::runs::remove::{RemoveError, workspace_of};
use crate::store::RunRow;
use crate::watch::DirectoryWatch;

/// How long an interrupted agent may take until its turn is over.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the wait for a change of the row is at most, until the row is read again.
const WAIT_INTERVAL: Duration = Duration::from_millis(500);

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedCheckpoints {
    /// The number of the one before; 0 is the start.
    pub from: u32,
    /// The number of the one after.
    pub to: u32,
    from_tree: String,
    to_tree: String,
}

/// The worktree of a run whose checkpoints are taken; none where the files are the user's own, jj's or an ask's.
pub(crate) fn checkpointed_worktree(home: &Home, row: &RunRow) -> Option<GitWorktree> {
    let workspace = workspace_of(home, row).ok()?;
    let worktree = workspace.branch_work().ok()?;
    Some(named_after_owner(home, row, worktree))
}

/// The checkpoints belong to the worktree, which several runs may use one after the other.
fn named_after_owner(home: &Home, row: &RunRow, worktree: &GitWorktree) -> GitWorktree {
    let owner = row.worktree_owner();
    GitWorktree { looks: Some(home.run(&owner).looks()), run: owner, ..worktree.clone() }
}

impl Agency {
    /// The last checkpoint of a run's worktree: its commit and tree hold the files as they were at the end of the last
    /// turn. `None` while the files are as at the start.
    pub fn last_checkpoint(&self, row: &RunRow) -> Result<Option<Checkpoint>, CheckpointsError> {
        Ok(self.worktree_with_checkpoints(row)?.last_checkpoint()?)
    }

    /// The last checkpoints of all worktrees of a repository, by the run that made the worktree: one process of git.
    pub fn last_checkpoints(&self, repository: &Repository) -> Result<Vec<(RunId, Checkpoint)>, CheckpointsError> {
        Ok(last_checkpoints(repository)?)
    }

    /// All checkpoints of a run's worktree, the last one first.
    pub fn checkpoints(&self, row: &RunRow) -> Result<Vec<Checkpoint>, CheckpointsError> {
        Ok(self.worktree_with_checkpoints(row)?.checkpoints()?)
    }

    /// The same, each with how much differs from the one before.
    pub fn checkpoint_sizes(&self, row: &RunRow) -> Result<Vec<(Checkpoint, DiffSize)>, CheckpointsError> {
        Ok(self.worktree_with_checkpoints(row)?.checkpoint_sizes()?)
    }

    /// Takes a checkpoint of a run's worktree now, and records it. The agent may be at work.
    pub fn take_checkpoint(&mut self, row: &RunRow) -> Result<Option<Checkpoint>, CheckpointsError> {
        let worktree = self.worktree_with_checkpoints(row)?;
        let moment = CheckpointMoment {
            conversation: row.agent_session.clone(),
            ..CheckpointMoment::of(row.id.clone(), CheckpointCause::Requested)
        };
        let taken = worktree.take_checkpoint(&moment)?;
        taken.sync()?;
        if let (Some(checkpoint), true) = (&taken.checkpoint, taken.is_new) {
            self.record_work(&row.id, event_of(checkpoint, taken.files, &taken.left_out))?;
        }
        Ok(taken.checkpoint)
    }

    /// Finds the trees that a comparison is about: by default the last checkpoint with the one before it.
    pub fn compared_checkpoints(
        &self,
        row: &RunRow,
        from: Option<u32>,
        to: Option<u32>,
    ) -> Result<ComparedCheckpoints, CheckpointsError> {
        let all = self.checkpoints(row)?;
        let last = all.first().map_or(0, |last| last.number);
        let to = to.unwrap_or(last);
        let from = from.unwrap_or(to.saturating_sub(1));
        let tree = |number: u32| match number {
            0 => Ok(row.base_commit.clone()),
            number => {
                let found = all.iter().find(|checkpoint| checkpoint.number == number);
                let missing = || CheckpointsError::missing(number, last);
                found.map(|checkpoint| checkpoint.tree.clone()).ok_or_else(missing)
            }
        };
        let to_tree = tree(to)?;
        Ok(ComparedCheckpoints { from, to, from_tree: tree(from)?, to_tree })
    }

    /// The files that differ between two checkpoints.
    pub fn checkpoint_changes(
        &self,
        row: &RunRow,
        compared: &ComparedCheckpoints,
    ) -> Result<Vec<ChangedFile>, CheckpointsError> {
        let worktree = self.worktree_with_checkpoints(row)?;
        Ok(worktree.compare_trees(&compared.from_tree, &compared.to_tree)?)
    }

    /// The unified diff between two checkpoints.
    pub fn checkpoint_diff(
        &self,
        row: &RunRow,
        compared: &ComparedCheckpoints,
        context: PatchContext,
    ) -> Result<Vec<u8>, CheckpointsError> {
        let worktree = self.worktree_with_checkpoints(row)?;
        Ok(worktree.diff_trees(&compared.from_tree, &compared.to_tree, context)?)
    }

    /// Changes the files of a run's worktree to what a checkpoint has. The present files are recorded in a checkpoint first,
    /// so that the restore can be undone. An agent at work is interrupted first if `interrupt` says so, else refused.
    pub fn restore_checkpoint(
        &mut self,
        row: &RunRow,
        request: RestoreRequest,
        interrupt: bool,
    ) -> Result<RestoredFiles, CheckpointsError> {
        let worktree = self.worktree_with_checkpoints(row)?;
        if row.removed_at.is_some() {
            return Err(CheckpointsError::Removed { id: row.id.clone() });
        }
        self.let_rest(row, interrupt)?;
        // Another run may work in the same worktree.
        for other in self.sharing(row)? {
            self.let_rest(&other, false)?;
        }
        let restored = worktree.restore_checkpoint(&request, &row.id)?;
        let event = WorkEvent::Restored { number: request.number, before: restored.before };
        self.record_work(&row.id, event)?;
        Ok(restored)
    }

    /// Waits until the agent of a run is idle, after an interrupt if that is asked for.
    fn let_rest(&mut self, row: &RunRow, interrupt: bool) -> Result<(), CheckpointsError> {
        self.settle(row)?;
        let row = self.store.run(&row.id)?;
        if rests(&row) {
            return Ok(());
        }
        let working = || CheckpointsError::Working { id: row.id.clone() };
        if !interrupt {
            return Err(working());
        }
        self.interrupt(&row)?;
        let until = Instant::now() + INTERRUPT_TIMEOUT;
        let directory = self.home.run(&row.id);
        while Instant::now() < until {
            // The watch begins before the row is read, so that no change is missed.
            let watch = DirectoryWatch::begin(&[directory.path()])?;
            if rests(&self.store.run(&row.id)?) {
                return Ok(());
            }
            watch.wait(WAIT_INTERVAL);
        }
        Err(working())
    }

    fn worktree_with_checkpoints(&self, row: &RunRow) -> Result<GitWorktree, CheckpointsError> {
        let workspace = workspace_of(&self.home, row).map_err(CheckpointsError::from)?;
        let worktree = workspace.branch_work();
        let none = |_| CheckpointsError::NoWorktree { id: row.id.clone(), vcs: row.vcs };
        worktree.map(|worktree| named_after_owner(&self.home, row, worktree)).map_err(none)
    }
}

/// The event of a checkpoint that was just taken.
pub(crate) fn event_of(checkpoint: &Checkpoint, files: usize, left_out: &[std::path::PathBuf]) -> WorkEvent {
    WorkEvent::Checkpoint {
        number: checkpoint.number,
        commit: checkpoint.commit.to_string(),
        files: u32::try_from(files).unwrap_or(u32::MAX),
        left_out: left_out.iter().map(|path| path.display().to_string()).collect(),
    }
}

/// Whether the agent of a run changes no files until it gets a message.
fn rests(row: &RunRow) -> bool {
    match row.state {
        State::Queued => false,
        State::Running => row.activity == Some(Activity::Idle),
        State::Completed | State::Failed | State::Killed => true,
    }
}

impl From<RemoveError> for CheckpointsError {
    fn from(error: RemoveError) -> Self {
        Self::Remove(Box::new(error))
    }
}
