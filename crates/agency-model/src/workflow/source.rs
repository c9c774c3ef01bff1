//! The text of a file, and what is wrong in it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Position;

/// An excerpt shows so many characters of a line.
const MAX_EXCERPT_CHARS: usize = 100;

/// A file that can be quoted.
#[derive(Debug, Clone)]
pub struct Source<'text> {
    file: String,
    lines: Vec<&'text str>,
}

impl<'text> Source<'text> {
    /// Takes a text with the name of its file in messages.
    #[must_use]
    pub fn new(file: &str, text: &'text str) -> Self {
        Self { file: file.to_owned(), lines: text.lines().collect() }
    }

    /// A problem at a place of this file.
    #[must_use]
    pub fn problem(&self, at: Position, message: impl Into<String>) -> Problem {
        Problem {
            file: self.file.clone(),
            line: at.line,
            column: at.column,
            message: message.into(),
            nearest: None,
            excerpt: self.excerpt(at),
        }
    }

    /// The line and a mark below the place in it; empty where the file has no such line.
    fn excerpt(&self, at: Position) -> String {
        let Some(line) = at.line.checked_sub(1).and_then(|index| self.lines.get(index)) else {
            return String::new();
        };
        // Of a very long line, what is around the place.
        let before = at.column.saturating_sub(1);
        let skipped =
            if line.chars().count() <= MAX_EXCERPT_CHARS { 0 } else { before.saturating_sub(MAX_EXCERPT_CHARS / 2) };
        let shown: String = line
            .chars()
            .skip(skipped)
            .take(MAX_EXCERPT_CHARS)
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let number = at.line.to_string();
        let margin = " ".repeat(number.len());
        let mark = " ".repeat(before.min(line.chars().count()).saturating_sub(skipped));
        format!("{number} | {}\n{margin} | {mark}^", shown.trim_end())
    }
}

/// One thing that is wrong with a workflow or a file that it uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub message: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    /// The line with a mark below the place.
    pub excerpt: String,
}

impl Problem {
    /// Adds the name that was probably meant.
    #[must_use]
    pub fn meant(self, nearest: Option<&str>) -> Self {
        Self { nearest: nearest.map(str::to_owned), ..self }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, line, column, message, nearest, excerpt: _ } = self;
        write!(formatter, "{file}:{line}:{column}: {message}")?;
        match nearest {
            Some(name) => write!(formatter, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}
