//! Text from outside, made safe to show on a terminal.
//!
//! The one rule: what could move the cursor, reorder the text, or be there without being seen is shown as an escape
//! such as `\x1b` or `\u{202e}`; everything else stays as it is.

mod stream;

pub use stream::{Escaper, Sgr};

/// A text of several lines: newlines and tabs stay. Spaces that look like the usual one are shown.
#[must_use]
pub fn escaped_text(text: &str) -> String {
    escaped(None, text, |letter| matches!(letter, '\n' | '\t') || !(is_deceptive(letter) || is_other_space(letter)))
}

/// A piece of a log or a file that continues after a character. Screens and prose are made with wide and fixed spaces, so
/// those stay.
fn escaped_piece(before: Option<char>, text: &str) -> String {
    escaped(before, text, |letter| matches!(letter, '\n' | '\t') || !is_deceptive(letter))
}

/// A text that has to stay on one line, such as a name or a command.
#[must_use]
pub fn escaped_line(text: &str) -> String {
    escaped(None, text, |letter| !is_deceptive(letter) && !is_other_space(letter))
}

/// A JSON document whose strings mean the same, and in which nothing deceives on a terminal.
#[must_use]
pub fn escaped_json(document: &str) -> String {
    let mut shown = String::with_capacity(document.len());
    for letter in document.chars() {
        match letter {
            // Strings have no such characters as they are, so this one stands between two values.
            '\r' => shown.push(' '),
            '\n' | '\t' => shown.push(letter),
            letter if is_deceptive(letter) => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    shown.push_str("\\u");
                    shown.extend([12, 8, 4, 0].map(|shift| digit(*unit >> shift)));
                }
            }
            letter => shown.push(letter),
        }
    }
    shown
}

fn escaped(before: Option<char>, text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = before;
    for letter in text.chars() {
        if stays(letter) || is_emoji_style(before, letter) {
            shown.push(letter);
        } else {
            push_escape(letter, &mut shown);
        }
        before = Some(letter);
    }
    shown
}

/// The escape that stands for a character.
fn push_escape(letter: char, shown: &mut String) {
    match letter {
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push_str("\\t"),
        '\r' => shown.push_str("\\r"),
        '\0'..='\x7f' => push_byte(letter as u8, shown),
        letter => shown.extend(letter.escape_unicode()),
    }
}

/// The escape that stands for a byte.
fn push_byte(byte: u8, shown: &mut String) {
    shown.push_str("\\x");
    shown.extend([4, 0].map(|shift| digit(u16::from(byte) >> shift)));
}

/// The last hexadecimal digit of a number.
fn digit(number: u16) -> char {
    char::from_digit(u32::from(number & 0xf), 16).unwrap_or('0')
}

/// Whether a character moves the cursor, changes the order of others, or takes no room of its own.
fn is_deceptive(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a character looks like the usual space.
const fn is_other_space(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Whether a character only says how the symbol before it is drawn, as in most emoji.
const fn is_emoji_style(before: Option<char>, letter: char) -> bool {
    let symbol = matches!(before, Some('\u{a9}' | '\u{ae}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'));
    symbol && matches!(letter, '\u{fe0e}' | '\u{fe0f}')
}

#[cfg(test)]
mod tests;
