//! Text without control sequences, from bytes that come in any pieces.
//!
//! The one rule: any pieces of the same bytes give the same text.

mod movement;

use movement::Movement;

/// The maximum length of a device control string without an end; it is dropped.
const MAX_DCS_BYTES: usize = 1024 * 1024;

/// Takes the control sequences out of a stream. The bytes stay the truth; the text is for reading.
///
/// Of all control characters the text holds only tabs, newlines, carriage returns and form feeds. A byte that is not
/// UTF-8 becomes U+FFFD.
///
/// A terminal swallows everything after a sequence without an end. Here a newline ends every sequence, so that an
/// agent killed in the middle of one costs a line and not the rest of the log. Only a device control string continues
/// across lines, because pictures have them; it is given up after a megabyte.
#[derive(Debug, Clone, Default)]
pub struct AnsiStripper {
    state: SequenceState,
    half: HalfCharacter,
    movement: Option<Movement>,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SequenceState {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// `ESC (` and its like, up to a letter: which alphabet is meant.
    Charset,
    /// `ESC [`, up to a letter.
    Csi,
    /// `ESC ]`: titles, links, the clipboard.
    Osc,
    /// `ESC X`, `ESC ^`, `ESC _`: for programs, not for the screen.
    Message,
    /// `ESC P`: pictures, answers to questions. How much it has swallowed.
    Dcs(usize),
}

const BELL: u8 = 0x07;
const FORM_FEED: u8 = 0x0c;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const ESCAPE: u8 = 0x1b;
const DELETE: u8 = 0x7f;

impl AnsiStripper {
    /// A cleaner for a new stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A cleaner for a new stream that puts spaces and newlines where the cursor moved, so that words and lines stay apart.
    #[must_use]
    pub fn keeping_words() -> Self {
        Self { movement: Some(Movement::default()), ..Self::default() }
    }

    /// The text that is complete with these bytes.
    #[must_use]
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let mut rest = bytes;
        loop {
            rest = match self.state {
                SequenceState::Text => {
                    let (run, after) = split_run(rest, is_text);
                    self.print(run, &mut text);
                    after
                }
                SequenceState::Csi => {
                    let (parameters, after) = split_run(rest, |byte| matches!(byte, b' '..=b'?'));
                    if let Some(movement) = &mut self.movement {
                        movement.parameters(parameters);
                    }
                    after
                }
                SequenceState::Osc | SequenceState::Message => split_run(rest, |byte| byte >= b' ').1,
                SequenceState::Escape | SequenceState::Charset | SequenceState::Dcs(_) => rest,
            };
            let Some((byte, after)) = rest.split_first() else { return text };
            self.step(*byte, &mut text);
            rest = after;
        }
    }

    /// What is left when no more bytes come: the sign for a broken character, if one was begun.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        self.half.give_up(&mut text);
        self.state = SequenceState::Text;
        text
    }

    /// Appends characters, after what the movements before them stand for.
    fn print(&mut self, bytes: &[u8], text: &mut String) {
        if let (Some(movement), Some(first)) = (&mut self.movement, bytes.first()) {
            movement.before(*first, text);
        }
        self.half.decode(bytes, text);
        if let Some(movement) = &mut self.movement {
            movement.printed(bytes);
        }
    }

    /// One byte that is not plain text.
    fn step(&mut self, byte: u8, text: &mut String) {
        self.half.give_up(text);
        if let Some(movement) = &mut self.movement {
            match self.state {
                SequenceState::Escape => movement.escape(byte),
                SequenceState::Csi => movement.control(byte),
                SequenceState::Text
                | SequenceState::Charset
                | SequenceState::Osc
                | SequenceState::Message
                | SequenceState::Dcs(_) => {}
            }
        }
        self.state = match (self.state, byte) {
            (_, ESCAPE) => SequenceState::Escape,
            (_, CANCEL | SUBSTITUTE) => SequenceState::Text,
            (SequenceState::Dcs(length), _) if length < MAX_DCS_BYTES => SequenceState::Dcs(length + 1),
            (SequenceState::Dcs(_), _) => SequenceState::Text,
            (SequenceState::Osc, BELL) => SequenceState::Text,
            (SequenceState::Osc | SequenceState::Message, _) if byte != b'\n' => self.state,
            // Either a newline ends the sequence, or a terminal obeys it and the sequence continues.
            (_, b'\n' | b'\r' | b'\t' | FORM_FEED) => {
                text.push(char::from(byte));
                if byte == b'\n' { SequenceState::Text } else { self.state }
            }
            (_, 0x00..0x20 | DELETE) => self.state,
            (SequenceState::Escape, b'[') => SequenceState::Csi,
            (SequenceState::Escape, b']') => SequenceState::Osc,
            (SequenceState::Escape, b'P') => SequenceState::Dcs(0),
            (SequenceState::Escape, b'X' | b'^' | b'_') => SequenceState::Message,
            (SequenceState::Escape | SequenceState::Charset, b' '..=b'/') => SequenceState::Charset,
            (SequenceState::Csi, b' '..=b'?') => SequenceState::Csi,
            (SequenceState::Escape | SequenceState::Charset | SequenceState::Csi, ..DELETE) => SequenceState::Text,
            // No sequence has such a byte: the sequence was broken off, and this is text again.
            (_, b' '..) => {
                self.print(&[byte], text);
                SequenceState::Text
            }
        };
    }
}

/// The bytes up to the first that is of another kind, and the rest.
fn split_run(bytes: &[u8], is_kind: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().position(|byte| !is_kind(*byte)).unwrap_or(bytes.len()))
}

fn is_text(byte: u8) -> bool {
    IS_TEXT[usize::from(byte)]
}

/// Looking it up is four times as fast as comparing.
static IS_TEXT: [bool; 256] = {
    let mut is_text = [true; 256];
    let mut byte = 0;
    while byte < b' ' {
        is_text[byte as usize] = matches!(byte, b'\t' | b'\n' | b'\r' | FORM_FEED);
        byte += 1;
    }
    is_text[DELETE as usize] = false;
    is_text
};

/// The bytes of a character whose end has not come yet.
#[derive(Debug, Clone, Default)]
struct HalfCharacter {
    bytes: Vec<u8>,
}

impl HalfCharacter {
    /// Appends the characters of `bytes`, with a sign for whatever is none.
    fn decode(&mut self, bytes: &[u8], text: &mut String) {
        let mut rest = self.complete(bytes, text);
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            push_printable(std::str::from_utf8(valid).unwrap_or_default(), text);
            let Some(length) = error.error_len() else {
                self.bytes.extend(after);
                return;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = after.get(length..).unwrap_or_default();
        }
        push_printable(std::str::from_utf8(rest).unwrap_or_default(), text);
    }

    /// Completes the character that was begun, and gives back what follows it.
    fn complete<'b>(&mut self, bytes: &'b [u8], text: &mut String) -> &'b [u8] {
        let mut rest = bytes;
        while !self.bytes.is_empty() {
            let Some((byte, after)) = rest.split_first() else { break };
            self.bytes.push(*byte);
            match std::str::from_utf8(&self.bytes) {
                Ok(character) => push_printable(character, text),
                Err(error) if error.error_len().is_none() => {
                    rest = after;
                    continue;
                }
                // The byte begins something else.
                Err(_) => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.bytes.clear();
                    break;
                }
            }
            self.bytes.clear();
            rest = after;
        }
        rest
    }

    fn give_up(&mut self, text: &mut String) {
        if !self.bytes.is_empty() {
            self.bytes.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Control characters of eight bits have two bytes here, of which the first is always this.
const FIRST_OF_LATIN: u8 = 0xc2;

fn push_printable(valid: &str, text: &mut String) {
    if valid.as_bytes().contains(&FIRST_OF_LATIN) {
        text.extend(valid.chars().filter(|letter| letter.is_ascii() || !letter.is_control()));
    } else {
        text.push_str(valid);
    }
}

#[cfg(test)]
mod tests;
