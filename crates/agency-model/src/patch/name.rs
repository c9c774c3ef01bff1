//! Names of files as `git diff` writes them.

use crate::escape::escaped_line;

/// The name of a file that is named twice, `a/name b/name`.
pub(super) fn name_of_both(names: &str) -> String {
    if names.starts_with('"') {
        let first = names.get(1..).and_then(end_of_quoted).map_or(names, |end| &names[..=end + 1]);
        return unquoted(first).trim_start_matches("a/").to_owned();
    }
    let half = names.len().saturating_sub(1) / 2;
    let first = names.get(..half).unwrap_or(names);
    first.strip_prefix("a/").unwrap_or(first).to_owned()
}

fn end_of_quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        end
    })
}

/// A name that git may have written with escapes, in which nothing is hidden.
pub(super) fn unquoted(name: &str) -> String {
    let Some(inside) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return escaped_line(name);
    };
    let mut bytes = vec![];
    let mut rest = inside.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(b'a') => bytes.push(0x07),
            Some(b'b') => bytes.push(0x08),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(0x0b),
            Some(b'f') => bytes.push(0x0c),
            Some(b'r') => bytes.push(b'\r'),
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    escaped_line(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn a_name_never_looks_like_another_one() {
        assert_eq!(unquoted("\"inno\\342\\200\\213cent.txt\""), "inno\\u{200b}cent.txt");
        assert_eq!(unquoted("\"x\\033[2J\\r\\a\\nname\""), "x\\x1b[2J\\r\\x07\\nname");
        assert_eq!(unquoted("r\u{202e}tl"), "r\\u{202e}tl");
    }
}
