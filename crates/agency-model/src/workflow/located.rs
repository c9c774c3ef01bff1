//! Where something is in its file.

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

/// A value of a file and its place there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located<Value> {
    /// The value.
    pub value: Value,
    /// Where it begins.
    pub at: Position,
}

impl<Value> Located<Value> {
    /// Puts a value and its place together.
    pub const fn new(value: Value, at: Position) -> Self {
        Self { value, at }
    }
}
