//! Changes the files of a worktree to what a checkpoint has.
//!
//! The one rule: what the files are before is in a checkpoint first. A file that no checkpoint of now holds (ignored, left
//! out as a secret, in a repository of its own) is never written or deleted.

mod branch;
mod ignored_then;
mod in_the_way;

use std::collections::HashSet;
use std::path::PathBuf;

use agency_model::RunId;

pub use self::branch::MovedBranch;
use self::ignored_then::with_ignored_files;
use self::in_the_way::in_the_way;
use super::super::{ChangedFile, Commit, GitWorktree};
use super::files_index::{FilesIndex, list_of, names, to_path};
use super::{CheckpointCause, CheckpointError, CheckpointMoment, Place, Unchanged, chain, compare};
use agency_system::fault;

type Result<T> = std::result::Result<T, CheckpointError>;

/// What is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreRequest {
    /// The checkpoint; 0 is the commit at which the worktree began.
    pub number: u32,
    /// Whether the branch is moved to the commit that was checked out then.
    pub commits: bool,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredFiles {
    /// The checkpoint that holds the files as they were before; 0 if they were as at the start.
    pub before: u32,
    /// The last checkpoint now, which holds the files as they are; 0 if they are as at the start.
    pub after: u32,
    /// The files that were changed.
    pub changed: Vec<ChangedFile>,
    /// Files that the checkpoint has too, but that were left alone, because nothing holds what they are now.
    pub left_alone: Vec<PathBuf>,
    /// What happened to the branch, if that was asked for and it was elsewhere.
    pub branch: Option<MovedBranch>,
}

/// What the files are to become.
struct Target {
    tree: String,
    head: Option<Commit>,
}

pub(super) fn restore(worktree: &GitWorktree, request: &RestoreRequest, run: &RunId) -> Result<RestoredFiles> {
    let place = worktree.checkpoint_place()?;
    let target = target(worktree, &place, request.number)?;
    if request.commits {
        branch::check(worktree, &place)?;
    }
    let files = FilesIndex::at(&place.checkout)?;
    let unchanged = if request.commits { Unchanged::IfHeadMoved } else { Unchanged::None };
    let moment = |cause| CheckpointMoment::of(run.clone(), cause);
    let head = place.head()?;
    let saved = (&moment(CheckpointCause::BeforeRestore), unchanged);
    let now = worktree.store_checkpoint((&place, head.clone()), &files, saved, None)?;
    // The restore is about to overwrite the only other copy of the files.
    now.sync()?;
    let before = now.checkpoint.map_or(0, |checkpoint| checkpoint.number);
    fault::point("restore.saved");
    let recorded = files.paths()?;
    let (left_alone, wanted) = without_files_in_the_way(&place, &files, &target.tree, &recorded)?;
    let kept_too = with_ignored_files(&files, &wanted)?;
    let complaint = change_files(&files, &kept_too)?;
    fault::point("restore.changed");
    let now = files.tree().to_owned();
    drop(files);
    let change = FilesChange { place: &place, now: &now, wanted: &wanted, before, complaint };
    let files = change.look_again()?;
    change.refuse_incomplete(&files, &recorded)?;
    let branch = match request.commits {
        true => branch::move_to(worktree, &place, (head.as_ref(), target.head.as_ref()), request.number)?,
        false => None,
    };
    fault::point("restore.moved");
    let place = worktree.checkpoint_place()?;
    let restored = (&moment(CheckpointCause::Restored), unchanged);
    let after = worktree.store_checkpoint((&place, place.head()?), &files, restored, None)?;
    let changed = compare::files(&place.common_dir, &now, &kept_too)?;
    let after = after.checkpoint.map_or(0, |checkpoint| checkpoint.number);
    Ok(RestoredFiles { before, after, changed, left_alone, branch })
}

/// A change of the files that git made, perhaps not all of it.
struct FilesChange<'a> {
    place: &'a Place,
    /// The tree of the files before.
    now: &'a str,
    /// What they were to become.
    wanted: &'a str,
    /// The checkpoint that holds them as they were before.
    before: u32,
    /// Git's own words, where it failed.
    complaint: Option<String>,
}

impl FilesChange<'_> {
    /// Looks at the files once more. On a full disk that may fail, too.
    fn look_again(&self) -> Result<FilesIndex> {
        FilesIndex::at(&self.place.checkout).map_err(|error| {
            let reason = self.complaint.clone().unwrap_or_else(|| error.to_string());
            self.incomplete(vec![], Some(reason))
        })
    }

    /// Git only warns of files that it could not delete, and fails only after it changed others. What it had nothing to do
    /// with may be there too, as a file that is ignored no longer.
    fn refuse_incomplete(&self, files: &FilesIndex, recorded: &HashSet<Vec<u8>>) -> Result<()> {
        if let (Some(message), true) = (&self.complaint, files.tree() == self.now) {
            let path = self.place.checkout.work_tree.clone();
            return Err(CheckpointError::Refused { path, message: message.clone() });
        }
        let differing = compare::names(&self.place.common_dir, files.tree(), self.wanted)?;
        let is_missing = |(status, path): &(u8, Vec<u8>)| *status != b'D' || recorded.contains(path);
        let files: Vec<PathBuf> = differing.into_iter().filter(is_missing).map(|(_, path)| to_path(path)).collect();
        if files.is_empty() {
            return Ok(());
        }
        Err(self.incomplete(files, self.complaint.clone()))
    }

    fn incomplete(&self, files: Vec<PathBuf>, reason: Option<String>) -> CheckpointError {
        let path = self.place.checkout.work_tree.clone();
        CheckpointError::Incomplete { path, files, before: self.before, reason }
    }
}

fn target(worktree: &GitWorktree, place: &Place, number: u32) -> Result<Target> {
    if number == 0 {
        let tree = compare::tree_of(&place.common_dir, &worktree.base)?;
        return Ok(Target { tree, head: Some(worktree.base.clone()) });
    }
    let all = chain::list(&place.common_dir, &worktree.run)?;
    let last = all.first().map(|last| last.number);
    let found = all.into_iter().find(|checkpoint| checkpoint.number == number);
    let found = found.ok_or(CheckpointError::Missing { number, last })?;
    Ok(Target { tree: found.tree, head: found.head })
}

/// The files that are left alone, and the tree without them.
fn without_files_in_the_way(
    place: &Place,
    files: &FilesIndex,
    target: &str,
    recorded: &HashSet<Vec<u8>>,
) -> Result<(Vec<PathBuf>, String)> {
    let added = files.git().run(["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A"]);
    let added = names(&added.comparing_links().args([files.tree(), target]).read()?);
    let kept = in_the_way(&place.checkout.work_tree, &added, recorded);
    if kept.is_empty() {
        return Ok((vec![], target.to_owned()));
    }
    let draft = files.draft();
    let git = || files.git().env("GIT_INDEX_FILE", &draft);
    git().run(["read-tree"]).arg(target).read()?;
    git().run(["update-index", "--force-remove", "-z", "--stdin"]).input(list_of(&kept)?).read()?;
    let tree = git().run(["write-tree"]).read_line()?;
    Ok((kept.into_iter().map(to_path).collect(), tree))
}

/// Lets git change the files, and returns what it said where it failed. It refuses, before it changes one, if a file is
/// not as it was recorded a moment ago.
fn change_files(files: &FilesIndex, wanted: &str) -> Result<Option<String>> {
    if files.tree() == wanted {
        return Ok(None);
    }
    files.forget_tree()?;
    // Files that are not checked out stay so.
    let git = files.git().run(["read-tree", "--no-sparse-checkout", "-m", "-u"]);
    let finished = git.args([files.tree(), wanted]).finish()?;
    Ok((!finished.success).then_some(finished.stderr))
}
