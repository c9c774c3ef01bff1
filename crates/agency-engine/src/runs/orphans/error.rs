//! Why an orphan was not ended.

use agency_model::{ErrorCode, RunId};

use crate::store::StoreError;

/// Why an orphan was not ended.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OrphanError {
    /// No process has that pid.
    #[error("there is no process {0}")]
    NoProcess(u32),
    /// Nothing proves that the process is of a run.
    #[error("process {0} is not an orphan: nothing proves that it belongs to a run")]
    Stranger(u32),
    /// The process belongs to a run that is seen to.
    #[error("process {pid} is not an orphan: {id} has a supervisor")]
    Supervised {
        /// The process.
        pid: u32,
        /// Its run.
        id: RunId,
    },
    /// The process belongs to an orphan that has another pid.
    #[error("process {pid} is one of those that process {head} started, or was started with")]
    PartOf {
        /// The process.
        pid: u32,
        /// The orphan.
        head: u32,
    },
    /// Something does not end.
    #[error("not all processes of {id} could be ended: {}", listed(staying))]
    Stays {
        /// The run.
        id: RunId,
        /// Those that stay, with their command lines.
        staying: Vec<(u32, String)>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OrphanError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoProcess(_) | Self::Stranger(_) | Self::Supervised { .. } | Self::PartOf { .. } => {
                ErrorCode::NotAnOrphan
            }
            Self::Stays { .. } => ErrorCode::CleanupFailed,
            Self::Store(error) => error.code(),
        }
    }
}

fn listed(staying: &[(u32, String)]) -> String {
    let words: Vec<String> = staying.iter().map(|(pid, command)| format!("{pid} ({command})")).collect();
    words.join(", ")
}
