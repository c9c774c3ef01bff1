//! Where something is in its file.

use serde::{Deserialize, Serialize};

use crate::Position;

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

/// How the lines of a text lie in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Line by line below each other, as after `|`.
    Lines,
    /// All on one line.
    OneLine,
    /// Folded or escaped, so that only its beginning is known.
    Folded,
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
