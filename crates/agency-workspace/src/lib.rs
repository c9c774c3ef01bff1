//! Where an agent works: a git worktree or jj workspace of its own, or the repository itself.
//!
//! The one rule: nothing an agent left behind is ever destroyed before it is saved to a ref.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod adopted;
mod branch;
mod branch_changes;
mod branch_log;
mod captured;
mod changed_file;
mod changes;
mod checkout;
mod checkpoints;
mod clear;
mod commit_all;
mod commit_roots;
mod diff_index;
mod entry;
mod error;
mod fetch;
mod files_now;
mod forecast;
mod git;
mod git_command;
mod git_progress;
mod git_state;
mod git_worktree;
mod head;
mod ignored_files;
mod in_place;
mod index_cache;
mod index_file;
mod jj;
mod jj_link;
mod kept;
mod link;
mod merge;
mod merge_base;
mod merge_preview;
mod nested;
mod noted_commits;
mod objects_inside;
mod own_ref;
mod pipes;
mod plain_head;
mod preview;
mod private_git;
mod prompt;
mod protected;
mod push;
mod ref_files;
mod registered;
mod relative_programs;
mod removal;
mod removal_outcome;
mod repository;
mod resolution;
mod resting_work;
mod restore;
mod review;
mod saved_work;
mod scratch;
mod search_path;
mod snapshot;
mod staging;
mod start_point;
mod temporary;
mod trash;
mod tree_walk;
mod trial_tree;
mod uncommitted;
mod unsaved;
mod user_settings;
mod worktree_lookup;
mod worktree_refs;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use adopted::{AdoptedWorktree, head_of_linked, with_main_worktree};
pub use changed_file::{ChangedFile, ChangedLines, Changes, FileStatus, Patch, PatchContext};
pub use checkpoints::{
    Checkpoint, CheckpointCause, CheckpointError, CheckpointMoment, DiffSize, MovedBranch, RestoreRequest,
    RestoredFiles, TakenCheckpoint, checkpoints_hold_commits, forget_checkpoints, last_checkpoints,
};
pub use entry::lock_of_worktree;
pub use error::{JjError, OLDEST_JJ, WorkspaceError};
pub use fetch::{Fetch, Fetched, fetch, forget_clone, is_clone};
pub use files_now::{FileNow, FileVersion, FilesNow, MAX_FILE_BYTES};
pub use forecast::{ChainBreak, MergeForecast, Pair, RecordedState, Verdict, WorkState};
pub use git_command::REPOSITORY_VARIABLES;
pub use git_worktree::GitWorktree;
pub use ignored_files::{IgnoredFiles, WantedFiles};
pub use in_place::InPlace;
pub use jj::{JjWorkspace, SharedJjWorkspace, jj_version, restore_ref_with_jj, restore_with_jj};
pub use kept::kept_work;
pub use link::lies_in;
pub use merge::{
    Committed, Conflict, DirtyCheckout, DirtyFiles, MergeCheck, MergeError, MergeOutcome, MergeRequest, MergeStrategy,
    Merged, ProposedMerge, SavedChanges, UnknownStrategy, default_target,
};
pub use merge_preview::MergePreview;
pub use preview::Preview;
pub use prompt::{check_prompt_place, exclude_path, write_prompt};
pub use protected::ProtectedWork;
pub use registered::{RegisteredWorktree, registered_worktrees};
pub use removal_outcome::{BranchOutcome, DeleteBranch, Removal, RemoveOptions, SavedWork, WorktreeOutcome};
pub use repository::Repository;
pub use resolution::{Flaws, Resolution};
pub use resting_work::{BesideBranch, RestingWork};
pub use restore::{Restored, restore};
pub use review::{Mergeable, Review, ReviewedCommit};
pub use saved_work::{MovedRef, move_old_refs};
pub use scratch::{
    LOCK as SCRATCH_LOCK, PREFIX as SCRATCH_PREFIX, Scratch, ScratchEntry, clear_hidden, hidden, owner_of,
};
pub use search_path::absolute_only;
pub use temporary::{abandoned_directories, sweep_abandoned_directories};
pub use trash::empty_trash;
pub use trial_tree::TrialTree;
pub use uncommitted::{UncommittedCheck, WorktreeOfRun};

/// What the workspace functions return.
pub type Result<T> = std::result::Result<T, WorkspaceError>;

/// A place for one agent to work in, from its making to its removal.
pub trait Workspace {
    /// The directory the agent starts in.
    fn directory(&self) -> &Path;

    /// Makes the workspace; on failure nothing of it is left.
    fn prepare(&self) -> Result<()>;

    /// Takes back [`prepare`](Self::prepare) for an agent that never ran, however far it came.
    fn undo(&self) -> Result<()>;

    /// Lists the files that differ from the base commit: committed, uncommitted and untracked.
    fn changes(&self) -> Result<Changes>;

    /// What a removal would save, keep and leave out.
    fn preview(&self) -> Result<Preview> {
        let Changes { files, nested, ignored, unread: _ } = self.changes()?;
        Ok(Preview { uncommitted: files.len(), nested, ignored, obstacle: None })
    }

    /// The unified diff of everything that [`changes`](Self::changes) lists, and what it could not list.
    fn patch(&self) -> Result<Patch> {
        self.patch_with(PatchContext::Usual)
    }

    /// The same with more or less of the lines around each change.
    fn patch_with(&self, context: PatchContext) -> Result<Patch>;

    /// The unified diff alone.
    fn diff(&self) -> Result<Vec<u8>> {
        Ok(self.patch()?.text)
    }

    /// Some files as they are and as they were in the base commit, and the tree of all files. A file is named by its path,
    /// or as it is shown.
    fn files_now(&self, wanted: &[String]) -> Result<FilesNow>;

    /// Saves what no branch holds to the run's ref; `None` when there is nothing to save.
    fn snapshot(&self) -> Result<Option<SavedWork>>;

    /// Saves what no branch holds, then removes the workspace. Safe to repeat after a crash.
    fn remove(&self, options: RemoveOptions) -> Result<Removal>;

    /// The directories outside the workspace that a commit in it writes to; none where they cannot be distinguished from
    /// what other branches are kept in.
    fn commit_roots(&self) -> Result<Vec<PathBuf>> {
        Ok(vec![])
    }

    /// The worktree, whose branch can be merged; an error where the workspace has no branch of its own.
    fn branch_work(&self) -> std::result::Result<&GitWorktree, MergeError> {
        Err(MergeError::NoBranch { path: self.directory().to_owned() })
    }
}

/// The full id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Commit(String);

/// Says why a text is not the id of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a full commit id")]
pub struct InvalidCommit(String);

impl Commit {
    /// Git's own id for no commit, where there is no repository.
    #[must_use]
    pub fn none() -> Self {
        Self("0".repeat(40))
    }

    /// The id in hexadecimal.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Commit {
    type Err = InvalidCommit;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let hexadecimal = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hexadecimal && matches!(text.len(), 40 | 64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidCommit(text.to_owned()))
        }
    }
}

impl fmt::Display for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
