//! The text of a file, and the places in it.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A place in a configuration file, as editors count: from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePosition {
    /// The file.
    pub path: PathBuf,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.path.display(), self.line, self.column)
    }
}

/// A text that finds the line of an offset quickly.
pub(super) struct Source<'text> {
    pub(super) path: &'text Path,
    pub(super) text: &'text str,
    line_starts: Vec<usize>,
}

impl<'text> Source<'text> {
    pub(super) fn new(path: &'text Path, text: &'text str) -> Self {
        // Some editors begin a file with a mark that is no part of its text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        Self { path, text, line_starts }
    }

    /// The line of an offset.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The place of an offset.
    pub(super) fn place(&self, offset: usize) -> FilePosition {
        let line = self.line(offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or_default();
        let rest = self.text.get(start..).unwrap_or_default();
        let column = rest.char_indices().take_while(|(index, _)| start + index < offset).count() + 1;
        FilePosition { path: self.path.to_owned(), line, column }
    }

    /// The offset of a line and a column, both from 1 and the column in bytes.
    pub(super) fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        start + column.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Source;
    use std::path::Path;

    #[test]
    fn places_are_counted_from_one_and_in_characters() {
        let source = Source::new(Path::new("f"), "é = 1\nab\n");
        let at = |offset| source.place(offset).to_string();
        assert_eq!(at(0), "f:1:1");
        assert_eq!(at(2), "f:1:2");
        assert_eq!(at(7), "f:2:1");
        assert_eq!(at(8), "f:2:2");
        assert_eq!(at(10), "f:3:1");
        assert_eq!(source.offset(2, 2), 8);
    }

    #[test]
    fn an_empty_text_and_a_far_offset_have_places() {
        assert_eq!(Source::new(Path::new("f"), "").place(0).to_string(), "f:1:1");
        assert_eq!(Source::new(Path::new("f"), "ab").place(99).to_string(), "f:1:3");
    }
}
