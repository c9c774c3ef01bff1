//! A line and a column of a text file.

use serde::{Deserialize, Serialize};

/// A place in a file, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// The beginning of a file.
    pub const START: Self = Self { line: 1, column: 1 };
}
