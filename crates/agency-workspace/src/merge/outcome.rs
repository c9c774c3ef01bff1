//! What a merge is asked for, and what comes of it.

use std::path::PathBuf;

use super::super::Commit;

/// How a branch is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MergeStrategy {
    /// By a merge commit, even where the target could just move on, as `git merge --no-ff` does.
    #[default]
    Merge,
    /// By one commit with all changes.
    Squash,
    /// By its commits, made anew on top of the target.
    Rebase,
}

impl MergeStrategy {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Squash => "squash",
            Self::Rebase => "rebase",
        }
    }
}

impl std::str::FromStr for MergeStrategy {
    type Err = UnknownStrategy;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Merge, Self::Squash, Self::Rebase];
        all.into_iter().find(|strategy| strategy.as_str() == text).ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}

/// Says that a text is not the name of a strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not merge, squash or rebase")]
pub struct UnknownStrategy(String);

/// A wish to merge a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// The branch to merge into.
    pub into: String,
    /// What the branch has to point at; anything, if absent. Work that was added since is not merged.
    pub tip: Option<Commit>,
    /// How to merge.
    pub strategy: MergeStrategy,
    /// The message of the commit that `merge` and `squash` make; without one it names the branch.
    pub message: Option<String>,
    /// What to do where the target is checked out with changes in files that the merge touches.
    pub dirty: DirtyFiles,
    /// A file that only agency writes. It confirms that a merge which left no trace in history was made; without it, that
    /// counts only as far as the files of the merge prove it.
    pub record: Option<PathBuf>,
}

/// What to do with uncommitted changes in files that the merge touches, where the target is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirtyFiles {
    /// Nothing is merged; the outcome names them.
    Block,
    /// They are saved to a ref below `refs/agency/saved/`, then the merge is made.
    Save {
        /// The last part of the ref. A number is added if a ref of this name holds something else.
        name: String,
    },
}

/// The outcome of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// The target has the work now.
    Merged(Merged),
    /// The target had the work already, perhaps by an earlier call that did not live to say so.
    AlreadyMerged {
        /// The target branch.
        target: String,
        /// The commit it points at.
        commit: Commit,
        /// What earlier calls with the same request saved.
        saved: Vec<SavedChanges>,
    },
    /// Both sides changed the same lines; nothing was merged.
    Conflicts {
        /// The target branch.
        target: String,
        /// The commit of the branch that does not fit, if its commits are made anew one by one.
        at: Option<Commit>,
        /// Each file that does not merge.
        conflicts: Vec<Conflict>,
    },
    /// The check refused the merge; nothing was merged.
    Refused {
        /// The target branch.
        target: String,
        /// The commit that was checked.
        commit: Commit,
    },
    /// The target is checked out with changes in files that the merge touches; nothing was merged.
    Blocked {
        /// The target branch.
        target: String,
        /// Each checkout with such changes.
        checkouts: Vec<DirtyCheckout>,
    },
}

/// A merge that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The target branch.
    pub target: String,
    /// The commit it pointed at before.
    pub before: Commit,
    /// The commit it points at now.
    pub commit: Commit,
    /// Each working tree that has the target checked out, and has the files of the merge now.
    pub checkouts: Vec<PathBuf>,
    /// The changes that were saved before.
    pub saved: Vec<SavedChanges>,
}

/// A checkout of the target with uncommitted changes in files that the merge touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyCheckout {
    /// The top of the working tree.
    pub path: PathBuf,
    /// The files, below that path.
    pub files: Vec<PathBuf>,
}

/// Changes that were moved out of the way of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChanges {
    /// The ref that holds them, in the form of a stash.
    pub reference: String,
    /// The command that brings them back.
    pub command: String,
}

/// One file that does not merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path below the repository.
    pub path: PathBuf,
    /// The kind of conflict, as git names it: `contents`, `modify/delete`, `binary` and others.
    pub kind: String,
    /// Git's sentence about it.
    pub message: String,
}
