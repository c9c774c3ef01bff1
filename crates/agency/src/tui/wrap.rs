//! Text that fits: without control characters, and in rows of a given width.

use std::ops::Range;

use agency_model::spaced;
use ratatui::text::Span;

/// How many columns a character takes.
fn columns(letter: char) -> usize {
    match letter {
        ' '..='~' => 1,
        other => Span::raw(other.encode_utf8(&mut [0; 4]) as &str).width(),
    }
}

/// Where the rows of a text begin and end, broken between words where possible; at least one row.
pub(super) fn breaks(text: &str, width: u16) -> Vec<Range<usize>> {
    let width = usize::from(width.max(1));
    let mut rows = vec![];
    let (mut start, mut used) = (0, 0);
    // Behind the last space of the row, and how much of the row stands before that.
    let mut space: Option<(usize, usize)> = None;
    for (at, letter) in text.char_indices() {
        let wide = columns(letter);
        if used + wide > width && at > start && letter == ' ' {
            // A space at the edge is where the row ends.
            rows.push(start..at);
            (start, used, space) = (at + 1, 0, None);
            continue;
        }
        // A wide character may not even fit behind the word that it belongs to.
        while used + wide > width && at > start {
            let (next, before) = space.take().unwrap_or((at, used));
            rows.push(start..start + text[start..next].trim_end_matches(' ').len());
            (start, used) = (next, used - before);
        }
        used += wide;
        if letter == ' ' && text[start..at].bytes().any(|byte| byte != b' ') {
            space = Some((at + 1, used));
        }
    }
    rows.push(start.min(text.len())..text.len());
    rows
}

/// The lines of a text, none wider than this.
pub(super) fn wrap(text: &str, width: u16) -> Vec<String> {
    let text = spaced(text);
    text.lines().flat_map(|line| breaks(line, width).into_iter().map(|row| line[row].to_owned())).collect()
}

/// The same with something before the first line, and as much room before the others.
pub(super) fn wrap_after(before: &str, text: &str, width: u16) -> Vec<String> {
    let indent = Span::raw(before).width();
    let left = usize::from(width).saturating_sub(indent);
    let wrapped = wrap(text, u16::try_from(left).unwrap_or(u16::MAX));
    let room = " ".repeat(indent);
    let lines = wrapped.iter().enumerate();
    lines.map(|(index, line)| format!("{}{line}", if index == 0 { before } else { &room })).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str, width: u16) -> Vec<&str> {
        breaks(text, width).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn rows_break_between_words() {
        assert_eq!(pieces("", 5), [""]);
        assert_eq!(pieces("one two three", 7), ["one two", "three"]);
        assert_eq!(pieces("one two three", 8), ["one two", "three"]);
        assert_eq!(pieces("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(pieces("  indented text", 10), ["  indented", "text"]);
        assert_eq!(pieces("漢字漢字", 5), ["漢字", "漢字"]);
    }

    #[test]
    fn every_line_of_a_text_is_wrapped_by_itself() {
        assert_eq!(wrap("one\n\n\ttwo", 20), ["one", "", "    two"]);
        assert_eq!(wrap_after("1. ", "a b c d", 6), ["1. a b", "   c d"]);
        assert_eq!(wrap("safe\x1b[2J\x07\rnot", 40), ["safe\\x1b[2J\\x07\\rnot"]);
        // A question is shown as `agency inbox` shows it.
        let looks_alike = "rm\u{2800}-r\u{a0}a\u{3000}b\u{202f}c";
        assert_eq!(wrap(looks_alike, 80), [r"rm\u{2800}-r\u{a0}a\u{3000}b\u{202f}c"]);
    }

    proptest! {
        #[test]
        fn rows_fit_and_lose_nothing_but_spaces(text in "[a-z 漢é]{0,80}", width in 1u16..30) {
            let rows = breaks(&text, width);
            let mut end = 0;
            for row in &rows {
                prop_assert!(row.start >= end && text[end..row.start].chars().all(|letter| letter == ' '));
                end = row.end;
                let wide = Span::raw(&text[row.clone()]).width();
                prop_assert!(wide <= usize::from(width) || text[row.clone()].chars().count() == 1, "{:?}", rows);
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
