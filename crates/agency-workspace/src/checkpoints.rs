//! Checkpoints: the files of a worktree after each turn of its agent, at one ref per worktree.
//!
//! The one rule: the agent's index, HEAD, branch and log are only read, unless a user restores commits too.

mod chain;
mod compare;
mod error;
mod files_index;
mod message;
mod restore;
mod secrets;
mod sync;
mod unused;

use std::path::{Path, PathBuf};

use agency_model::RunId;

pub use self::chain::Checkpoint;
use self::chain::Tip;
pub use self::compare::DiffSize;
pub use self::error::CheckpointError;
use self::files_index::FilesIndex;
pub use self::message::{CheckpointCause, CheckpointMoment};
pub use self::restore::{MovedBranch, RestoreRequest, RestoredFiles};
pub use self::unused::{checkpoints_hold_commits, forget_checkpoints};
use super::checkout::Checkout;
use super::worktree_lookup::FoundWorktree;
use super::{ChangedFile, Commit, GitWorktree, PatchContext, Repository, Result, own_ref};
use agency_system::fault;

/// How often a checkpoint is made anew because another process took one meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// What the directory of the private index is called, beside that of other looks.
const DIRECTORY: &str = "checkpoint-index";

/// What taking a checkpoint did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenCheckpoint {
    /// The last checkpoint, which holds the files as they are; `None` while they are as at the start.
    pub checkpoint: Option<Checkpoint>,
    /// Whether it was made now.
    pub is_new: bool,
    /// How many files differ from the checkpoint before, if it was made now.
    pub files: usize,
    /// Files that git does not track and that are left out: they may hold secrets, or are very large.
    pub left_out: Vec<PathBuf>,
    /// Git's message about files that it did not take.
    pub complaint: Option<String>,
    unsynced: UnsyncedObjects,
}

/// Objects that were written a moment ago.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct UnsyncedObjects {
    common_dir: PathBuf,
    objects: Vec<String>,
}

/// What a new checkpoint follows.
struct Parents {
    before: Option<Checkpoint>,
    tree_before: String,
    head: Option<Commit>,
}

/// When a checkpoint is made of files that have not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unchanged {
    /// Never.
    None,
    /// If another commit is checked out.
    IfHeadMoved,
}

/// The last checkpoints of all runs of a repository, by the run that made the worktree.
pub fn last_checkpoints(repository: &Repository) -> Result<Vec<(RunId, Checkpoint)>> {
    chain::last_of_all(&repository.common_dir()?)
}

/// Moves what is not a checkpoint from the refs of a worktree, before those are deleted.
pub(super) fn keep_others(common_dir: &Path, run: &RunId, worktree: &Path) -> Result<()> {
    named_after(worktree, run).iter().try_for_each(|run| match chain::tip(common_dir, run)? {
        Tip::Foreign => chain::make_room(common_dir, run),
        Tip::Free | Tip::Last(_) | Tip::Broken => Ok(()),
    })
}

/// Deletes the checkpoints of a worktree that is gone. What they alone led to was saved before.
pub(super) fn forget(common_dir: &Path, run: &RunId, worktree: &Path) -> Result<()> {
    named_after(worktree, run).iter().try_for_each(|run| chain::delete(common_dir, run).map(drop))
}

/// The runs after which checkpoints of a worktree are named: the one that made it, after which it is named, and its own.
fn named_after(worktree: &Path, run: &RunId) -> Vec<RunId> {
    let owner = worktree.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<RunId>().ok());
    owner.into_iter().filter(|owner| owner != run).chain([run.clone()]).collect()
}

/// The last checkpoint that `forget` would delete.
pub(super) fn last_before_removal(common_dir: &Path, run: &RunId, worktree: &Path) -> Result<Option<Checkpoint>> {
    for run in named_after(worktree, run) {
        if let Some(last) = chain::last(common_dir, &run)? {
            return Ok(Some(last));
        }
    }
    Ok(None)
}

/// Where a worktree's checkpoints are.
struct Place {
    common_dir: PathBuf,
    checkout: Checkout,
}

impl Place {
    /// The commit that is checked out; `None` on a branch without one.
    fn head(&self) -> Result<Option<Commit>> {
        self.checkout.head.commit(&self.common_dir)
    }
}

impl GitWorktree {
    /// Takes a checkpoint, if the files are not as in the last one. Safe to repeat after a crash.
    pub fn take_checkpoint(&self, moment: &CheckpointMoment) -> Result<TakenCheckpoint> {
        let place = self.checkpoint_place()?;
        let (files, tip, head) = std::thread::scope(|scope| {
            // Each is a process of git; the files take longest.
            let tip = scope.spawn(|| chain::tip(&place.common_dir, &self.run));
            let head = scope.spawn(|| place.head());
            (FilesIndex::at(&place.checkout), joined(tip), joined(head))
        });
        self.store_checkpoint((&place, head?), &files?, (moment, Unchanged::None), Some(tip?))
    }

    /// The last checkpoint; `None` before the first.
    pub fn last_checkpoint(&self) -> Result<Option<Checkpoint>> {
        chain::last(&self.checkpoints_dir()?, &self.run)
    }

    /// All checkpoints, the last one first.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>> {
        chain::list(&self.checkpoints_dir()?, &self.run)
    }

    /// All checkpoints, the last one first, each with how much differs from the one before.
    pub fn checkpoint_sizes(&self) -> Result<Vec<(Checkpoint, DiffSize)>> {
        let common_dir = self.checkpoints_dir()?;
        let all = chain::list(&common_dir, &self.run)?;
        if all.is_empty() {
            return Ok(vec![]);
        }
        let start = compare::tree_of(&common_dir, &self.base)?;
        let before = all.iter().skip(1).map(|before| before.tree.as_str()).chain([start.as_str()]);
        let pairs: Vec<(&str, &str)> = before.zip(all.iter().map(|checkpoint| checkpoint.tree.as_str())).collect();
        let sizes = compare::sizes(&common_dir, &pairs)?;
        Ok(all.into_iter().zip(sizes).collect())
    }

    /// The files that differ between two trees or commits of checkpoints.
    pub fn compare_trees(&self, from: &str, to: &str) -> Result<Vec<ChangedFile>> {
        compare::files(&self.checkpoints_dir()?, from, to)
    }

    /// The unified diff between two trees or commits of checkpoints.
    pub fn diff_trees(&self, from: &str, to: &str, context: PatchContext) -> Result<Vec<u8>> {
        compare::patch(&self.checkpoints_dir()?, from, to, context)
    }

    /// Changes the files to what a checkpoint has. Those of now are in a checkpoint then.
    pub fn restore_checkpoint(
        &self,
        request: &RestoreRequest,
        run: &RunId,
    ) -> std::result::Result<RestoredFiles, CheckpointError> {
        restore::restore(self, request, run)
    }

    /// Where the index of the last checkpoint is kept.
    pub(super) fn checkpoint_index(&self) -> Option<PathBuf> {
        self.looks.as_deref().map(|looks| looks.with_file_name(DIRECTORY))
    }

    fn checkpoints_dir(&self) -> Result<PathBuf> {
        Ok(FoundWorktree::find(self)?.common_dir)
    }

    fn checkpoint_place(&self) -> Result<Place> {
        let found = FoundWorktree::find(self)?;
        let kept = self.checkpoint_index();
        let checkout = found.checkout(self)?.keeping(kept.as_deref());
        Ok(Place { common_dir: found.common_dir, checkout })
    }

    /// Stores the files as a checkpoint if they changed. `tip` is what was at the ref a moment ago, if that is known.
    fn store_checkpoint(
        &self,
        (place, head): (&Place, Option<Commit>),
        files: &FilesIndex,
        (moment, unchanged): (&CheckpointMoment, Unchanged),
        mut tip: Option<Tip>,
    ) -> Result<TakenCheckpoint> {
        fault::point("checkpoint.recorded");
        for _ in 0..MAX_ATTEMPTS {
            let found = tip.take().map_or_else(|| chain::tip(&place.common_dir, &self.run), Ok)?;
            let before = match found {
                Tip::Last(before) => Some(before),
                Tip::Free => None,
                Tip::Foreign => {
                    chain::make_room(&place.common_dir, &self.run)?;
                    None
                }
                Tip::Broken => {
                    chain::delete_broken(&place.common_dir, &self.run)?;
                    None
                }
            };
            let tree_before = self.tree_before(&place.common_dir, before.as_ref())?;
            let has_moved = unchanged == Unchanged::IfHeadMoved
                && before.as_ref().map_or(Some(&self.base), |before| before.head.as_ref()) != head.as_ref();
            if tree_before == files.tree() && !has_moved {
                return Ok(TakenCheckpoint::of(files, before));
            }
            let parents = Parents { before, tree_before, head: head.clone() };
            if let Some(made) = self.try_store(place, files, parents, moment)? {
                return Ok(made);
            }
        }
        let message = format!("{} is moved by other processes again and again", self.run.checkpoints_ref());
        Err(own_ref::not_moved(&place.common_dir, message))
    }

    /// Makes the commit and lets the ref lead to it; `None` if the ref was moved meanwhile.
    fn try_store(
        &self,
        place: &Place,
        files: &FilesIndex,
        parents: Parents,
        moment: &CheckpointMoment,
    ) -> Result<Option<TakenCheckpoint>> {
        let Parents { before, tree_before, head } = parents;
        let parents = (before.as_ref(), head.as_ref());
        let (number, commit) = chain::commit(files.git(), files.tree(), parents, moment)?;
        fault::point("checkpoint.committed");
        let before = before.as_ref().map(|before| &before.commit);
        let (advanced, compared) = std::thread::scope(|scope| {
            let compared = scope.spawn(|| compare::objects(&place.common_dir, &tree_before, files.tree()));
            let advanced = chain::advance(files.git(), &place.common_dir, &self.run, (before, &commit));
            (advanced, joined(compared))
        });
        if !advanced? {
            return Ok(None);
        }
        let compared = compared?;
        fault::point("checkpoint.stored");
        let mut objects = vec![files.tree().to_owned(), commit.to_string()];
        objects.extend(compared.trees);
        if !files.is_synced() {
            objects.extend(compared.files);
        }
        let (tree, moment) = (files.tree().to_owned(), moment.clone());
        let checkpoint = Checkpoint { number, commit, tree, head, taken_at: 0, moment };
        let taken = TakenCheckpoint::of(files, Some(checkpoint));
        let unsynced = UnsyncedObjects { common_dir: place.common_dir.clone(), objects };
        Ok(Some(TakenCheckpoint { is_new: true, files: compared.changed, unsynced, ..taken }))
    }

    /// The tree of a checkpoint, or of the commit at which the worktree began.
    fn tree_before(&self, common_dir: &Path, before: Option<&Checkpoint>) -> Result<String> {
        match before {
            Some(before) => Ok(before.tree.clone()),
            None => compare::tree_of(common_dir, &self.base),
        }
    }
}

impl TakenCheckpoint {
    /// The outcome where nothing was made.
    fn of(files: &FilesIndex, checkpoint: Option<Checkpoint>) -> Self {
        Self {
            checkpoint,
            is_new: false,
            files: 0,
            left_out: files.left_out(),
            complaint: files.complaint().map(str::to_owned),
            unsynced: UnsyncedObjects::default(),
        }
    }

    /// Brings it to the disk, where the system would do so within half a minute.
    pub fn sync(&self) -> Result<()> {
        sync::sync_objects(&self.unsynced.common_dir, &self.unsynced.objects)
    }
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
