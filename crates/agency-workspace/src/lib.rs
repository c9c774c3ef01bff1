//! Where an agent works: a git worktree or jj workspace of its own, or the repository itself.
//!
//! The one rule: nothing an agent left behind is ever destroyed before it is saved to a ref.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod branch;
mod branch_log;
mod captured;
mod changes;
mod checkout;
mod clear;
mod commit_all;
mod commit_roots;
mod diff_index;
mod entry;
mod error;
mod fetch;
mod git;
mod git_command;
mod git_progress;
mod git_state;
mod head;
mod in_place;
mod index_cache;
mod index_file;
mod jj;
mod kept;
mod link;
mod merge;
mod merge_base;
mod nested;
mod noted_commits;
mod own_ref;
mod pipes;
mod plain_head;
mod preview;
mod private_git;
mod prompt;
mod ref_files;
mod registered;
mod removal;
mod repository;
mod review;
mod saved_work;
mod scratch;
mod snapshot;
mod staging;
mod start_point;
mod temporary;
mod trash;
mod tree_walk;
mod uncommitted;
mod unsaved;
mod user_settings;
mod worktree_lookup;
mod worktree_refs;

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use agency_model::run::{ChangeStatus, ChangedPath};

pub use entry::lock_of_worktree;
pub use error::WorkspaceError;
pub use fetch::{Fetch, Fetched, fetch, forget_clone, is_clone};
pub use git::GitWorktree;
pub use git_command::REPOSITORY_VARIABLES;
pub use in_place::InPlace;
pub use jj::{JjError, JjWorkspace, SharedJjWorkspace, restore_ref_with_jj, restore_with_jj};
pub use jj::{OLDEST_JJ, jj_version};
pub use kept::kept_work;
pub use link::lies_in;
pub use merge::{
    Committed, Conflict, DirtyCheckout, DirtyFiles, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Merged,
    SavedChanges, default_target,
};
pub use preview::Preview;
pub use prompt::{check_prompt_place, write_prompt};
pub use registered::{RegisteredWorktree, registered_worktrees};
pub use repository::Repository;
pub use review::{Mergeable, Review, ReviewedCommit};
pub use saved_work::{MovedRef, Restored, move_old_refs, restore};
pub use scratch::{
    LOCK as SCRATCH_LOCK, PREFIX as SCRATCH_PREFIX, Scratch, ScratchEntry, clear_hidden, hidden, owner_of,
};
pub use temporary::{abandoned_directories, sweep_abandoned_directories};
pub use trash::empty_trash;
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

/// What differs between the base commit and the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Every file that differs, in the order of their paths.
    pub files: Vec<ChangedFile>,
    /// Git repositories inside the workspace, whose content git cannot record.
    pub nested: Vec<PathBuf>,
    /// Ignored files and directories; a removal does not save them.
    pub ignored: Vec<PathBuf>,
    /// What git said of each directory that it could not open: its files are not listed.
    pub unread: Vec<String>,
}

/// How many of the lines around each change a patch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchContext {
    /// Three, as usual.
    Usual,
    /// All lines of each file that differs.
    Whole,
}

/// The differences between the base commit and the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// The unified diff.
    pub text: Vec<u8>,
    /// What git said of each directory that it could not open: its files are not in the diff.
    pub unread: Vec<String>,
}

/// One file that differs from the base commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path below the workspace.
    pub path: PathBuf,
    /// What happened to the file.
    pub status: FileStatus,
    /// How many lines came and went; `None` for a binary file.
    pub lines: Option<ChangedLines>,
}

impl ChangedFile {
    /// The file as `done.json` and answers name it.
    #[must_use]
    pub fn noted(&self) -> ChangedPath {
        let status = match self.status {
            FileStatus::Added => ChangeStatus::Added,
            FileStatus::Modified => ChangeStatus::Modified,
            FileStatus::Deleted => ChangeStatus::Deleted,
            FileStatus::Renamed { .. } => ChangeStatus::Renamed,
            FileStatus::TypeChanged => ChangeStatus::TypeChanged,
        };
        ChangedPath {
            added: self.lines.map(|lines| lines.added),
            removed: self.lines.map(|lines| lines.removed),
            ..ChangedPath::new(self.path.as_os_str().as_bytes(), status)
        }
    }
}

/// What happened to a file since the base commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStatus {
    /// It is new.
    Added,
    /// Its content or mode is different.
    Modified,
    /// It is gone.
    Deleted,
    /// It was called something else before.
    Renamed {
        /// The path it had in the base commit.
        from: PathBuf,
    },
    /// It became a file of another kind, as a symlink.
    TypeChanged,
}

/// How many lines of a file came and went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedLines {
    /// Lines that are new.
    pub added: u64,
    /// Lines that are gone.
    pub removed: u64,
}

/// Work that was in no branch and is now kept by a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedWork {
    /// The ref, `refs/agency/saved/<run_id>`.
    pub reference: String,
    /// The commit it points at.
    pub commit: Commit,
    /// How many files of that commit differ from the run's base commit.
    pub files: usize,
}

/// How much a removal may take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemoveOptions {
    /// What happens to the run's branch.
    pub delete_branch: DeleteBranch,
    /// Moves what no ref can hold to where it is kept, and removes a worktree that is locked or whose repository is gone.
    pub force: bool,
}

/// What a removal does with the run's branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeleteBranch {
    /// Keeps it.
    #[default]
    No,
    /// Deletes it if its commits are in another branch too, and refuses the removal if not.
    IfMerged,
    /// Deletes it, merged or not.
    Force,
}

/// What a removal did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// What happened to the directory.
    pub worktree: WorktreeOutcome,
    /// The work that was saved, now or by an earlier attempt.
    pub saved: Option<SavedWork>,
    /// What happened to the branch.
    pub branch: BranchOutcome,
    /// Ignored files and directories that went with the worktree.
    pub ignored: Vec<PathBuf>,
    /// The refs that keep commits to which only the worktree's own refs and logs led.
    pub other_refs: Vec<String>,
    /// Files that could not be deleted and still lie in the trash.
    pub leftover: Option<PathBuf>,
    /// Where the files of the worktree were moved to, because no ref can hold all of them.
    pub kept: Option<PathBuf>,
    /// Where files were moved to that were in the way of refs, or that no ref can stand for.
    pub kept_refs: Option<PathBuf>,
}

impl Removal {
    /// A removal of a directory that has nothing to save.
    fn without_work(worktree: WorktreeOutcome) -> Self {
        Self {
            worktree,
            saved: None,
            branch: BranchOutcome::Absent,
            ignored: vec![],
            other_refs: vec![],
            leftover: None,
            kept: None,
            kept_refs: None,
        }
    }
}

/// What happened to the directory of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorktreeOutcome {
    /// It was removed, now or by an earlier attempt that is now complete.
    Removed,
    /// It was not at its place, deleted or moved by hand; git has forgotten it now.
    DeletedByHand,
    /// Neither the directory nor git's entry for it was there.
    AlreadyGone,
    /// The agent worked in the repository itself, which stays.
    KeptInPlace,
}

/// What happened to the branch of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchOutcome {
    /// It is still there.
    Kept {
        /// Its name.
        name: String,
        /// The commit it points at.
        commit: Commit,
    },
    /// It is deleted.
    Deleted {
        /// The name it had.
        name: String,
        /// The commit it pointed at, from which it can be made again.
        commit: Commit,
    },
    /// There was none.
    Absent,
}
