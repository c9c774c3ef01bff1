//! The comments on the lines of a diff, and what a new comment would be about.

use agency_model::patch::{PatchFile, SidePair};
use agency_model::review::{CommentPlace, Side};
use ratatui::text::{Line, Span};

use super::Changes;
use crate::tui::detail::Anchor;
use crate::tui::theme::{Role, Theme};

/// A comment on a line or a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::tui) struct LineComment {
    /// The file as it is shown.
    pub(in crate::tui) path: String,
    pub(in crate::tui) side: Side,
    /// The last of its lines; none for the whole file.
    pub(in crate::tui) line: Option<u32>,
    pub(in crate::tui) words: String,
}

/// What a comment is to be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tui) struct Commented {
    pub(in crate::tui) place: CommentPlace,
    /// The line.
    pub(in crate::tui) text: String,
}

impl Changes {
    /// Takes in the comments on the lines.
    pub(in crate::tui) fn comment(&mut self, comments: Vec<LineComment>) {
        self.comments = comments;
    }

    /// What a comment on a row is about: the line, or the file.
    pub(in crate::tui) fn commented(&self, at: Anchor, width: u16) -> Option<Commented> {
        // The lines of one turn are not those that a review is about.
        if self.timeline.is_some() {
            return None;
        }
        let file = self.file(at.item)?;
        let index = at.row.checked_sub(1).and_then(|row| match self.pairs(at.item, width) {
            Some(pairs) => match pairs.get(row)? {
                SidePair::Across(index) => Some(*index),
                SidePair::Both { old, new } => new.or(*old),
            },
            None => Some(row),
        });
        let text = index.and_then(|index| file.lines.get(index)).map_or("", |line| self.patch.code(line));
        Some(Commented { place: file.comment_place(index), text: text.to_owned() })
    }

    /// The comments on a line, or without a line those on the file as a whole.
    pub(super) fn said(&self, file: &PatchFile, index: Option<usize>) -> Vec<&LineComment> {
        if self.comments.is_empty() {
            return vec![];
        }
        let place = file.comment_place(index);
        let is_about = |comment: &&LineComment| {
            let is_side = place.lines.is_none() || comment.side == place.side;
            comment.path == place.path && is_side && comment.line == place.lines.map(|lines| lines.last)
        };
        // A heading of a hunk is not the file.
        let is_line = index.is_none() || place.lines.is_some();
        self.comments.iter().filter(|_| is_line).filter(is_about).collect()
    }

    /// Adds the comments at the end of a line.
    pub(super) fn with_comments(line: Line<'static>, said: &[&LineComment], theme: Theme) -> Line<'static> {
        let mut line = line;
        for comment in said {
            let words = format!("  {} {}", theme.glyph("◆", "*"), comment.words);
            line.spans.push(Span::styled(words, theme.style(Role::Urgent)));
        }
        line
    }
}
