//! Text for reading: without colours, tabs and hidden characters, and in pieces of a limited length.

use crate::escape::{escaped_line, escaped_text};

/// The distance of tab stops.
const TAB: usize = 4;
/// The length of a text on one line, in characters.
const MAX_LINE_CHARS: usize = 200;

/// A text up to so many bytes, and the rest.
#[must_use]
pub fn cut(text: &str, most: usize) -> (&str, &str) {
    let at = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.split_at(at.unwrap_or_default())
}

/// A text without colours and emphasis, with tabs as spaces. Every other sequence is shown, since it could hide what
/// stands in it.
#[must_use]
pub fn plain_text(text: &str) -> String {
    spaced(&without_colours(text).replace("\r\n", "\n"))
}

/// A text without the sequences that only change how the characters after them look.
fn without_colours(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(start);
        kept.push_str(before);
        let parameters = &sequence[2..];
        let end = parameters.find(|letter: char| !matches!(letter, '0'..='9' | ';' | ':')).unwrap_or(parameters.len());
        if let Some(after) = parameters[end..].strip_prefix('m') {
            rest = after;
        } else {
            kept.push_str(&sequence[..2]);
            rest = parameters;
        }
    }
    kept.push_str(rest);
    kept
}

/// A text with tabs as spaces and without hidden characters; only newlines are kept.
#[must_use]
pub fn spaced(text: &str) -> String {
    Spacer::default().push(text)
}

/// The same for a text that comes in pieces.
#[derive(Debug, Default)]
pub struct Spacer {
    column: usize,
}

impl Spacer {
    /// The next piece.
    #[must_use]
    pub fn push(&mut self, text: &str) -> String {
        let text = escaped_text(text);
        let mut spaced = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                '\t' => {
                    let spaces = TAB - self.column % TAB;
                    spaced.extend(std::iter::repeat_n(' ', spaces));
                    self.column += spaces;
                }
                '\n' => {
                    spaced.push('\n');
                    self.column = 0;
                }
                letter => {
                    spaced.push(letter);
                    self.column += 1;
                }
            }
        }
        spaced
    }
}

/// A text of any length on one line of at most 200 characters, with nothing in it that moves the cursor.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_ascii_whitespace() {
        line.extend((!line.is_empty()).then_some(' '));
        let begin: String = word.chars().take(MAX_LINE_CHARS + 1).collect();
        line.push_str(&escaped_line(&begin));
        if line.chars().count() > MAX_LINE_CHARS {
            return line.chars().take(MAX_LINE_CHARS - 1).chain(['…']).collect();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_moves_the_cursor_or_is_hidden() {
        assert_eq!(plain_text("a\tb\u{1b}[31mred\u{1b}[0m\r\nc\u{7}"), "a   bred\nc\\x07");
        assert_eq!(plain_text("ok \x1b]0;; touch x;\x07"), "ok \\x1b]0;; touch x;\\x07");
        assert_eq!(plain_text("\x1b[38:5:1mred\x1b[2Kgone\x1b["), "red\\x1b[2Kgone\\x1b[");
    }

    #[test]
    fn tabs_reach_the_same_columns_in_any_pieces() {
        let mut spacer = Spacer::default();
        assert_eq!(
            format!("{}{}{}", spacer.push("ab"), spacer.push("\tc"), spacer.push("\n\td")),
            spaced("ab\tc\n\td")
        );
    }

    #[test]
    fn a_long_text_becomes_one_short_line() {
        assert_eq!(one_line(" a\nb\u{1b}[2J\r\n\tc  "), "a b\\x1b[2J c");
        assert_eq!(one_line("rm \u{202e}x\u{200b}"), "rm \\u{202e}x\\u{200b}");
        assert_eq!(one_line(""), "");
        let fitting = "ä".repeat(MAX_LINE_CHARS);
        assert_eq!(one_line(&fitting), fitting);
        for long in ["ä".repeat(MAX_LINE_CHARS + 1), "word ".repeat(MAX_LINE_CHARS), format!("{fitting} b")] {
            let line = one_line(&long);
            assert!(line.ends_with('…') && line.chars().count() <= MAX_LINE_CHARS, "{line}");
        }
    }
}
