//! Why a workflow cannot be used.

use std::io;
use std::path::PathBuf;

use agency_model::document::{Mistake, Mistakes};
use agency_model::workflow::TaskError;

/// Why a workflow, or the task it is run over, cannot be used.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WorkflowError {
    /// There is no such file.
    #[error("there is no workflow `{name}`, neither as a file nor in {}", looked.join(", "))]
    NotFound {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        looked: Vec<String>,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// Something is wrong in it, or in what it uses.
    #[error(transparent)]
    Invalid(Mistakes),
    /// A template came out wrong.
    #[error(transparent)]
    Template(#[from] Mistake),
    /// The workflow has no such step, or the step has no prompt.
    #[error("{message}")]
    NoSuchStep {
        /// What is wrong.
        message: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// A file cannot be used.
    #[error("{}: {action}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file of the task holds none.
    #[error("{from}: {error}")]
    Task {
        /// The file or command that it came from.
        from: String,
        /// What is wrong.
        error: TaskError,
    },
    /// No tracker has the bead.
    #[error("there is no bead `{id}`: {why}")]
    NoBead {
        /// Its id.
        id: String,
        /// What each place said.
        why: String,
    },
}

impl WorkflowError {
    pub(super) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
