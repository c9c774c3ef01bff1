//! What follows from a step.

/// Something to be done after the step is committed. Doing it twice does no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Start the process of this attempt.
    Spawn {
        /// The attempt.
        attempt: u32,
    },
    /// Send TERM to the process group and start the grace timer.
    Terminate {
        /// The attempt.
        attempt: u32,
    },
    /// Send KILL to everything of this attempt and start the last timer.
    Kill {
        /// The attempt.
        attempt: u32,
    },
    /// Wait before the next attempt.
    Pause {
        /// The attempt that crashed.
        attempt: u32,
        /// How many crashes there were in a row.
        failures: u32,
    },
    /// Clean up and write the markers: the run has finished.
    Finish,
}
