//! Really? What would happen is said before it is done.

use super::effect::Job;

/// A question of ours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Confirm {
    /// One line.
    pub(super) title: String,
    /// What will happen, line by line.
    pub(super) lines: Vec<String>,
    /// What is done at yes.
    pub(super) job: Job,
}
