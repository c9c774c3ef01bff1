//! Prepares an agent's bytes for a viewer's terminal.

use std::borrow::Cow;

/// Adds the carriage returns that a terminal needs and the log does not have.
pub(super) fn to_crlf(bytes: &[u8], needed: bool) -> Cow<'_, [u8]> {
    if !needed || !bytes.contains(&b'\n') {
        return Cow::Borrowed(bytes);
    }
    let mut shown = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) => {
                shown.extend_from_slice(text);
                shown.extend_from_slice(b"\r\n");
            }
            None => shown.extend_from_slice(line),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_newline_gets_a_return_where_one_is_needed() {
        assert_eq!(&*to_crlf(b"a\nb\n\nc", true), b"a\r\nb\r\n\r\nc");
        assert_eq!(&*to_crlf(b"a\nb", false), b"a\nb");
    }
}
