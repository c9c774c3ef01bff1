//! The text of a file, the positions in it, and excerpts of it.

use super::{Format, Mistake, Place, Reason};
use crate::Position;

/// An excerpt shows so many characters of a line.
const MAX_EXCERPT_CHARS: usize = 100;
/// Characters are counted up to every so many bytes, so that a column in a very long line is found quickly.
const COUNTED_BYTES: usize = 256;

/// A text with the name that users know its file by.
#[derive(Debug, Clone)]
pub struct Source<'text> {
    file: String,
    text: &'text str,
    format: Format,
    line_starts: Vec<usize>,
    /// How many characters begin before each block of `COUNTED_BYTES`.
    characters: Vec<usize>,
    has_excerpts: bool,
}

impl<'text> Source<'text> {
    /// Takes a text. Its lines may hold secrets, so that mistakes do not repeat them.
    #[must_use]
    pub fn new(file: &str, text: &'text str, format: Format) -> Self {
        // Some editors begin a file with a mark that is not part of its text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
        let characters = text.as_bytes().chunks(COUNTED_BYTES).scan(0, |sum, block| {
            let before = *sum;
            *sum += characters_in(block);
            Some(before)
        });
        let characters = characters.collect();
        Self { file: file.to_owned(), text, format, line_starts, characters, has_excerpts: false }
    }

    /// Takes a text whose lines are shown with the mistakes in them.
    #[must_use]
    pub fn with_excerpts(file: &str, text: &'text str) -> Self {
        Self { has_excerpts: true, ..Self::new(file, text, Format::Yaml) }
    }

    /// The text, without the mark that it may begin with.
    #[must_use]
    pub const fn text(&self) -> &'text str {
        self.text
    }

    /// The format, for the words of messages.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The position of an offset in bytes.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        Position { line, column: self.characters_before(offset) - self.characters_before(start) + 1 }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let block = (offset / COUNTED_BYTES).min(self.characters.len().saturating_sub(1));
        let counted = self.characters.get(block).copied().unwrap_or_default();
        counted + characters_in(self.text.as_bytes().get(block * COUNTED_BYTES..offset).unwrap_or_default())
    }

    /// The position of a line and a column in bytes, both from 1.
    pub(super) fn position_of_bytes(&self, line: usize, column: usize) -> Position {
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        self.position(start + column.saturating_sub(1))
    }

    /// A mistake at a position of this file.
    #[must_use]
    pub fn mistake(&self, at: Position, message: impl Into<String>) -> Mistake {
        let excerpt = if self.has_excerpts { self.excerpt(at) } else { String::new() };
        let place = Place { file: self.file.clone(), position: Some(at), excerpt };
        Mistake { place: Some(Box::new(place)), ..Mistake::new(Reason::Value, message) }
    }

    /// A mistake that was found without its file, at its position there.
    #[must_use]
    pub fn placed(&self, mistake: Mistake, at: Position) -> Mistake {
        Mistake { place: self.mistake(at, "").place, ..mistake }
    }

    /// The line and a mark below the position in it; empty where the file has no such line.
    fn excerpt(&self, at: Position) -> String {
        let Some(line) = at.line.checked_sub(1).and_then(|index| self.line(index)) else {
            return String::new();
        };
        // Of a very long line, only the part around the position.
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

    fn line(&self, index: usize) -> Option<&'text str> {
        let start = *self.line_starts.get(index)?;
        self.text.get(start..)?.lines().next()
    }
}

/// How many characters begin in these bytes of a text.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{Format, Position, Source};

    #[test]
    fn positions_are_counted_from_one_and_in_characters() {
        let source = Source::new("f", "é = 1\nab\n", Format::Toml);
        let at = |offset| {
            let Position { line, column } = source.position(offset);
            (line, column)
        };
        assert_eq!([at(0), at(2), at(7), at(8), at(10)], [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]);
        assert_eq!(source.position_of_bytes(2, 2), source.position(8));
        assert_eq!(source.mistake(source.position(8), "wrong").to_string(), "f:2:2: wrong");
    }

    #[test]
    fn a_column_of_a_long_line_is_exact() {
        let text = format!("x\n{}b", "aé".repeat(1000));
        let source = Source::new("f", &text, Format::Toml);
        assert_eq!(source.position(text.len() - 1), Position { line: 2, column: 2001 });
        assert_eq!(source.position(2 + 3 * 500 + 1), Position { line: 2, column: 1002 });
    }

    #[test]
    fn an_empty_text_and_a_far_offset_have_positions() {
        assert_eq!(Source::new("f", "", Format::Toml).position(0), Position::START);
        assert_eq!(Source::new("f", "ab", Format::Toml).position(99), Position { line: 1, column: 3 });
    }

    #[test]
    fn only_a_file_without_secrets_is_quoted() {
        let text = "a\nsecret";
        let at = Position { line: 2, column: 3 };
        assert_eq!(Source::new("f", text, Format::Toml).mistake(at, "").excerpt(), "");
        assert_eq!(Source::with_excerpts("f", text).mistake(at, "").excerpt(), "2 | secret\n  |   ^");
    }
}
