//! How a removal is asked for, and what it did.

use std::path::PathBuf;

use super::Commit;

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
    pub(super) fn without_work(worktree: WorktreeOutcome) -> Self {
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
