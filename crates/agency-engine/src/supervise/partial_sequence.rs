//! The end of a stream of terminal output that is not a whole control sequence yet.
//!
//! A viewer that begins to read the stream there needs it: without its beginning, the rest of a sequence is text.

/// A sequence that is longer is remembered without its end; only strings are, and those show nothing.
const MAX_SEQUENCE_BYTES: usize = 4096;

const BELL: u8 = 0x07;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;
const ESCAPE: u8 = 0x1b;

/// What has begun and not ended.
#[derive(Debug, Default)]
pub(super) struct PartialSequence {
    place: SequenceState,
    begun: Vec<u8>,
}

/// Where in a sequence the stream is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SequenceState {
    /// Outside of all sequences.
    #[default]
    Outside,
    /// After an escape.
    Escape,
    /// In a control sequence, which ends with a letter.
    Control,
    /// In a string, such as a title, which ends with a bell or an escape.
    String,
}

impl PartialSequence {
    /// Reads on.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The bytes that have begun something.
    pub(super) fn begun(&self) -> &[u8] {
        &self.begun
    }

    fn step(&mut self, byte: u8) {
        let next = self.next(byte);
        match (self.place, next) {
            (_, SequenceState::Outside) => self.begun.clear(),
            (_, SequenceState::Escape) if byte == ESCAPE => {
                self.begun.clear();
                self.begun.push(byte);
            }
            // A control character in a sequence takes effect at once, and must not take it twice.
            (SequenceState::Escape | SequenceState::Control, _) if byte < 0x20 => {}
            (_, _) if self.begun.len() < MAX_SEQUENCE_BYTES => self.begun.push(byte),
            (_, _) => {}
        }
        self.place = next;
    }

    fn next(&self, byte: u8) -> SequenceState {
        match (self.place, byte) {
            (_, ESCAPE) => SequenceState::Escape,
            (_, CANCEL | SUBSTITUTE) => SequenceState::Outside,
            (SequenceState::Outside, _) => SequenceState::Outside,
            (SequenceState::Escape, b'[') => SequenceState::Control,
            (SequenceState::Escape, b']' | b'P' | b'X' | b'^' | b'_') => SequenceState::String,
            (SequenceState::Escape, 0x30..=0x7e) => SequenceState::Outside,
            (SequenceState::Escape, _) => SequenceState::Escape,
            (SequenceState::Control, 0x40..=0x7e) => SequenceState::Outside,
            (SequenceState::Control, _) => SequenceState::Control,
            (SequenceState::String, BELL) => SequenceState::Outside,
            (SequenceState::String, _) => SequenceState::String,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(bytes: &[u8]) -> Vec<u8> {
        let mut partial_sequence = PartialSequence::default();
        partial_sequence.read(bytes);
        partial_sequence.begun().to_vec()
    }

    #[test]
    fn what_is_whole_leaves_nothing() {
        for whole in ["", "text", "é漢🙂", "\u{1b}[31m", "\u{1b}[31mred", "\u{1b}]0;title\u{7}", "\u{1b}(B", "\u{1b}7"]
        {
            assert_eq!(begun(whole.as_bytes()), b"", "{whole:?}");
        }
        assert_eq!(begun(b"\x1b]0;title\x1b\\"), b"");
        assert_eq!(begun(b"\x1b[3\x18"), b"", "a sequence can be given up");
    }

    #[test]
    fn what_has_begun_is_remembered_from_its_beginning() {
        assert_eq!(begun(b"text\x1b"), b"\x1b");
        assert_eq!(begun(b"\x1b[31mred\x1b[38;5"), b"\x1b[38;5");
        assert_eq!(begun(b"\x1b[3\x1b[4"), b"\x1b[4");
        assert_eq!(begun(b"\x1b]0;tit"), b"\x1b]0;tit");
        assert_eq!(begun(b"\x1b]0;title\x1b"), b"\x1b");
        assert_eq!(begun(b"\x1b[3\n1"), b"\x1b[31", "a newline in a sequence has had its effect");
    }

    #[test]
    fn a_string_without_an_end_does_not_grow_without_end() {
        let mut partial_sequence = PartialSequence::default();
        partial_sequence.read(b"\x1b]52;c;");
        partial_sequence.read(&[b'A'; 100_000]);
        assert_eq!(partial_sequence.begun().len(), MAX_SEQUENCE_BYTES);
        partial_sequence.read(b"\x07");
        assert_eq!(partial_sequence.begun(), b"");
    }
}
