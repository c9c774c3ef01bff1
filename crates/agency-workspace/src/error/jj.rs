//! Why something could not be done with jj, in words that name the revision, workspace or path.

use std::path::PathBuf;

use agency_model::{ErrorCode, shell_quoted};

use super::details::{after_colon, listed};

/// The oldest jj that makes workspaces as agency needs them.
pub const OLDEST_JJ: &str = "0.40";
pub(crate) const OLDEST_JJ_MINOR: u32 = 40;

/// Says what could not be done with jj.
#[derive(Debug, thiserror::Error)]
pub enum JjError {
    /// There is no jj to start.
    #[error("jj is not installed, or not on the PATH")]
    Missing,
    /// The jj that is there is too old.
    #[error("{found} is too old: jj {OLDEST_JJ} or newer is needed")]
    TooOld {
        /// What it says of itself.
        found: String,
    },
    /// No jj repository holds the path.
    #[error("'{}' is not in a jj repository{}", .path.display(), after_colon(.message))]
    NotARepository {
        /// The path.
        path: PathBuf,
        /// The words of jj, which may be none.
        message: String,
    },
    /// The repository does not store its revisions in git.
    #[error("the jj repository '{}' does not keep its revisions in a git repository", .path.display())]
    NoGitStore {
        /// The repository.
        path: PathBuf,
    },
    /// A revset does not name one revision to start from.
    #[error("base_ref '{revset}', a revset of jj, {why}")]
    BadBase {
        /// The revset as given.
        revset: String,
        /// The repository.
        root: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The workspace is there already.
    #[error("jj has a workspace named '{name}' already; to forget it: jj -R {} workspace forget {name}", shell_quoted(.repository))]
    NameTaken {
        /// The name.
        name: String,
        /// The repository.
        repository: PathBuf,
    },
    /// Jj did not make the workspace.
    #[error("no workspace '{}': {message}", .path.display())]
    NotCreated {
        /// The path.
        path: PathBuf,
        /// The words of jj.
        message: String,
    },
    /// Jj does not know the directory as the workspace of the run.
    #[error("'{}' is not the workspace '{name}' of '{}'", .path.display(), .repository.display())]
    NotRegistered {
        /// The path.
        path: PathBuf,
        /// The name that the workspace should have.
        name: String,
        /// The repository.
        repository: PathBuf,
    },
    /// The directory is a workspace of some other repository.
    #[error("'{}' does not belong to '{}'", .path.display(), .repository.display())]
    OtherRepository {
        /// The path.
        path: PathBuf,
        /// The repository that was recorded.
        repository: PathBuf,
    },
    /// Files in the workspace are in no revision.
    #[error("jj did not record {}", listed(.files))]
    LeftOut {
        /// The files, below the workspace.
        files: Vec<PathBuf>,
    },
    /// Something in jj's own directory of a workspace is not what jj puts there.
    #[error("'{}' is {what}: jj is not started there; remove it, then try again", .file.display())]
    OddFile {
        /// The file.
        file: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A bookmark means several revisions.
    #[error("the bookmark '{name}' means several revisions; choose one with jj bookmark set")]
    Conflicted {
        /// The bookmark.
        name: String,
    },
    /// A workspace of jj has no branch.
    #[error(
        "a jj workspace has no branch to delete; its work is kept by the bookmark '{bookmark}', to delete it: jj bookmark delete {}",
        shell_quoted(.bookmark)
    )]
    NoBranch {
        /// The bookmark.
        bookmark: String,
    },
    /// A jj command failed in a way that has no name of its own.
    #[error("jj {command} in '{}': {message}", .directory.display())]
    Command {
        /// The subcommand.
        command: String,
        /// The workspace it was for.
        directory: PathBuf,
        /// The words of jj.
        message: String,
    },
}

impl JjError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Missing | Self::TooOld { .. } => ErrorCode::JjNotFound,
            Self::NotARepository { .. } | Self::NoGitStore { .. } => ErrorCode::NotJjRepo,
            Self::BadBase { .. } => ErrorCode::BadRef,
            Self::NameTaken { .. } | Self::NotCreated { .. } => ErrorCode::WorktreeCreateFailed,
            Self::NotRegistered { .. }
            | Self::OtherRepository { .. }
            | Self::LeftOut { .. }
            | Self::OddFile { .. }
            | Self::Conflicted { .. } => ErrorCode::CleanupFailed,
            Self::NoBranch { .. } => ErrorCode::Usage,
            Self::Command { .. } => ErrorCode::Io,
        }
    }

    /// The values the error is about, by name.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::BadBase { revset, root, .. } => {
                vec![("base_ref", revset.clone()), ("repo", root.display().to_string())]
            }
            Self::NotARepository { path, .. }
            | Self::NoGitStore { path }
            | Self::NotCreated { path, .. }
            | Self::NotRegistered { path, .. }
            | Self::OtherRepository { path, .. } => vec![("path", path.display().to_string())],
            Self::OddFile { file, .. } => vec![("path", file.display().to_string())],
            Self::TooOld { found } => vec![("version", found.clone())],
            Self::NameTaken { name, .. } => vec![("workspace", name.clone())],
            Self::Conflicted { name } | Self::NoBranch { bookmark: name } => vec![("bookmark", name.clone())],
            Self::Missing | Self::LeftOut { .. } | Self::Command { .. } => vec![],
        }
    }
}
