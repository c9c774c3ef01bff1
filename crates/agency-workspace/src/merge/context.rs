//! Where a merge is made: the repository, the working trees that have the target checked out, and the lock of merges.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::git_command::GitCommand;
use super::super::link::{self, Identity};
use super::super::registered::{self, RegisteredWorktree, Worktrees};
use super::super::{GitWorktree, branch, git_state};
use super::MergeError;
use agency_model::RunId;
use agency_system::lock::Lock;

/// So long a merge waits for another one, whose hooks may test the whole project.
const MERGE_LOCK_TIMEOUT: Duration = Duration::from_secs(600);

/// Waits until no other merge is made in the repository.
pub(super) fn lock_merges(common_dir: &Path) -> Result<Lock, MergeError> {
    let path = common_dir.join("agency-merge.lock");
    Lock::take(&path, MERGE_LOCK_TIMEOUT)?.ok_or(MergeError::Busy { lock: path })
}

/// The repository as a merge finds it.
pub(in super::super) struct MergeContext {
    /// The git directory that all worktrees share.
    pub(super) common_dir: PathBuf,
    /// The target branch.
    pub(super) target: String,
    /// All working trees of the repository.
    working_trees: Vec<PathBuf>,
    /// The user's own that have the target checked out.
    pub(super) checkouts: Vec<PathBuf>,
    /// The worktrees of runs that have it checked out.
    of_runs: Vec<PathBuf>,
    /// The locked worktrees that have it checked out and are not there.
    away: Vec<PathBuf>,
    /// Where a user would merge: a checkout of the target, else the repository's own working tree, else its git
    /// directory. Never the worktree of a run: its agent could have written settings and hooks there.
    pub(super) top: PathBuf,
}

impl MergeContext {
    /// Reads all working trees of the repository, and refuses a target with an operation in progress:
    /// its end would undo the merge.
    pub(super) fn find(common_dir: &Path, worktree: &GitWorktree, target: &str) -> Result<Self, MergeError> {
        let place = Self::read(common_dir, worktree, target)?;
        if let Some(path) = place.of_runs.first().cloned() {
            return Err(MergeError::WorktreeOfRun { branch: target.to_owned(), path });
        }
        if let Some(path) = place.away.first().cloned() {
            return Err(MergeError::CheckoutAway { branch: target.to_owned(), path });
        }
        place.refuse_half_done()?;
        Ok(place)
    }

    /// Looks at all working trees of the repository.
    pub(in super::super) fn read(common_dir: &Path, worktree: &GitWorktree, target: &str) -> Result<Self, MergeError> {
        let Worktrees { main, linked } = registered::list(common_dir)?;
        let ours = |path: &Path| leads_to(path, common_dir);
        let main_tree = Some(main.path.clone()).filter(|path| ours(path));
        let has_target = |entry: &&RegisteredWorktree| entry.branch.as_deref() == Some(target);
        let is_away = |entry: &&RegisteredWorktree| entry.locked.is_some() && !entry.path.exists();
        let all = || std::iter::once(&main).chain(&linked);
        let paths = |entry: &RegisteredWorktree| entry.path.clone();
        let away = all().filter(has_target).filter(is_away).map(paths).collect();
        let checkouts = all().filter(has_target).map(paths).filter(|path| ours(path));
        let is_of_run = |path: &PathBuf| link::lies_in(path, &worktree.worktrees_root) || has_entry_of_run(path);
        let (of_runs, checkouts): (Vec<_>, Vec<_>) = checkouts.partition(is_of_run);
        let top = checkouts.first().cloned().or(main_tree);
        Ok(Self {
            common_dir: common_dir.to_owned(),
            target: target.to_owned(),
            working_trees: all().map(|entry| entry.path.clone()).collect(),
            checkouts,
            of_runs,
            away,
            top: top.unwrap_or_else(|| common_dir.to_owned()),
        })
    }

    /// Starts to describe a git command where a user would run it.
    pub(in super::super) fn git(&self) -> GitCommand {
        GitCommand::at(&self.top)
    }

    fn refuse_half_done(&self) -> Result<(), MergeError> {
        for path in &self.working_trees {
            let Some(git_dir) = link::git_dir(path) else { continue };
            let has_target = self.checkouts.contains(path);
            let operation = if git_state::is_rebasing(&git_dir, &branch::full_name(&self.target)) {
                Some("rebase")
            } else if has_target {
                git_state::in_progress(&git_dir)
            } else {
                None
            };
            if let Some(operation) = operation {
                let (branch, path) = (self.target.clone(), path.clone());
                return Err(MergeError::TargetInUse { branch, operation, path });
            }
        }
        Ok(())
    }
}

/// The repository's own working tree, if it has one.
pub(super) fn main_tree(common_dir: &Path) -> Result<Option<PathBuf>, MergeError> {
    Ok(registered::list(common_dir)?.main_tree(common_dir))
}

impl Worktrees {
    /// The repository's own working tree, if it has one.
    pub(in super::super) fn main_tree(&self, common_dir: &Path) -> Option<PathBuf> {
        Some(&self.main.path).filter(|path| leads_to(path, common_dir)).cloned()
    }
}

/// Whether git's entry for a working tree is that of a run. Its agent can write there where the worktree is.
fn has_entry_of_run(path: &Path) -> bool {
    let entry = link::git_dir(path).and_then(|git_dir| fs::canonicalize(git_dir).ok());
    let name = entry.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    name.is_some_and(|name| name.parse::<RunId>().is_ok())
}

/// Whether git finds this repository, and no other one, in a directory.
fn leads_to(path: &Path, common_dir: &Path) -> bool {
    let found = link::git_dir(path).and_then(|git_dir| link::common_dir(&git_dir));
    let real = fs::canonicalize(common_dir).ok();
    found.is_some() && found.as_deref().and_then(Identity::of) == real.as_deref().and_then(Identity::of)
}
