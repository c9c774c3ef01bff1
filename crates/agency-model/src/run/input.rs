//! What can happen to a run.

use super::{Ending, Exit, StopCause, Verdict};
use crate::ErrorCode;

/// Everything that can happen to a run. What may arrive late carries the attempt it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// A slot is free: the supervisor may start the agent.
    SlotGranted,
    /// Something needed before the agent could be started was not to be had.
    CouldNotStart(ErrorCode),
    /// The process of this attempt exists.
    Started {
        /// The attempt.
        attempt: u32,
    },
    /// The process of this attempt could not be made.
    StartFailed {
        /// The attempt.
        attempt: u32,
        /// Why.
        code: ErrorCode,
    },
    /// The process of this attempt is gone.
    Exited {
        /// The attempt.
        attempt: u32,
        /// What it left.
        exit: Exit,
        /// What it said about its work.
        verdict: Verdict,
    },
    /// Stop the run.
    Stop(StopCause),
    /// The grace period is over.
    GraceOver {
        /// The attempt.
        attempt: u32,
    },
    /// The process did not go away although it was killed.
    KillOver {
        /// The attempt.
        attempt: u32,
    },
    /// The pause before the next attempt is over.
    PauseOver {
        /// The attempt that crashed.
        attempt: u32,
    },
    /// The process of this attempt has worked so long that earlier crashes do not count any more.
    Healthy {
        /// The attempt.
        attempt: u32,
    },
    /// The supervisor is dead; a marker, if it left one, says how the run ended.
    SupervisorGone(Option<Ending>),
}
