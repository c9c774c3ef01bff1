//! Movements of the cursor as text: a space inside a line, a newline between lines.

/// No movement stands for more spaces.
const MAX_SPACES: usize = 200;

/// The movements since the last character.
#[derive(Debug, Clone, Default)]
pub(super) struct Movement {
    /// The first two numbers of the sequence that is being read.
    numbers: [Option<usize>; 2],
    /// Which of them is being read.
    index: usize,
    /// Whether it is the number of a private mode.
    private: bool,
    moved: Moved,
    /// The row and the column of the cursor, as far as they are known.
    place: Option<(usize, usize)>,
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
            match (byte, self.numbers.get_mut(self.index)) {
                (b'0'..=b'9', Some(number)) => {
                    let digit = usize::from(byte - b'0');
                    *number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                }
                (b';', _) => self.index += 1,
                (b'?', _) => self.private = true,
                (_, _) => {}
            }
        }
    }

    /// The last byte of a control sequence, or one that breaks it off.
    pub(super) fn control(&mut self, last: u8) {
        let ([first, second], private) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.private));
        self.index = 0;
        let count = first.unwrap_or(1).max(1);
        match last {
            b'C' | b'a' => {
                self.forward(count);
                self.place = self.place.map(|(row, column)| (row, column.saturating_add(count)));
            }
            b'D' | b'j' => {
                self.join(Moved::Along);
                self.place = self.place.map(|(row, column)| (row, column.saturating_sub(count)));
            }
            b'G' | b'`' => match self.place {
                Some((row, _)) => self.go_to(row, count),
                None => self.join(Moved::Along),
            },
            b'H' | b'f' => self.go_to(count, second.unwrap_or(1).max(1)),
            b'd' => match self.place {
                Some((_, column)) => self.go_to(count, column),
                None => self.leave(),
            },
            b'A' | b'B' | b'E' | b'F' | b'e' | b'k' | b'u' => self.leave(),
            // The alternate screen, or back from it.
            b'h' | b'l' if private && matches!(first, Some(47 | 1047 | 1049)) => self.leave(),
            _ => {}
        }
    }

    /// The byte after ESC.
    pub(super) fn escape(&mut self, byte: u8) {
        (self.numbers, self.index, self.private) = ([None; 2], 0, false);
        if matches!(byte, b'8' | b'D' | b'E' | b'M' | b'c') {
            self.leave();
        }
    }

    /// To a place that is known. In the row of the cursor, what stands between them counts.
    fn go_to(&mut self, row: usize, column: usize) {
        match self.place {
            Some((own, at)) if own == row && column == at => {}
            Some((own, at)) if own == row && column > at => self.forward(column - at),
            Some((own, _)) if own == row => self.join(Moved::Along),
            Some(_) | None => self.join(Moved::Away),
        }
        self.place = Some((row, column));
    }

    /// To a place that is not known.
    fn leave(&mut self) {
        self.join(Moved::Away);
        self.place = None;
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

    /// Takes in what was written.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.last = bytes.last().copied().or(self.last);
        let is_control = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c);
        if bytes.iter().any(is_control) {
            self.place = None;
        }
        // Bytes that continue a character take no column.
        let columns = bytes.iter().filter(|byte| !matches!(byte, 0x80..0xc0)).count();
        self.place = self.place.map(|(row, column)| (row, column.saturating_add(columns)));
    }
}
