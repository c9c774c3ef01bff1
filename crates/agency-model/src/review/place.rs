//! What a comment is about: a file, or lines of one of its two versions.

use std::fmt;
use std::str::FromStr;

use super::{NewComment, Side};

/// Lines of a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl LineRange {
    /// One line.
    #[must_use]
    pub const fn one(line: u32) -> Self {
        Self { first: line, last: line }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(formatter, "{}", self.first)
        } else {
            write!(formatter, "{}-{}", self.first, self.last)
        }
    }
}

/// What a comment is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentPlace {
    /// The path below the workspace, as it is or as it is shown.
    pub path: String,
    /// The version of the file.
    pub side: Side,
    /// The lines; `None` for the whole file.
    pub lines: Option<LineRange>,
}

/// Why a text names no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MisplacedComment {
    /// There is no `:` with a place before it.
    #[error("'{0}' is not FILE:LINE:TEXT, FILE:FIRST-LAST:TEXT or FILE::TEXT")]
    NoPlace(String),
    /// The lines are not lines.
    #[error("'{0}' are not lines of a file: they begin at 1, and the last is not before the first")]
    NoLines(String),
    /// There is nothing after the place.
    #[error("the comment on {0} is empty")]
    Empty(String),
}

/// Reads `12`, `12-14`, `-12` and `-12-14`, where a minus sign before the lines means the old version, and nothing, which
/// means the whole file.
pub(super) fn read_lines(text: &str) -> Option<(Side, Option<LineRange>)> {
    if text.is_empty() {
        return Some((Side::New, None));
    }
    let (side, numbers) = text.strip_prefix('-').map_or((Side::New, text), |numbers| (Side::Old, numbers));
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let lines = LineRange { first: number(first)?, last: number(last)? };
    (lines.first >= 1 && lines.first <= lines.last).then_some((side, Some(lines)))
}

/// Whether a text looks like lines, so that a file name that has colons is read to its end.
fn looks_like_lines(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && text.len() <= 22
}

impl FromStr for NewComment {
    type Err = MisplacedComment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let colons: Vec<usize> = text.match_indices(':').map(|(at, _)| at).collect();
        let found = colons.windows(2).find_map(|pair| {
            let [first, second] = pair else { return None };
            let lines = text.get(first + 1..*second)?;
            let path = text.get(..*first).filter(|path| !path.is_empty())?;
            looks_like_lines(lines).then(|| (path, lines, text.get(second + 1..).unwrap_or_default()))
        });
        let Some((path, lines, body)) = found else { return Err(MisplacedComment::NoPlace(text.to_owned())) };
        let (side, lines) = read_lines(lines).ok_or_else(|| MisplacedComment::NoLines(lines.to_owned()))?;
        let body = body.trim();
        if body.is_empty() {
            return Err(MisplacedComment::Empty(path.to_owned()));
        }
        Ok(Self { place: CommentPlace { path: path.to_owned(), side, lines }, body: body.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, Side, Option<LineRange>, String), MisplacedComment> {
        text.parse::<NewComment>().map(|new| (new.place.path, new.place.side, new.place.lines, new.body))
    }

    #[test]
    fn a_comment_names_its_file_and_lines() {
        let lines = |first, last| Some(LineRange { first, last });
        let text = |text: &str| text.to_owned();
        assert_eq!(read("src/a.rs:12:why: so"), Ok((text("src/a.rs"), Side::New, lines(12, 12), text("why: so"))));
        assert_eq!(read("a:b:3-5: x "), Ok((text("a:b"), Side::New, lines(3, 5), text("x"))));
        assert_eq!(read("a:-3-5:x"), Ok((text("a"), Side::Old, lines(3, 5), text("x"))));
        assert_eq!(read("a::x\ny"), Ok((text("a"), Side::New, None, text("x\ny"))));
        assert_eq!(read("a"), Err(MisplacedComment::NoPlace(text("a"))));
        assert_eq!(read("a:x:y"), Err(MisplacedComment::NoPlace(text("a:x:y"))));
        assert_eq!(read("a:0:y"), Err(MisplacedComment::NoLines(text("0"))));
        assert_eq!(read("a:5-3:y"), Err(MisplacedComment::NoLines(text("5-3"))));
        assert_eq!(read("a:99999999999:y"), Err(MisplacedComment::NoLines(text("99999999999"))));
        assert_eq!(read("a:1: "), Err(MisplacedComment::Empty(text("a"))));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            let _ = text.parse::<NewComment>();
        }
    }
}
