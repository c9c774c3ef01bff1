//! Why the files of a worktree were not restored to a checkpoint.

use std::path::PathBuf;

use agency_model::ErrorCode;

use super::super::WorkspaceError;
use super::super::error::details::{after_colon, listed};

/// Says why files were not restored.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// There is no checkpoint with this number.
    #[error("there is no checkpoint {number}{}", known(*.last))]
    Missing {
        /// The number.
        number: u32,
        /// The last one, if there is any.
        last: Option<u32>,
    },
    /// Git changed nothing.
    #[error("the files in '{}' were not restored: {message}", .path.display())]
    Refused {
        /// The worktree.
        path: PathBuf,
        /// Git's message.
        message: String,
    },
    /// Some files could not be changed.
    #[error(
        "some files in '{}' were not restored{}; checkpoint {before} has all files as they were before{}",
        .path.display(), after_colon(&listed(.files)), after_colon(.reason.as_deref().unwrap_or_default())
    )]
    Incomplete {
        /// The worktree.
        path: PathBuf,
        /// The files that are not as in the checkpoint, as far as that is known.
        files: Vec<PathBuf>,
        /// The checkpoint that holds the files as they were.
        before: u32,
        /// Git's own words, if it failed.
        reason: Option<String>,
    },
    /// The branch of the run is not checked out, so that it cannot be moved with the files.
    #[error("the branch '{branch}' is not checked out in '{}', so its commits cannot be restored", .path.display())]
    NotOnBranch {
        /// The branch.
        branch: String,
        /// The worktree.
        path: PathBuf,
    },
    /// The branch cannot be moved, and was not.
    #[error("the files are restored, but the branch '{branch}' was not moved: {message}")]
    BranchNotMoved {
        /// The branch.
        branch: String,
        /// Why.
        message: String,
    },
    /// The worktree has only some of its files checked out, which a new index would not know.
    #[error("'{}' has a sparse checkout, in which commits cannot be restored", .path.display())]
    Sparse {
        /// The worktree.
        path: PathBuf,
    },
    /// The worktree or the repository.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

fn known(last: Option<u32>) -> String {
    last.map_or_else(|| "; none was taken yet".to_owned(), |last| format!("; the last one is {last}"))
}

impl CheckpointError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Missing { .. } => ErrorCode::CheckpointNotFound,
            Self::Refused { .. }
            | Self::Incomplete { .. }
            | Self::BranchNotMoved { .. }
            | Self::NotOnBranch { .. }
            | Self::Sparse { .. } => ErrorCode::InvalidState,
            Self::Workspace(error) => error.code(),
        }
    }
}
