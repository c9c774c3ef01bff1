//! Comments as the agent receives them: one message.

use std::fmt::Write;

use super::{CommentPlace, Side};
use crate::escape::{escaped_line, escaped_text};

/// A comment with a longer quotation is sent with its first lines.
const MAX_QUOTED_LINES: usize = 20;

/// A comment as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentComment<'a> {
    /// What it is about, as the file is now.
    pub place: CommentPlace,
    /// What happened to the place since the review, if anything.
    pub note: Option<&'static str>,
    /// The lines that were reviewed.
    pub quoted: &'a str,
    /// Its text.
    pub body: &'a str,
}

/// The message with the comments of a review.
#[must_use]
pub fn review_message(comments: &[SentComment<'_>]) -> String {
    let count = comments.len();
    let mut text = match count {
        1 => "Your changes were reviewed. There is one comment. Please change the files accordingly.\n".to_owned(),
        _ => format!("Your changes were reviewed. There are {count} comments. Please change the files accordingly.\n"),
    };
    for (number, comment) in (1..).zip(comments) {
        let CommentPlace { path, side, lines } = &comment.place;
        let path = escaped_line(path);
        let place = match (lines, side) {
            (None, _) => path,
            (Some(lines), Side::New) => format!("{path}, {} {lines}", plural(lines.first, lines.last)),
            (Some(lines), Side::Old) => {
                format!("{path}, {} {lines} of the base commit", plural(lines.first, lines.last))
            }
        };
        let note = comment.note.map_or_else(String::new, |note| format!(" ({note})"));
        // Writing to a string does not fail.
        let _ = write!(text, "\n{number}. {place}{note}:\n");
        let mut quoted = comment.quoted.lines();
        for line in quoted.by_ref().take(MAX_QUOTED_LINES) {
            let _ = writeln!(text, "> {}", escaped_text(line));
        }
        if quoted.next().is_some() {
            text.push_str("> …\n");
        }
        text.push_str(escaped_text(comment.body).trim_end());
        text.push('\n');
    }
    text
}

const fn plural(first: u32, last: u32) -> &'static str {
    if first == last { "line" } else { "lines" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::LineRange;

    #[test]
    fn all_comments_are_one_message() {
        let place = |lines| CommentPlace { path: "a\u{1b}b.rs".to_owned(), side: Side::New, lines };
        let first =
            SentComment { place: place(Some(LineRange::one(3))), note: None, quoted: "let\tx;", body: "Why?\u{1b}" };
        let second = SentComment { place: place(None), note: Some("the file is gone"), quoted: "", body: "Keep it." };
        assert_eq!(
            review_message(&[first, second]),
            "Your changes were reviewed. There are 2 comments. Please change the files accordingly.\n\
             \n1. a\\x1bb.rs, line 3:\n> let\tx;\nWhy?\\x1b\n\n2. a\\x1bb.rs (the file is gone):\nKeep it.\n"
        );
    }
}
