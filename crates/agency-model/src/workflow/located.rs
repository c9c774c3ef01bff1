//! Where something is in its file.

use serde::{Deserialize, Serialize};

use crate::Position;
use crate::document::Layout;

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

/// A template that stands in a workflow file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateText {
    /// The template.
    pub value: String,
    /// Where it begins.
    pub at: Position,
    /// How its lines lie in the file.
    pub layout: Layout,
}

impl TemplateText {
    /// Where a place in the text is in the file.
    #[must_use]
    pub const fn place(&self, inside: Position) -> Position {
        match self.layout {
            Layout::Lines => Position {
                line: self.at.line + inside.line.saturating_sub(1),
                column: self.at.column + inside.column.saturating_sub(1),
            },
            Layout::OneLine if inside.line == 1 => {
                Position { line: self.at.line, column: self.at.column + inside.column.saturating_sub(1) }
            }
            Layout::OneLine | Layout::Folded => self.at,
        }
    }
}
