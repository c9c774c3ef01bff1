//! Why an agent cannot be started in some way.

use agency_model::Mode;

/// Why an agent cannot be started so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// The agent cannot resume a conversation in this form.
    #[error("it cannot resume a conversation in {mode} mode")]
    NoResume {
        /// The mode.
        mode: Mode,
    },
    /// The form asks.
    #[error("it has no one-shot form")]
    NoOneShot,
    /// Settings of the user's are not understood.
    #[error("its settings are not a plain JSON object, so MCP servers cannot be added to them")]
    Settings,
    /// The agent cannot be started so that it only reads.
    #[error("{message}")]
    ReadOnly {
        /// What failed.
        message: String,
        /// What the user can do.
        hint: String,
    },
}
