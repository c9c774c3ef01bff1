//! What goes to the terminal: a whole frame in one piece, and the sixteen colours as every terminal knows them.
//!
//! The library that draws names even the first sixteen colours by the sequences of 256, which not every terminal has.

use std::io::{self, Write};

/// Collects a frame, and writes it when it is flushed.
#[derive(Debug)]
pub(super) struct Canvas<W> {
    terminal: W,
    frame: Vec<u8>,
}

impl<W> Canvas<W> {
    pub(super) const fn new(terminal: W) -> Self {
        Self { terminal, frame: vec![] }
    }
}

impl<W: Write> Write for Canvas<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let frame = with_plain_colours(&std::mem::take(&mut self.frame));
        self.terminal.write_all(&frame)?;
        self.terminal.flush()
    }
}

/// The same with the first sixteen colours in their old form.
fn with_plain_colours(frame: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(frame.len());
    let mut rest = frame;
    while let Some(begin) = rest.windows(2).position(|pair| pair == b"\x1b[") {
        let (before, sequence) = rest.split_at(begin + 2);
        plain.extend_from_slice(before);
        let length = sequence.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';')).unwrap_or(sequence.len());
        let (parameters, after) = sequence.split_at(length);
        match after.first() {
            Some(b'm') => plain.extend_from_slice(plain_style(parameters).as_bytes()),
            Some(_) | None => plain.extend_from_slice(parameters),
        }
        rest = after;
    }
    plain.extend_from_slice(rest);
    plain
}

fn plain_style(parameters: &[u8]) -> String {
    let text = String::from_utf8_lossy(parameters);
    let mut words = text.split(';');
    let mut plain: Vec<String> = vec![];
    while let Some(word) = words.next() {
        let ahead = words.clone();
        match (word, words.next(), words.next().and_then(|number| number.parse::<u16>().ok())) {
            ("38", Some("5"), Some(number @ 0..8)) => plain.push((30 + number).to_string()),
            ("38", Some("5"), Some(number @ 8..16)) => plain.push((82 + number).to_string()),
            ("48", Some("5"), Some(number @ 0..8)) => plain.push((40 + number).to_string()),
            ("48", Some("5"), Some(number @ 8..16)) => plain.push((92 + number).to_string()),
            ("38" | "48", Some("5"), Some(number)) => {
                plain.extend([word.to_owned(), "5".to_owned(), number.to_string()]);
            }
            ("38" | "48", Some("2"), Some(red)) => {
                plain.extend([word.to_owned(), "2".to_owned(), red.to_string()]);
                plain.extend(words.by_ref().take(2).map(str::to_owned));
            }
            (_, _, _) => {
                plain.push(word.to_owned());
                words = ahead;
            }
        }
    }
    plain.join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        String::from_utf8(with_plain_colours(text.as_bytes())).unwrap()
    }

    #[test]
    fn the_first_sixteen_colours_are_named_as_ever() {
        assert_eq!(plain("a\x1b[38;5;4mb\x1b[48;5;9;1mc"), "a\x1b[34mb\x1b[101;1mc");
        assert_eq!(plain("\x1b[1;38;5;12;48;5;0m"), "\x1b[1;94;40m");
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let others = "\x1b[38;5;16m\x1b[48;2;38;5;4m\x1b[0m\x1b[m\x1b[2;38H38;5;4m\x1b[?25l\x1b]52;c;38;5;4m\x07\x1b[3";
        assert_eq!(plain(others), others);
    }

    #[test]
    fn a_frame_is_written_in_one_piece_when_it_is_complete() {
        let mut canvas = Canvas::new(vec![]);
        canvas.write_all(b"\x1b[38;").unwrap();
        canvas.write_all(b"5;1mred").unwrap();
        assert_eq!(canvas.terminal, b"");
        canvas.flush().unwrap();
        assert_eq!(canvas.terminal, b"\x1b[31mred");
    }
}
