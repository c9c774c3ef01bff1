//! Why work could not be committed or merged, with the way out.

use std::path::PathBuf;

use agency_model::{ErrorCode, RunId, shell_quoted};

use super::super::WorkspaceError;
use super::super::error::details::{after_colon, listed};
use agency_system::files::FileError;

/// Says why work could not be committed or merged. Nothing of the target branch was changed.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The workspace shares its branch with the user, or is of a kind that cannot be merged.
    #[error("'{}' is not a git worktree with its own branch: agency cannot merge it; commit and merge it by hand", .path.display())]
    NoBranch {
        /// The workspace.
        path: PathBuf,
    },
    /// The installed git cannot do it.
    #[error("git {found} is too old to {action}: install git {needed} or newer")]
    GitTooOld {
        /// What was to be done.
        action: &'static str,
        /// The version that is installed.
        found: String,
        /// The first version that can.
        needed: &'static str,
    },
    /// Git has no identity to commit with.
    #[error(
        "git does not know who you are; run: git config --global user.name 'Your Name' && git config --global \
         user.email you@example.com{}", after_colon(.message)
    )]
    NoIdentity {
        /// Git's message.
        message: String,
    },
    /// The worktree is in the middle of something.
    #[error(
        "'{}' is in the middle of a {operation}{}, which has to be finished or aborted by an agent; to see the work: \
         agency diff {run}", .path.display(), unresolved(.files)
    )]
    HalfDone {
        /// The run that made the worktree.
        run: RunId,
        /// The worktree.
        path: PathBuf,
        /// The git command that is half done.
        operation: &'static str,
        /// The files with conflicts.
        files: Vec<PathBuf>,
    },
    /// The worktree is on another branch than the one it was made for.
    #[error(
        "'{}' is on {found}, not on its branch '{branch}'; to see the work: agency diff {run}{}",
        .path.display(), by_hand(.command.as_deref())
    )]
    OtherBranch {
        /// The run that made the worktree.
        run: RunId,
        /// The worktree.
        path: PathBuf,
        /// The branch of the worktree.
        branch: String,
        /// What it is on.
        found: String,
        /// What merges the commit that is checked out, if there is one.
        command: Option<String>,
    },
    /// Git or a hook refused the commit.
    #[error("the work in '{}' is not committed{}", .path.display(), after_colon(.message))]
    NotCommitted {
        /// The worktree.
        path: PathBuf,
        /// The words of git and of the hooks.
        message: String,
    },
    /// A hook of the repository refused the merge.
    #[error("the hook {hook} refused the merge{}", after_colon(.message))]
    HookRefused {
        /// The hook.
        hook: &'static str,
        /// Its words.
        message: String,
    },
    /// The branch with the work is gone.
    #[error("branch '{branch}' does not exist any more")]
    BranchMissing {
        /// The branch.
        branch: String,
    },
    /// The branch with the work has other commits than it was to be merged with.
    #[error("branch '{branch}' was changed while it was merged: try again")]
    BranchMoved {
        /// The branch.
        branch: String,
    },
    /// The branch to merge into does not exist.
    #[error("there is no branch '{name}' to merge into; make it with git branch, or name another one")]
    TargetMissing {
        /// The name.
        name: String,
    },
    /// Nothing says which branch to merge into.
    #[error(
        "base_ref '{base_ref}' is not a branch, and no branch was checked out: check out the branch to merge into with git \
         switch, and try again; or name it with 'into'"
    )]
    TargetUnknown {
        /// What the work started from.
        base_ref: String,
    },
    /// The same in a repository of jj, whose user has no branch checked out.
    #[error(
        "base_ref '{base_ref}' is not a bookmark, and no single bookmark is the nearest to the working copy: leave one nearest \
         bookmark, and try again; or name it with 'into'"
    )]
    BookmarkUnknown {
        /// What the work started from.
        base_ref: String,
    },
    /// The branch would be merged into itself.
    #[error("'{name}' is the branch that is to be merged: name another one to merge into")]
    IntoItself {
        /// The name.
        name: String,
    },
    /// An operation is in progress on the target branch.
    #[error(
        "branch '{branch}' is in the middle of a {operation} in '{}'; it has to be finished or aborted first", .path.display()
    )]
    TargetInUse {
        /// The target branch.
        branch: String,
        /// The git command that is half done.
        operation: &'static str,
        /// Where.
        path: PathBuf,
    },
    /// The index of the target's checkout holds conflicts.
    #[error(
        "'{}' has unresolved conflicts in {}; they have to be resolved first", .path.display(), listed(.files)
    )]
    Unresolved {
        /// The checkout.
        path: PathBuf,
        /// The files with conflicts.
        files: Vec<PathBuf>,
    },
    /// The target is checked out in the worktree of a run, where its agent works.
    #[error("branch '{branch}' is checked out in '{}', the worktree of a run: merge into another branch", .path.display())]
    WorktreeOfRun {
        /// The target branch.
        branch: String,
        /// The worktree.
        path: PathBuf,
    },
    /// The target is checked out in a locked worktree that is not there, perhaps on a disk that is not mounted.
    #[error(
        "branch '{branch}' is checked out in the locked worktree '{}', which is not there: mount it, or unlock it with \
         git worktree unlock", .path.display()
    )]
    CheckoutAway {
        /// The target branch.
        branch: String,
        /// The worktree.
        path: PathBuf,
    },
    /// A commit cannot hold what is in the way.
    #[error(
        "'{}' in '{}' is in the way of the merge and cannot be saved (it is a special file or part of a git repository): \
         move it elsewhere", .file.display(), .checkout.display()
    )]
    NotSavable {
        /// The checkout.
        checkout: PathBuf,
        /// The file, below it.
        file: PathBuf,
    },
    /// Saved changes could not be put back after a merge that was not made.
    #[error("the changes in '{}' are saved; to bring them back: {command}{}", .path.display(), after_colon(.message))]
    NotRestored {
        /// The checkout.
        path: PathBuf,
        /// What brings them back.
        command: String,
        /// Git's message.
        message: String,
    },
    /// Another git works on the checkout of the target branch, or one died there.
    #[error(
        "another git is at work in '{}'; if none is, it died: remove {}{}",
        .path.display(), shell_quoted(.lock), after_colon(.message)
    )]
    CheckoutLocked {
        /// The checkout.
        path: PathBuf,
        /// The lock.
        lock: PathBuf,
        /// Git's message.
        message: String,
    },
    /// Git could not update the files of a checkout, and what it had changed could not be put back.
    #[error(
        "the files in '{}' were not updated{}; these are not as they were, and none of it is a change of yours: {}; make room, \
         then let git check them out again", .path.display(), after_colon(.message), listed(.files)
    )]
    HalfUpdated {
        /// The checkout.
        path: PathBuf,
        /// The files.
        files: Vec<PathBuf>,
        /// Git's own words.
        message: String,
    },
    /// Git or a hook did not let the branch move.
    #[error("branch '{branch}' was not moved: {message}")]
    NotMoved {
        /// The target branch.
        branch: String,
        /// Git's message.
        message: String,
    },
    /// The remote or a hook refused a branch, or was not reached.
    #[error("branch '{branch}' was not pushed to {remote}{}", after_colon(.message))]
    NotPushed {
        /// The remote.
        remote: String,
        /// The branch.
        branch: String,
        /// Git's message.
        message: String,
    },
    /// The branch was moved each time that a merge was ready.
    #[error("branch '{branch}' moved {tries} times while the merge was made: try again")]
    KeepsMoving {
        /// The target branch.
        branch: String,
        /// How often it was tried.
        tries: usize,
    },
    /// Another merge in the same repository takes too long.
    #[error("another merge in the same repository still holds '{}': try again when it is done", .lock.display())]
    Busy {
        /// The lock.
        lock: PathBuf,
    },
    /// The lock that makes merges take turns cannot be used.
    #[error(transparent)]
    Lock(#[from] FileError),
    /// Something in the repository could not be read or written.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl MergeError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::TargetMissing { .. }
            | Self::TargetUnknown { .. }
            | Self::BookmarkUnknown { .. }
            | Self::IntoItself { .. } => ErrorCode::BadRef,
            Self::GitTooOld { .. } => ErrorCode::GitNotFound,
            Self::NoBranch { .. }
            | Self::NoIdentity { .. }
            | Self::HalfDone { .. }
            | Self::OtherBranch { .. }
            | Self::NotCommitted { .. }
            | Self::HookRefused { .. }
            | Self::BranchMissing { .. }
            | Self::BranchMoved { .. }
            | Self::TargetInUse { .. }
            | Self::Unresolved { .. }
            | Self::WorktreeOfRun { .. }
            | Self::CheckoutAway { .. }
            | Self::NotSavable { .. }
            | Self::NotRestored { .. }
            | Self::CheckoutLocked { .. }
            | Self::HalfUpdated { .. }
            | Self::NotMoved { .. }
            | Self::NotPushed { .. }
            | Self::KeepsMoving { .. }
            | Self::Busy { .. } => ErrorCode::MergeFailed,
            Self::Lock(error) => error.code(),
            Self::Workspace(error) => error.code(),
        }
    }
}

fn unresolved(files: &[PathBuf]) -> String {
    if files.is_empty() { String::new() } else { format!(", with conflicts in {}", listed(files)) }
}

/// How to merge without agency.
fn by_hand(command: Option<&str>) -> String {
    command.map_or_else(String::new, |command| {
        format!("; merge its commits into the branch that you have checked out, then merge again: {command}")
    })
}
