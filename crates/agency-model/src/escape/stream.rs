//! The same for bytes that come in any pieces.

use super::{escaped_piece, escaped_text, push_byte};

const ESCAPE: u8 = 0x1b;
/// A sequence for colours is shorter.
const MAX_SEQUENCE_BYTES: usize = 64;

/// What becomes of the sequences that set colours and emphasis (SGR): `ESC [ … m`.
#[derive(Debug, Clone, Copy)]
pub enum Sgr {
    /// They are escaped like all others.
    Escape,
    /// Colours and emphasis stay; what hides text is escaped.
    KeepColours,
    /// The function gets what stands between `ESC [` and `m`, and returns what is written instead, if it stays at all.
    Replace(fn(&str) -> Option<String>),
}

/// Escapes a stream of bytes. Newlines and tabs stay, and so does a carriage return before a newline if `keep_crlf`.
#[derive(Debug, Clone)]
pub struct Escaper {
    sgr: Sgr,
    keep_crlf: bool,
    /// The beginning of a character or a sequence whose end has not come yet.
    pending: Vec<u8>,
    coloured: bool,
    /// The last character that is not ASCII, if nothing came after it.
    before: Option<char>,
}

/// What stands at the beginning of some bytes.
enum Prefix {
    /// How many bytes are shown as this.
    Shown(usize, String),
    /// More bytes are needed to decide.
    Incomplete,
}

impl Escaper {
    /// An escaper for a new stream.
    #[must_use]
    pub const fn new(sgr: Sgr) -> Self {
        Self { sgr, keep_crlf: false, pending: Vec::new(), coloured: false, before: None }
    }

    /// Leaves line ends of two characters as they are.
    #[must_use]
    pub const fn keeping_crlf(mut self) -> Self {
        self.keep_crlf = true;
        self
    }

    /// What to show for these bytes, as far as that is certain.
    #[must_use]
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let taken = std::mem::take(&mut self.pending);
        self.show(&taken, true)
    }

    /// What is left when no more bytes come; colours that are still set end here.
    #[must_use]
    pub fn finish(&mut self) -> String {
        let taken = std::mem::take(&mut self.pending);
        let mut shown = self.show(&taken, false);
        if std::mem::take(&mut self.coloured) {
            shown.push_str("\x1b[0m");
        }
        shown
    }

    fn show(&mut self, bytes: &[u8], more_may_come: bool) -> String {
        let mut shown = String::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            let plain = rest.iter().position(|byte| matches!(*byte, ESCAPE | b'\r' | 0x80..)).unwrap_or(rest.len());
            let (text, after) = rest.split_at(plain);
            if !text.is_empty() {
                self.before = None;
            }
            // Only ASCII is in it.
            shown.push_str(&escaped_text(&String::from_utf8_lossy(text)));
            rest = after;
            match self.head(rest, more_may_come) {
                Prefix::Shown(length, text) => {
                    shown.push_str(&text);
                    rest = rest.get(length.max(1)..).unwrap_or_default();
                }
                Prefix::Incomplete => {
                    self.pending = rest.to_vec();
                    return shown;
                }
            }
        }
        shown
    }

    fn head(&mut self, bytes: &[u8], more_may_come: bool) -> Prefix {
        match bytes {
            [] => Prefix::Shown(0, String::new()),
            [ESCAPE, ..] => self.sequence(bytes, more_may_come),
            [b'\r'] if self.keep_crlf && more_may_come => Prefix::Incomplete,
            [b'\r', b'\n', ..] if self.keep_crlf => Prefix::Shown(2, "\r\n".to_owned()),
            [b'\r', ..] => Prefix::Shown(1, "\\r".to_owned()),
            _ => self.characters(bytes, more_may_come),
        }
    }

    /// A sequence for colours, as far as it stays, or the escape character alone.
    fn sequence(&mut self, bytes: &[u8], more_may_come: bool) -> Prefix {
        let escaped = || Prefix::Shown(1, "\\x1b".to_owned());
        let is_parameter = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
        let parameters = match bytes {
            [_, b'[', parameters @ ..] => parameters,
            [_] if more_may_come => return Prefix::Incomplete,
            _ => return escaped(),
        };
        let Some(length) = parameters.iter().position(|byte| !is_parameter(byte)) else {
            let waits = more_may_come && parameters.len() < MAX_SEQUENCE_BYTES;
            return if waits { Prefix::Incomplete } else { escaped() };
        };
        let (parameters, end) = parameters.split_at(length);
        let parameters = std::str::from_utf8(parameters).unwrap_or_default();
        let replaced = match (self.sgr, end.first()) {
            (Sgr::KeepColours, Some(b'm')) if only_colours(parameters) => {
                self.coloured = true;
                Some(format!("\x1b[{parameters}m"))
            }
            (Sgr::Replace(replace), Some(b'm')) => replace(parameters),
            (_, _) => None,
        };
        replaced.map_or_else(escaped, |text| Prefix::Shown(length + 3, text))
    }

    /// Characters that are not ASCII, or the byte that begins none.
    fn characters(&mut self, bytes: &[u8], more_may_come: bool) -> Prefix {
        let end = bytes.iter().position(u8::is_ascii).unwrap_or(bytes.len());
        let run = bytes.get(..end).unwrap_or_default();
        let (valid, broken) = match std::str::from_utf8(run) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = run.get(..error.valid_up_to()).unwrap_or_default();
                (std::str::from_utf8(valid).unwrap_or_default(), Some(error.error_len()))
            }
        };
        match (valid.is_empty(), broken) {
            (false, _) => {
                let before = std::mem::replace(&mut self.before, valid.chars().next_back());
                Prefix::Shown(valid.len(), escaped_piece(before, valid))
            }
            (true, Some(None)) if more_may_come && end == bytes.len() => Prefix::Incomplete,
            (true, _) => {
                let mut shown = String::new();
                run.iter().take(1).for_each(|byte| push_byte(*byte, &mut shown));
                Prefix::Shown(1, shown)
            }
        }
    }
}

/// Whether all parameters set or end colours and emphasis; what hides text or blinks is none of them.
fn only_colours(parameters: &str) -> bool {
    let mut numbers = parameters.split([';', ':']).map(|number| if number.is_empty() { Ok(0) } else { number.parse() });
    while let Some(number) = numbers.next() {
        match number {
            Ok(0..=4u32 | 7 | 9 | 21..=24 | 27 | 29..=37 | 39..=47 | 49 | 90..=97 | 100..=107) => {}
            Ok(38 | 48) => {
                let further = match numbers.next() {
                    Some(Ok(5)) => 1,
                    Some(Ok(2)) => 3,
                    _ => return false,
                };
                if numbers.by_ref().take(further).filter(|number| matches!(number, Ok(0..=255))).count() < further {
                    return false;
                }
            }
            Ok(_) | Err(_) => return false,
        }
    }
    true
}
