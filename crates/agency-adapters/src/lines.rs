//! Bytes into lines, whatever pieces they come in.
//!
//! The one rule: never more than [`MAX_LINE_BYTES`] bytes of a line are held.

use std::borrow::Cow;

/// A longer line is cut here.
pub(super) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line.
const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// One line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The text; bytes that are not UTF-8 are replaced.
    pub(super) text: Cow<'a, str>,
    /// How long the line really was, if it was cut.
    pub(super) cut_from: Option<u64>,
}

/// Collects lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of a line whose end has not come yet.
    half: Vec<u8>,
    /// How many bytes of that line were left out.
    skipped: u64,
}

impl Lines {
    /// Hands over every line that is complete with these bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(&Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            // The usual case, without a copy: the line begins and ends in this piece.
            if self.half.is_empty() && line.len() <= MAX_LINE_BYTES {
                each(&whole(line));
            } else {
                self.keep(line);
                self.deliver(&mut each);
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.keep(bytes);
    }

    /// Hands over the half line that is left, if any.
    pub(super) fn finish(&mut self, mut each: impl FnMut(&Line<'_>)) {
        if !self.half.is_empty() {
            self.deliver(&mut each);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES - self.half.len().min(MAX_LINE_BYTES);
        let (kept, left_out) = bytes.split_at(room.min(bytes.len()));
        self.half.extend_from_slice(kept);
        self.skipped += left_out.len() as u64;
    }

    fn deliver(&mut self, each: &mut impl FnMut(&Line<'_>)) {
        let length = self.half.len() as u64 + self.skipped;
        each(&match self.skipped {
            0 => whole(&self.half),
            _ => Line { text: String::from_utf8_lossy(&self.half), cut_from: Some(length) },
        });
        self.skipped = 0;
        self.half.clear();
        self.half.shrink_to(MAX_KEPT_BYTES);
    }
}

fn whole(line: &[u8]) -> Line<'_> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Several times as fast as looking for what has to be replaced, and almost every line is valid.
    let text = std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    Line { text, cut_from: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<(String, Option<u64>)> {
        let mut lines = Lines::default();
        let mut found = vec![];
        let mut each = |line: &Line<'_>| found.push((line.text.to_string(), line.cut_from));
        for piece in pieces {
            lines.feed(piece, &mut each);
        }
        lines.finish(&mut each);
        lines.finish(&mut each);
        found
    }

    #[test]
    fn lines_end_with_either_kind_of_end_and_the_last_one_needs_none() {
        let whole = |text: &str| (text.to_owned(), None);
        let expected = vec![whole("a"), whole("b"), whole(""), whole("c\rd"), whole("half")];
        assert_eq!(lines(&[b"a\nb\r\n\nc\rd\nhalf"]), expected);
        assert_eq!(lines(&[b"a\nb\r", b"\n", b"", b"\nc\rd", b"\nha", b"lf"]), expected);
        assert_eq!(lines(&[b""]), vec![]);
    }

    #[test]
    fn a_character_cut_by_a_piece_is_whole_and_a_broken_one_is_replaced() {
        let text = "ä€😀\n".as_bytes();
        for cut in 0..text.len() {
            assert_eq!(lines(&[&text[..cut], &text[cut..]]), vec![("ä€😀".to_owned(), None)]);
        }
        assert_eq!(lines(&[b"a\xffb\xf0\x9f\n"]), vec![("a\u{fffd}b\u{fffd}".to_owned(), None)]);
    }

    #[test]
    fn a_line_over_the_limit_is_cut_and_the_next_one_is_whole() {
        for (length, cut_from) in [(MAX_LINE_BYTES, None), (MAX_LINE_BYTES + 1, Some(MAX_LINE_BYTES as u64 + 1))] {
            let mut text = vec![b'x'; length];
            text.extend_from_slice(b"\nnext\n");
            let in_one = lines(&[&text]);
            assert_eq!(in_one[0].0.len(), MAX_LINE_BYTES);
            assert_eq!(in_one[0].1, cut_from);
            assert_eq!(in_one[1], ("next".to_owned(), None));
            let pieces: Vec<&[u8]> = text.chunks(999_983).collect();
            assert!(lines(&pieces) == in_one);
        }
    }

    #[test]
    fn no_more_than_the_limit_is_held_and_it_is_given_back() {
        let mut held = Lines::default();
        for _ in 0..64 {
            held.feed(&vec![b'x'; 1024 * 1024], |_| panic!("no line has ended"));
        }
        assert_eq!(held.half.len(), MAX_LINE_BYTES);
        assert!(held.half.capacity() <= 2 * MAX_LINE_BYTES);
        let mut cut_from = None;
        held.feed(b"\n", |line| cut_from = line.cut_from);
        assert_eq!(cut_from, Some(64 * 1024 * 1024));
        assert!(held.half.capacity() <= MAX_KEPT_BYTES);
    }
}
