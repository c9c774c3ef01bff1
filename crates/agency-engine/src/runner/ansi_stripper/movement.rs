//! What movements of the cursor stand for in a text: a space inside a line, a newline between lines.

/// No movement stands for more spaces.
const MAX_SPACES: usize = 200;

/// The movements since the last character.
#[derive(Debug, Clone, Default)]
pub(super) struct Movement {
    /// The first number of the sequence that is being read.
    number: Option<usize>,
    /// Whether the first number has ended.
    ended: bool,
    /// Whether it is the number of a private mode.
    private: bool,
    moved: Moved,
    /// The last byte of the text; none at its beginning.
    last: Option<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Moved {
    #[default]
    Not,
    /// To the right.
    Forward(usize),
    /// Elsewhere in the line.
    Along,
    /// To another line.
    Away,
}

impl Movement {
    /// Bytes between the beginning of a control sequence and its last byte.
    pub(super) fn parameters(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'0'..=b'9' if !self.ended => {
                    let digit = usize::from(byte - b'0');
                    self.number = Some(self.number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                }
                b'?' if self.number.is_none() => self.private = true,
                _ => self.ended = true,
            }
        }
    }

    /// The last byte of a control sequence, or one that breaks it off.
    pub(super) fn control(&mut self, last: u8) {
        let (number, private) = (self.number.take(), std::mem::take(&mut self.private));
        self.ended = false;
        match last {
            b'C' | b'a' => self.forward(number.unwrap_or(1).max(1)),
            b'D' | b'G' | b'`' | b'j' => self.join(Moved::Along),
            b'A' | b'B' | b'E' | b'F' | b'H' | b'd' | b'e' | b'f' | b'k' | b'u' => self.join(Moved::Away),
            // The alternate screen, or back from it.
            b'h' | b'l' if private && matches!(number, Some(47 | 1047 | 1049)) => self.join(Moved::Away),
            _ => {}
        }
    }

    /// The byte after ESC.
    pub(super) fn escape(&mut self, byte: u8) {
        (self.number, self.ended, self.private) = (None, false, false);
        if matches!(byte, b'8' | b'D' | b'E' | b'M' | b'c') {
            self.join(Moved::Away);
        }
    }

    fn forward(&mut self, columns: usize) {
        self.moved = match self.moved {
            Moved::Not => Moved::Forward(columns.min(MAX_SPACES)),
            Moved::Forward(before) => Moved::Forward(before.saturating_add(columns).min(MAX_SPACES)),
            Moved::Along | Moved::Away => self.moved,
        };
    }

    fn join(&mut self, moved: Moved) {
        if self.moved != Moved::Away {
            self.moved = moved;
        }
    }

    /// Writes what the movements stand for, before a text that begins with this byte.
    pub(super) fn before(&mut self, first: u8, text: &mut String) {
        let moved = std::mem::take(&mut self.moved);
        let Some(last) = self.last else { return };
        if matches!(first, b'\n' | b'\r') {
            return;
        }
        match moved {
            Moved::Not => {}
            Moved::Forward(columns) => text.extend(std::iter::repeat_n(' ', columns)),
            Moved::Along if last.is_ascii_whitespace() || first.is_ascii_whitespace() => {}
            Moved::Along => text.push(' '),
            Moved::Away if last == b'\n' => {}
            Moved::Away => text.push('\n'),
        }
    }

    /// Takes in the last byte of what was written.
    pub(super) const fn printed(&mut self, last: u8) {
        self.last = Some(last);
    }
}
