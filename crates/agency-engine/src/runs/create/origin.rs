//! Why a run is made, which decides where it works.

use std::sync::Arc;

use agency_model::{Usage, WorkspaceKind};
use agency_workspace::Scratch;
use jiff::Timestamp;

use super::uncommitted::UncommittedLookup;
use crate::store::RunRow;

/// Why a run is made, each with what only such a run has.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RunOrigin {
    /// A request for a run in a worktree of its own.
    NewWorktree {
        /// The branch, or the bookmark of jj, that is made for it.
        branch: String,
        /// Whether the template of the configuration made its name.
        by_template: bool,
        /// The look at files that are not committed, and that the run therefore does not get.
        uncommitted: Option<Arc<UncommittedLookup>>,
    },
    /// A request for a run in the user's checkout.
    InPlace,
    /// A task of a workflow in the worktree of another run.
    Beside(Box<RunRow>),
    /// A conversation that continues where the run worked that had it.
    Resumes(Box<Resume>),
    /// A question that is answered in a scratch directory.
    Ask(Scratch),
}

/// A conversation that continues in another run.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Resume {
    /// The run that had it.
    pub parent: RunRow,
    /// The agent's own id of it; none if the agent has to begin another in the same workspace.
    pub session: Option<String>,
    /// What it has used.
    pub spent: Usage,
    /// When it may continue at the earliest.
    pub not_before: Option<Timestamp>,
}

impl RunOrigin {
    /// The run whose worktree is used: the one that is continued, or the one that is worked beside.
    pub(super) fn host_of_worktree(&self) -> Option<&RunRow> {
        match self {
            Self::Beside(host) => Some(host),
            Self::Resumes(resume) => Some(&resume.parent),
            Self::NewWorktree { .. } | Self::InPlace | Self::Ask(_) => None,
        }
    }

    /// The conversation that continues.
    pub(super) fn resume(&self) -> Option<&Resume> {
        match self {
            Self::Resumes(resume) => Some(resume),
            Self::NewWorktree { .. } | Self::InPlace | Self::Beside(_) | Self::Ask(_) => None,
        }
    }

    /// The directory of an ask.
    pub(crate) const fn scratch(&self) -> Option<&Scratch> {
        match self {
            Self::Ask(scratch) => Some(scratch),
            Self::NewWorktree { .. } | Self::InPlace | Self::Beside(_) | Self::Resumes(_) => None,
        }
    }

    /// The look at files that are not committed.
    pub(super) const fn uncommitted(&self) -> Option<&Arc<UncommittedLookup>> {
        match self {
            Self::NewWorktree { uncommitted, .. } => uncommitted.as_ref(),
            Self::InPlace | Self::Beside(_) | Self::Resumes(_) | Self::Ask(_) => None,
        }
    }

    /// Its name in specs and rows.
    pub(super) fn workspace_kind(&self) -> WorkspaceKind {
        match self {
            Self::NewWorktree { .. } => WorkspaceKind::Worktree,
            Self::InPlace => WorkspaceKind::None,
            Self::Beside(_) => WorkspaceKind::Shared,
            Self::Resumes(resume) => resume.parent.workspace,
            Self::Ask(_) => WorkspaceKind::Scratch,
        }
    }
}
