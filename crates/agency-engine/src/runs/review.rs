//! Review of the work of a run: comments on lines and files, which its agent receives as one message, and approval.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! # let run = agency.wait(&run.id, None, State::is_terminal)?;
//! let review = agency.review(&run)?;
//! assert!(review.comments.is_empty() && !review.is_approved());
//! let approval = agency.approve(&run, "ann", None)?;
//! assert_eq!(Some(approval.tree), review.tree);
//! assert!(agency.review(&run)?.is_approved());
//! # Ok(())
//! # }
//! ```
//!
//! The one rule: comments and approvals belong to the files, so all runs that worked in one worktree share them.

mod approve;
mod comment;
mod location;
mod send;

use agency_model::run::State;
use agency_model::{Activity, ErrorCode, RunId, RunKind};

pub use comment::{Comment, WorkReview};
pub use location::CommentLocation;
pub use send::SentReview;

use crate::agency::Agency;
use crate::home::HomeError;
use crate::runs::caller::{CallerError, NotAllowed};
use crate::runs::create::CreateError;
use crate::runs::messages::DeliveryError;
use crate::runs::remove::RemoveError;
use crate::runs::work_events::RecordError;
use crate::store::{QuestionState, RunRow, StoreError};

/// Why a review could not be done.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ReviewError {
    /// A comment is about something that does not exist.
    #[error("{path}: {message}")]
    Misplaced {
        /// The path as it was given.
        path: String,
        /// Why there can be no comment.
        message: String,
    },
    /// There is no comment with this number.
    #[error("there is no comment {id} on the work of {run}")]
    NoComment {
        /// The run.
        run: RunId,
        /// The number.
        id: i64,
    },
    /// There is nothing to send.
    #[error("no comment on the work of {run} is open")]
    NothingToSend {
        /// The run.
        run: RunId,
    },
    /// Another process sends the comments.
    #[error("the comments on the work of {run} are being sent by another process")]
    Busy {
        /// The run.
        run: RunId,
    },
    /// The files may change at any moment.
    #[error("the agent of {run} is at work, so that its files may change")]
    AtWork {
        /// The run.
        run: RunId,
    },
    /// The files are not those that were reviewed.
    #[error("the files of {run} changed since the review: they are {tree:.12} now")]
    Changed {
        /// The run.
        run: RunId,
        /// Their tree.
        tree: String,
    },
    /// The run has no files of its own.
    #[error("{run} has no files to review")]
    NoFiles {
        /// The run.
        run: RunId,
    },
    /// An agent may not do it.
    #[error("{0}; agents may not approve work or withdraw comments")]
    NotAllowed(#[from] NotAllowed),
    /// The message was not delivered.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// The conversation could not be continued.
    #[error(transparent)]
    Resume(#[from] CreateError),
    /// The files could not be read.
    #[error(transparent)]
    Workspace(#[from] RemoveError),
    /// The event was not recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file of the run.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CallerError> for ReviewError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::NotAllowed(refusal) => Self::NotAllowed(refusal),
            CallerError::Store(error) => Self::Store(error),
        }
    }
}

impl ReviewError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Misplaced { .. } | Self::NoComment { .. } => ErrorCode::InvalidComment,
            Self::NothingToSend { .. } | Self::Busy { .. } | Self::NoFiles { .. } => ErrorCode::InvalidState,
            Self::AtWork { .. } | Self::Changed { .. } => ErrorCode::NotReady,
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Delivery(error) => error.code(),
            Self::Resume(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Record(error) => error.code(),
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// The run by which comments and approvals are kept: the one that made the worktree.
    pub(crate) fn work_owner(&self, row: &RunRow) -> Result<RunId, StoreError> {
        let mut first = row.clone();
        while let Some(parent) = first.parent_id.take() {
            first = self.store.run(&parent)?;
        }
        let owner = first.worktree_owner();
        Ok(if self.store.knows(&owner)? { owner } else { first.id })
    }

    /// The run that has the work now: the live one in the worktree, or the last one.
    pub(crate) fn current_run(&self, row: &RunRow) -> Result<RunRow, StoreError> {
        let row = self.store.run(&row.id)?;
        if !row.state.is_terminal() {
            return Ok(row);
        }
        let mut runs = self.store.runs_in_worktree(row.worktree_path.as_deref())?;
        // What never started has no conversation.
        runs.retain(|other| other.kind == row.kind && (other.started_at.is_some() || !other.state.is_terminal()));
        let live = runs.iter().rposition(|other| !other.state.is_terminal());
        Ok(live.map(|at| runs.remove(at)).or_else(|| runs.pop()).unwrap_or(row))
    }

    /// Whether the files of a run may be changed by its agent now.
    pub(crate) fn is_at_work(&self, row: &RunRow) -> Result<bool, StoreError> {
        let row = self.current_run(row)?;
        Ok(match row.state {
            State::Completed | State::Failed | State::Killed => false,
            State::Queued => true,
            State::Running if row.kind == RunKind::Workflow => {
                let asks = self.store.questions_of(&row.id)?;
                !asks.iter().any(|asked| asked.state == QuestionState::Open && approve::is_about_merge(asked))
            }
            State::Running => row.activity != Some(Activity::Idle),
        })
    }
}
