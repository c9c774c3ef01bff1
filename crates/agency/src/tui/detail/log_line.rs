//! A line of a log as it is shown: with its colours, and without anything that moves the cursor.

use agency_model::spaced;
use ansi_to_tui::IntoText as _;
use ratatui::text::{Line, Span};

/// How much of a line is shown at most: no screen is wider.
const MAX_LINE_BYTES: usize = 4 * 1024;
const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;

/// A line of a log.
pub(in crate::tui) fn log_line(bytes: &[u8]) -> Line<'static> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = overwritten(bytes);
    let coloured = only_colours(bytes.get(..bytes.len().min(MAX_LINE_BYTES)).unwrap_or(bytes));
    let Ok(text) = coloured.into_text() else { return Line::default() };
    let spans = text.lines.into_iter().flat_map(|line| line.spans);
    spans.map(|span| Span::styled(spaced(&span.content), span.style)).collect()
}

/// What a terminal would show of a line that was written anew from its beginning: progress, for example.
fn overwritten(bytes: &[u8]) -> &[u8] {
    let mut parts = bytes.rsplit(|byte| *byte == b'\r');
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

/// The same without control sequences, except those for colours.
fn only_colours(bytes: &[u8]) -> String {
    let mut kept = vec![];
    let mut rest = bytes;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != ESCAPE {
            kept.push(*byte);
            continue;
        }
        match after.split_first() {
            Some((b'[', parameters)) => {
                let length = parameters.iter().position(|byte| !(b' '..=b'?').contains(byte));
                let (sequence, after) = parameters.split_at(length.map_or(parameters.len(), |length| length + 1));
                if let Some((b'm', numbers)) = sequence.split_last()
                    && numbers.iter().all(|byte| byte.is_ascii_digit() || *byte == b';')
                {
                    kept.extend(b"\x1b[");
                    kept.extend(sequence);
                }
                rest = after;
            }
            // Titles, links, pictures: up to a bell or ESC \.
            Some((b']' | b'P' | b'X' | b'^' | b'_', text)) => {
                let end = text.iter().position(|byte| *byte == BELL || *byte == ESCAPE).unwrap_or(text.len());
                let after = text.get(end..).unwrap_or_default();
                rest = after.strip_prefix(b"\x1b\\").or(after.strip_prefix(&[BELL])).unwrap_or(after);
            }
            Some((b' '..=b'/', alphabet)) => rest = alphabet.get(1..).unwrap_or_default(),
            Some((_, after)) => rest = after,
            None => {}
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Color;

    use super::*;

    fn text(bytes: &[u8]) -> String {
        log_line(bytes).spans.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn colours_stay_and_everything_else_goes() {
        let line = log_line(b"a\x1b[31mred\x1b[0m\x1b[2K\x1b]0;title\x07 b\x1b(B\x1b[?25lc\n");
        assert_eq!(line.spans.iter().map(|span| span.content.as_ref()).collect::<String>(), "ared bc");
        assert_eq!(line.spans[1].style.fg, Some(Color::Red));
        assert_eq!(text(b"x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\y"), "xlinky");
        assert_eq!(text(b"\xff\xfe ok"), "\u{fffd}\u{fffd} ok");
    }

    #[test]
    fn what_was_written_over_is_gone() {
        assert_eq!(text(b"10%\r20%\r100%\r\n"), "100%");
        assert_eq!(text(b"whole line\r\n"), "whole line");
        assert_eq!(text(b"\r\n"), "");
    }

    proptest! {
        #[test]
        fn no_bytes_leave_a_control_character(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let shown = text(&bytes);
            prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
        }
    }
}
