//! What can be wrong with a file of rules.

use std::path::{Path, PathBuf};

/// A mistake in a file of rules. Places are counted as editors do: from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", path.display())]
pub struct ScreenRulesError {
    /// The file.
    pub path: PathBuf,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// A mistake at an offset of a text.
pub(super) fn invalid(path: &Path, text: &str, offset: usize, message: String) -> ScreenRulesError {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    ScreenRulesError { path: path.to_owned(), line, column, message }
}
