//! The one interface by which an error of the engine becomes a problem: a code, a message, a hint and details.

use std::fmt::Display;

use agency_model::ErrorCode;

use super::Problem;

/// An error that a user can meet.
pub(crate) trait Coded: Display {
    /// The stable code, which also has a usual hint.
    fn code(&self) -> ErrorCode;

    /// The message.
    fn message(&self) -> String {
        self.to_string()
    }

    /// Adds the details, and a hint where the usual one of the code does not help.
    fn explain(&self, problem: Problem) -> Problem {
        problem
    }
}
