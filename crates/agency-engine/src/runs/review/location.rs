//! Where the lines of a comment are in the files as they are now.

use agency_model::review::{CommentPlace, FollowedLines, LineRange, Side, follow_lines, lines_of};
use agency_workspace::FileNow;
use schemars::JsonSchema;
use serde::Serialize;

use super::ReviewError;
use crate::store::{Anchor, CommentDraft, CommentRow};

/// Where what a comment is about is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CommentLocation {
    /// The file, which may have been renamed.
    pub path: String,
    /// The first line; absent for the whole file. For a comment on the base commit, a line of that.
    pub first_line: Option<u32>,
    /// The last line.
    pub last_line: Option<u32>,
    /// Whether the lines changed since the comment was written or sent.
    pub changed: bool,
    /// Whether the file is gone.
    pub gone: bool,
}

impl CommentLocation {
    /// The lines, if the comment is not about a whole file.
    #[must_use]
    pub fn lines(&self) -> Option<LineRange> {
        let (first, last) = self.first_line.zip(self.last_line)?;
        Some(LineRange { first, last })
    }

    fn new(path: &str, lines: Option<LineRange>) -> Self {
        let (first_line, last_line) = (lines.map(|lines| lines.first), lines.map(|lines| lines.last));
        Self { path: path.to_owned(), first_line, last_line, changed: false, gone: false }
    }
}

/// Finds the place of a comment in a file. `content` is what its anchor was in.
pub(super) fn locate(comment: &CommentRow, file: &FileNow, content: Option<&[u8]>) -> CommentLocation {
    let at = |lines| CommentLocation::new(&file.path, lines);
    let Some(now) = &file.now else {
        let gone = comment.anchor.blob.is_some();
        return CommentLocation { gone, ..CommentLocation::new(&comment.path, comment.lines) };
    };
    if comment.anchor.blob.as_ref() == Some(&now.blob) {
        return at(comment.lines);
    }
    let changed = |lines| CommentLocation { changed: true, ..at(lines) };
    let (Some(lines), Some(before), Some(after)) = (comment.lines, content, &now.content) else {
        return changed(comment.lines);
    };
    let followed = follow_lines(before, after, &comment.anchor.lines);
    let lines = match comment.side {
        Side::Old => lines,
        Side::New => numbered(followed.range()),
    };
    match followed {
        FollowedLines::Same(_) => at(Some(lines)),
        FollowedLines::Changed(_) => changed(Some(lines)),
    }
}

/// Lines counted from 1. For an empty place, the line that follows it.
fn numbered(range: &std::ops::Range<usize>) -> LineRange {
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let first = number(range.start.saturating_add(1));
    LineRange { first, last: number(range.end).max(first) }
}

/// A comment on a file, as it is stored: checked, with the text of its lines and the place that is followed.
pub(super) fn draft(place: &CommentPlace, body: &str, file: &FileNow) -> Result<CommentDraft, ReviewError> {
    let misplaced = |message: String| ReviewError::Misplaced { path: place.path.clone(), message };
    let version = match place.side {
        Side::Old => file.base.as_ref(),
        Side::New => file.now.as_ref(),
    };
    let other = match place.side {
        Side::Old => file.now.as_ref(),
        Side::New => file.base.as_ref(),
    };
    let whole = CommentDraft {
        path: file.path.clone(),
        side: place.side,
        lines: place.lines,
        quoted: String::new(),
        body: body.to_owned(),
        anchor: Anchor { blob: file.now.as_ref().map(|now| now.blob.clone()), lines: 0..0 },
        content: None,
    };
    let Some(lines) = place.lines else {
        return match version.or(other) {
            Some(_) => Ok(whole),
            None => Err(misplaced("there is no such file".to_owned())),
        };
    };
    let version = version.ok_or_else(|| match (place.side, other) {
        (Side::New, Some(_)) => {
            misplaced("the file was deleted; its old lines are named with a minus sign, as in FILE:-12:TEXT".to_owned())
        }
        (Side::Old, Some(_)) => misplaced("the file is not in the base commit".to_owned()),
        (_, None) => misplaced("there is no such file".to_owned()),
    })?;
    let content = version.content.as_deref().filter(|content| !content.contains(&0));
    let content =
        content.ok_or_else(|| misplaced("it is not a text file, or too large for comments on lines".to_owned()))?;
    let text = lines_of(content);
    let range = (lines.first - 1) as usize..lines.last as usize;
    let quoted = text.get(range.clone()).filter(|lines| !lines.is_empty());
    let missing = || match text.len() {
        1 => format!("there is no line {}: it has 1 line", lines.last),
        count => format!("there is no line {}: it has {count} lines", lines.last),
    };
    let quoted = quoted.ok_or_else(|| misplaced(missing()))?;
    let quoted: Vec<String> = quoted.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let now = file.now.as_ref().and_then(|now| now.content.as_deref());
    let followed = match (place.side, now) {
        (Side::New, _) => range,
        (Side::Old, Some(now)) => follow_lines(content, now, &range).range().clone(),
        (Side::Old, None) => 0..0,
    };
    Ok(CommentDraft {
        quoted: quoted.join("\n"),
        anchor: Anchor { lines: followed, ..whole.anchor },
        content: now.map(<[u8]>::to_vec),
        ..whole
    })
}

/// A stored comment with the place that it has now, which is followed from here on.
pub(super) fn moved(comment: &CommentRow, file: &FileNow, content: Option<&[u8]>) -> CommentDraft {
    let location = locate(comment, file, content);
    let now = file.now.as_ref();
    let after = now.and_then(|now| now.content.as_deref());
    let is_same = now.is_some_and(|now| comment.anchor.blob.as_ref() == Some(&now.blob));
    let lines = match (comment.lines, content, after) {
        (Some(_), Some(before), Some(after)) if !is_same => {
            follow_lines(before, after, &comment.anchor.lines).range().clone()
        }
        (_, _, _) => comment.anchor.lines.clone(),
    };
    CommentDraft {
        lines: location.lines(),
        path: location.path,
        side: comment.side,
        quoted: comment.quoted.clone(),
        body: comment.body.clone(),
        anchor: Anchor { blob: now.map(|now| now.blob.clone()), lines },
        content: comment.lines.and(after).map(<[u8]>::to_vec),
    }
}
