//! Keys, and the bytes that a terminal sends for them.

use serde::{Deserialize, Deserializer, de};

/// The keys that have a name in the rules.
const NAMED: [(&str, &[u8]); 10] = [
    ("enter", b"\r"),
    ("esc", b"\x1b"),
    ("tab", b"\t"),
    ("shift_tab", b"\x1b[Z"),
    ("space", b" "),
    ("backspace", b"\x7f"),
    ("up", b"\x1b[A"),
    ("down", b"\x1b[B"),
    ("left", b"\x1b[D"),
    ("right", b"\x1b[C"),
];

/// What one key sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyBytes(Vec<u8>);

impl KeyBytes {
    pub(super) fn enter() -> Self {
        Self(b"\r".to_vec())
    }

    pub(super) fn up() -> Self {
        Self(b"\x1b[A".to_vec())
    }

    pub(super) fn down() -> Self {
        Self(b"\x1b[B".to_vec())
    }

    pub(super) fn left() -> Self {
        Self(b"\x1b[D".to_vec())
    }

    pub(super) fn right() -> Self {
        Self(b"\x1b[C".to_vec())
    }

    /// A key with a letter or a digit on it.
    pub(super) fn letter(letter: char) -> Self {
        Self(letter.to_string().into_bytes())
    }

    /// A text at once, so that its line ends do not submit it.
    pub(super) fn paste(text: &str) -> Self {
        // An escape sequence in the text could end the paste and press keys.
        let harmless = text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'));
        let pasted: String = harmless.collect();
        Self(format!("\x1b[200~{pasted}\x1b[201~").into_bytes())
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl<'de> Deserialize<'de> for KeyBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if let Some((_, bytes)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Ok(Self(bytes.to_vec()));
        }
        let mut letters = name.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if !letter.is_control() => Ok(Self::letter(letter)),
            _ => {
                let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
                let known = names.join("`, `");
                Err(de::Error::custom(format!("unknown key {name:?}: expected one character, or one of `{known}`")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_cannot_press_keys() {
        let pasted = KeyBytes::paste("a\n\x1b[201~\r\x03b").into_bytes();
        assert_eq!(pasted, b"\x1b[200~a\n[201~b\x1b[201~");
    }
}
