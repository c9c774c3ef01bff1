//! Why something could not be done to a workspace, in words that name the path, ref or branch.

pub(crate) mod details;
mod jj;

use std::io;
use std::path::{Path, PathBuf};

use agency_model::{ErrorCode, RunId, shell_quoted};

use self::details::{after_colon, also_saved, first_of, kept_in, listed};
use super::Commit;

pub(crate) use self::jj::OLDEST_JJ_MINOR;
pub use self::jj::{JjError, OLDEST_JJ};

/// Says what could not be done to a workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no git to start.
    #[error("git is not installed, or not on the PATH")]
    GitMissing,
    /// A path does not exist.
    #[error("'{}' does not exist", .path.display())]
    PathMissing {
        /// The path.
        path: PathBuf,
    },
    /// A path is not a directory.
    #[error("'{}' is not a directory", .path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// No repository holds the path.
    #[error("'{}' is not in a git repository", .path.display())]
    NotARepository {
        /// The path.
        path: PathBuf,
    },
    /// The repository has no working tree there.
    #[error("'{}' is a bare repository or git's own directory: it has no working tree", .path.display())]
    BareRepository {
        /// The path.
        path: PathBuf,
    },
    /// The repository has nothing to start from.
    #[error("'{}' has no commit yet: make a first commit", .root.display())]
    NoCommit {
        /// The repository.
        root: PathBuf,
    },
    /// The repository belongs to another user and git will not read it.
    #[error("git refuses '{}': {message}", .path.display())]
    DubiousOwnership {
        /// The path.
        path: PathBuf,
        /// Git's own words, with the command that allows it.
        message: String,
    },
    /// A ref names no commit.
    #[error("base_ref '{reference}' does not resolve{}", after_colon(.message))]
    BadRef {
        /// The ref as given.
        reference: String,
        /// The repository.
        root: PathBuf,
        /// Git's own words, which may be none.
        message: String,
    },
    /// A branch cannot have that name.
    #[error("'{name}' is not a valid branch name")]
    InvalidBranchName {
        /// The name.
        name: String,
    },
    /// The branch is there already.
    #[error("a branch named '{name}' exists already")]
    BranchExists {
        /// The name.
        name: String,
    },
    /// Another branch has a name that makes this one impossible.
    #[error("a branch named '{name}' cannot be made while '{by}' exists")]
    BranchBlocked {
        /// The name.
        name: String,
        /// The branch in the way.
        by: String,
    },
    /// Something is already where the worktree should be.
    #[error("'{}' exists already", .path.display())]
    PathOccupied {
        /// The path.
        path: PathBuf,
    },
    /// Git did not make the worktree.
    #[error("no worktree '{}' on branch '{branch}': {message}", .path.display())]
    WorktreeNotCreated {
        /// The path.
        path: PathBuf,
        /// The branch.
        branch: String,
        /// Git's own words.
        message: String,
    },
    /// The operating system refused access.
    #[error("'{}': {message}", .path.display())]
    PermissionDenied {
        /// The path.
        path: PathBuf,
        /// The words of the system or of git.
        message: String,
    },
    /// A repository that an agent can have written, so that git is not started in it.
    #[error(
        "'{}' lies in the worktree of a run: an agent can have written settings and hooks there, so git is not run in it",
        .repository.display()
    )]
    AgentsRepository {
        /// The repository, or the directory that would lead to one.
        repository: PathBuf,
    },
    /// The worktree of a run does not lead to the repository any more that it was made for.
    #[error(
        "'{}' is not the worktree any more that was made for its run: its .git was replaced, or git's entry for it is gone, \
         so git is not run in it",
        .path.display()
    )]
    ReplacedGit {
        /// The path of the worktree.
        path: PathBuf,
    },
    /// The prompt would be written somewhere else than it seems.
    #[error("'{}' is a symlink or no plain file: the prompt is not written through it", .path.display())]
    UnsafePromptPath {
        /// The path.
        path: PathBuf,
    },
    /// The recorded path is not below the directory of all worktrees, so it is not ours to remove.
    #[error("'{}' is not a directory below '{}': it is not removed", .path.display(), .root.display())]
    OutsideRoot {
        /// The path.
        path: PathBuf,
        /// The directory of all worktrees.
        root: PathBuf,
    },
    /// The recorded path is the repository's own working tree.
    #[error("'{}' is the main working tree of its repository: it is not removed", .path.display())]
    MainWorktree {
        /// The path.
        path: PathBuf,
    },
    /// Git does not know the directory as a worktree of the repository.
    #[error(
        "'{}' is not a worktree that '{}' knows; if the repository was moved, run: git -C <repository> worktree repair {}",
        .path.display(), .repository.display(), shell_quoted(.path)
    )]
    NotRegistered {
        /// The path.
        path: PathBuf,
        /// The repository.
        repository: PathBuf,
    },
    /// The directory is a worktree of some other repository.
    #[error("'{}' belongs to '{}', not to '{}'", .path.display(), .owner.display(), .repository.display())]
    OtherRepository {
        /// The path.
        path: PathBuf,
        /// The repository that was recorded.
        repository: PathBuf,
        /// The git directory it really belongs to.
        owner: PathBuf,
    },
    /// The worktree is locked.
    #[error(
        "'{}' is locked{}; to unlock it: git -C {} worktree unlock {}",
        .path.display(), after_colon(.reason), shell_quoted(.repository), shell_quoted(.path)
    )]
    Locked {
        /// The path.
        path: PathBuf,
        /// The repository.
        repository: PathBuf,
        /// The reason given when it was locked, which may be none.
        reason: String,
    },
    /// The repository is no longer where it was.
    #[error(
        "the repository '{}' is gone; if it was moved, run: git -C <new place> worktree repair {}",
        .repository.display(), shell_quoted(.path)
    )]
    RepositoryGone {
        /// The path of the worktree.
        path: PathBuf,
        /// The repository.
        repository: PathBuf,
    },
    /// Repositories inside the worktree hold work that git would not save.
    #[error("'{}' holds git repositories whose content cannot be saved: {}", .path.display(), listed(.nested))]
    NestedRepositories {
        /// The path of the worktree.
        path: PathBuf,
        /// The repositories, below that path.
        nested: Vec<PathBuf>,
    },
    /// The repository reads objects from directories in the worktree.
    #[error("objects of the repository lie in '{}': {}", .path.display(), listed(.directories))]
    ObjectsInside {
        /// The path of the worktree.
        path: PathBuf,
        /// Where they lie, below that path.
        directories: Vec<PathBuf>,
    },
    /// The branch holds commits that no other branch has.
    #[error("branch '{branch}' at {commit} has commits that are in no other branch")]
    BranchNotMerged {
        /// The branch.
        branch: String,
        /// The commit it points at.
        commit: Commit,
    },
    /// The branch is checked out somewhere else.
    #[error("branch '{branch}' is checked out in '{}'", .path.display())]
    BranchInUse {
        /// The branch.
        branch: String,
        /// The working tree that has it.
        path: PathBuf,
    },
    /// The work could not be saved, so nothing was removed.
    #[error("the work in '{}' could not be saved, so it is not removed: {source}", .path.display())]
    NotSaved {
        /// The path.
        path: PathBuf,
        /// What went wrong.
        source: Box<WorkspaceError>,
    },
    /// Files are there that git or jj cannot read or take, so that they cannot be saved as they are.
    #[error("{source}")]
    FilesNotTaken {
        /// What went wrong.
        source: Box<WorkspaceError>,
    },
    /// Commits that only the worktree leads to cannot be saved, because git cannot follow their history.
    #[error("a part of the history of {} is missing, so that no ref can hold all of it", first_of(.commits))]
    IncompleteHistory {
        /// The commits, or what git's entry for the worktree says that they are.
        commits: Vec<String>,
    },
    /// Something else is where the worktree was.
    #[error("'{}' is not the worktree any more but {what}; what is there is not followed", .path.display())]
    Replaced {
        /// The path.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// A step of the removal failed; it can be repeated.
    #[error("'{}' is not completely removed: {source}", .path.display())]
    NotRemoved {
        /// The path.
        path: PathBuf,
        /// What went wrong.
        source: Box<WorkspaceError>,
    },
    /// No work of the run was saved.
    #[error("no work of {run} was saved{}{}", also_saved(.other_refs), kept_in(.kept.as_deref()))]
    NothingSaved {
        /// Where files of its worktree are kept that no ref can hold.
        kept: Option<PathBuf>,
        /// The run.
        run: RunId,
        /// The refs that hold commits of its worktree.
        other_refs: Vec<String>,
    },
    /// Something could not be done with jj.
    #[error(transparent)]
    Jj(#[from] JjError),
    /// Git waited for a named pipe, and was ended.
    #[error("git {command}: '{}' is a named pipe, and git would wait for it without end; remove it, then try again", .path.display())]
    NamedPipe {
        /// The subcommand.
        command: String,
        /// The pipe.
        path: PathBuf,
    },
    /// A git command failed in a way that has no name of its own.
    #[error("git {command} in '{}': {message}", .directory.display())]
    Git {
        /// The subcommand.
        command: String,
        /// Where it ran.
        directory: PathBuf,
        /// Git's own words.
        message: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} '{}': {source}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl WorkspaceError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnsafePromptPath { .. } => ErrorCode::InvalidPath,
            Self::PathMissing { .. }
            | Self::NotADirectory { .. }
            | Self::NotARepository { .. }
            | Self::BareRepository { .. }
            | Self::DubiousOwnership { .. }
            | Self::AgentsRepository { .. }
            | Self::ReplacedGit { .. } => ErrorCode::NotGitRepo,
            Self::NoCommit { .. } | Self::BadRef { .. } | Self::InvalidBranchName { .. } => ErrorCode::BadRef,
            Self::BranchExists { .. } => ErrorCode::BranchExists,
            Self::BranchBlocked { .. } | Self::PathOccupied { .. } | Self::WorktreeNotCreated { .. } => {
                ErrorCode::WorktreeCreateFailed
            }
            Self::PermissionDenied { .. } => ErrorCode::PermissionDenied,
            Self::OutsideRoot { .. }
            | Self::MainWorktree { .. }
            | Self::NotRegistered { .. }
            | Self::OtherRepository { .. }
            | Self::Locked { .. }
            | Self::RepositoryGone { .. }
            | Self::NestedRepositories { .. }
            | Self::ObjectsInside { .. }
            | Self::BranchNotMerged { .. }
            | Self::BranchInUse { .. }
            | Self::NotSaved { .. }
            | Self::FilesNotTaken { .. }
            | Self::IncompleteHistory { .. }
            | Self::Replaced { .. }
            | Self::NotRemoved { .. } => ErrorCode::CleanupFailed,
            Self::NothingSaved { .. } => ErrorCode::NothingSaved,
            Self::GitMissing => ErrorCode::GitNotFound,
            Self::Jj(error) => error.code(),
            Self::NamedPipe { .. } | Self::Git { .. } | Self::Io { .. } => ErrorCode::Io,
        }
    }

    /// Makes the error of a file operation, for use in `map_err`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if source.kind() == io::ErrorKind::PermissionDenied {
                return Self::PermissionDenied { path, message: format!("cannot {action}: {source}") };
            }
            Self::Io { action, path, source }
        }
    }
}
