//! A stream of bytes, cut only between characters.

use std::borrow::Cow;

/// Holds back the beginning of a character until its end comes: the terminal that is fed with half of one loses what
/// follows it (`vte` 0.15, `é` in two pieces before another such character).
#[derive(Debug, Default)]
pub struct Characters {
    held: Vec<u8>,
}

impl Characters {
    /// What can be handed on with these bytes.
    #[must_use]
    pub fn whole<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            let (whole, begun) = bytes.split_at(bytes.len() - begun_at_end(bytes));
            self.held = begun.to_vec();
            return Cow::Borrowed(whole);
        }
        let mut whole = [held.as_slice(), bytes].concat();
        self.held = whole.split_off(whole.len() - begun_at_end(&whole));
        Cow::Owned(whole)
    }

    /// What cannot.
    #[must_use]
    pub fn held(&self) -> &[u8] {
        &self.held
    }
}

/// How many bytes at the end are the beginning of a character.
fn begun_at_end(bytes: &[u8]) -> usize {
    for (length, byte) in (1..=3).zip(bytes.iter().rev()) {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 0,
        };
        return if needed > length { length } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_character_is_held_until_it_is_whole() {
        let mut characters = Characters::default();
        assert_eq!(&*characters.whole(b"a\xf0\x9f"), b"a");
        assert_eq!(&*characters.whole(b"\x99"), b"");
        assert_eq!(characters.held(), b"\xf0\x9f\x99");
        assert_eq!(&*characters.whole(b"\x82b\xc3"), "🙂b".as_bytes());
        assert_eq!(&*characters.whole(b"("), b"\xc3(", "what is broken is handed on as it is");
        assert_eq!(characters.held(), b"");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_character_is_cut(pieces in prop::collection::vec("[aé漢🙂]{0,3}", 0..9), at in 1usize..9) {
            let bytes = pieces.concat().into_bytes();
            let mut characters = Characters::default();
            let mut seen = String::new();
            for piece in bytes.chunks(at) {
                seen.push_str(std::str::from_utf8(&characters.whole(piece)).unwrap());
            }
            prop_assert_eq!(seen, pieces.concat());
        }

        #[test]
        fn any_bytes_come_through(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 0..20)) {
            let mut characters = Characters::default();
            let mut seen = vec![];
            for piece in &pieces {
                seen.extend_from_slice(&characters.whole(piece));
            }
            seen.extend_from_slice(characters.held());
            prop_assert_eq!(seen, pieces.concat());
        }
    }
}
