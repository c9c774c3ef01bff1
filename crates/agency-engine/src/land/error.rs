//! Why work does not land.

use std::path::PathBuf;

use agency_model::{ErrorCode, QuestionId, RunId};
use agency_workspace::{Conflict, DirtyCheckout, MergeError, WorkspaceError};

use super::CheckEnd;
use crate::home::HomeError;
use crate::project::ProjectError;
use crate::runs::caller::{CallerError, NotAllowed};
use crate::runs::create::CreateError;
use crate::runs::messages::DeliveryError;
use crate::runs::remove::RemoveError;
use crate::runs::wait::WaitError;
use crate::runs::work_events::RecordError;
use crate::store::StoreError;
use crate::worktree::PrepareError;

/// Why work did not land. The target is as it was.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LandError {
    /// Its agent is at work, or something else has to be done first.
    #[error("{id} cannot land yet: {why}")]
    NotReady {
        /// The run.
        id: RunId,
        /// What.
        why: String,
    },
    /// Its worktree is gone.
    #[error("{id} was removed, and its worktree with it")]
    Removed {
        /// The run.
        id: RunId,
    },
    /// The agent changed nothing.
    #[error("{id} has changed nothing that could land on {target}")]
    Nothing {
        /// The run.
        id: RunId,
        /// The branch.
        target: String,
    },
    /// Both sides changed the same lines.
    #[error("{id} does not merge into {target}: {}", files.iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>().join(", "))]
    Conflicts {
        /// The run.
        id: RunId,
        /// The branch.
        target: String,
        /// Each file that does not merge.
        files: Vec<Conflict>,
        /// The worktree in which they can be resolved.
        worktree: PathBuf,
    },
    /// An agent was asked to resolve conflicts and did not resolve them.
    #[error("{id} does not land on {target}: {}", flaws(markers, dropped))]
    Unresolved {
        /// The run.
        id: RunId,
        /// The branch.
        target: String,
        /// Files that still have conflict markers.
        markers: Vec<PathBuf>,
        /// Files in which changes of the branch were undone.
        dropped: Vec<PathBuf>,
    },
    /// A check failed.
    #[error(transparent)]
    CheckFailed(Box<FailedCheck>),
    /// The user's own changes are in the way.
    #[error(
        "{id} does not land: {target} is checked out with uncommitted changes in {}",
        checkouts.iter().flat_map(|checkout| checkout.files.iter().map(|file| checkout.path.join(file).display().to_string()))
            .collect::<Vec<_>>().join(", ")
    )]
    Dirty {
        /// The run.
        id: RunId,
        /// The branch.
        target: String,
        /// Each checkout with such changes.
        checkouts: Vec<DirtyCheckout>,
    },
    /// A remote does not have it.
    #[error("{id} is not published: {why}")]
    NotPublished {
        /// The run.
        id: RunId,
        /// Why not.
        why: String,
    },
    /// The user ended it.
    #[error("interrupted; the target branch was not changed")]
    Interrupted,
    /// The user did not allow an agent to land it.
    #[error("{by} did not allow an agent to land {id}{}", reason.as_deref().map_or_else(String::new, |text| format!(": {text}")))]
    Denied {
        /// The run.
        id: RunId,
        /// What was asked.
        question: QuestionId,
        /// Who answered.
        by: String,
        /// Why not.
        reason: Option<String>,
    },
    /// The user has not answered yet.
    #[error("{id} cannot land yet: {question} is not answered")]
    Unanswered {
        /// The run.
        id: RunId,
        /// What was asked.
        question: QuestionId,
    },
    /// The caller is an agent.
    #[error("{0}; agents may not land work")]
    NotAllowed(#[from] NotAllowed),
    /// The tree of the checks could not be prepared as the project says.
    #[error("{0}; the target branch was not changed")]
    Setup(PrepareError),
    /// The project file.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// It could not be committed or merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Its worktree.
    #[error(transparent)]
    Workspace(#[from] RemoveError),
    /// Its agent was not interrupted.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// Its agent could not be asked to resolve conflicts.
    #[error(transparent)]
    Create(#[from] Box<CreateError>),
    /// Its events could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its state.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// A file.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A check that failed, so that what was checked did not land.
#[derive(Debug, thiserror::Error)]
#[error("the check '{command}' {end} on the merge of {id} into {target}; its output is in {}", log.display())]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FailedCheck {
    /// The run.
    pub id: RunId,
    /// The branch.
    pub target: String,
    /// The command.
    pub command: String,
    /// How it ended.
    pub end: CheckEnd,
    /// Its output.
    pub log: PathBuf,
    /// The end of that.
    pub output: String,
}

impl From<CallerError> for LandError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::NotAllowed(refusal) => Self::NotAllowed(refusal),
            CallerError::Store(error) => Self::Store(error),
        }
    }
}

impl From<PrepareError> for LandError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Stopped => Self::Interrupted,
            PrepareError::Command { .. } | PrepareError::Workspace(_) | PrepareError::Home(_) => Self::Setup(error),
        }
    }
}

impl From<WorkspaceError> for LandError {
    fn from(error: WorkspaceError) -> Self {
        Self::Merge(error.into())
    }
}

impl LandError {
    /// Whether the agent of the run can do something about it.
    pub(super) const fn is_for_agent(&self) -> bool {
        matches!(self, Self::Conflicts { .. } | Self::Unresolved { .. } | Self::Merge(MergeError::HalfDone { .. }))
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotReady { .. } | Self::Nothing { .. } | Self::Unanswered { .. } => ErrorCode::NotReady,
            Self::Removed { .. } => ErrorCode::InvalidState,
            Self::Conflicts { .. } | Self::Unresolved { .. } => ErrorCode::MergeConflict,
            Self::CheckFailed(_) => ErrorCode::CheckFailed,
            Self::Dirty { .. } => ErrorCode::CheckoutDirty,
            Self::NotPublished { .. } => ErrorCode::MergeFailed,
            Self::Interrupted => ErrorCode::Interrupted,
            Self::NotAllowed(_) | Self::Denied { .. } => ErrorCode::NotAllowed,
            Self::Setup(error) => error.code(),
            Self::Project(error) => error.code(),
            Self::Merge(error) => error.code(),
            Self::Workspace(error) => error.code(),
            Self::Delivery(error) => error.code(),
            Self::Create(error) => error.code(),
            Self::Record(error) => error.code(),
            Self::Wait(WaitError::Home(error)) | Self::Home(error) => error.code(),
            Self::Wait(WaitError::Store(error)) | Self::Store(error) => error.code(),
        }
    }
}

/// What an agent left unresolved.
fn flaws(markers: &[PathBuf], dropped: &[PathBuf]) -> String {
    let list = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let markers = (!markers.is_empty()).then(|| format!("conflict markers are left in {}", list(markers)));
    let dropped = (!dropped.is_empty()).then(|| format!("the resolution undoes its changes in {}", list(dropped)));
    markers.into_iter().chain(dropped).collect::<Vec<_>>().join("; ")
}
