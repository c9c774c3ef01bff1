//! Every key and list element of a file, with its place. Both formats end up here.

use std::fmt::Write;

/// What kind of value an entry has, as far as the shape has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    List,
    Text,
    Other,
}

/// One key or list element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfigEntry {
    /// The keys that lead to it, and `[n]` for elements of lists. Empty for the file as a whole.
    pub(super) path: Vec<String>,
    pub(super) key_offset: usize,
    pub(super) value_offset: usize,
    pub(super) kind: Kind,
}

impl ConfigEntry {
    /// The path as slices, to be matched against.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

/// The entry at the path, or the nearest one that contains it.
pub(super) fn nearest_to<'entries>(entries: &'entries [ConfigEntry], path: &[String]) -> Option<&'entries ConfigEntry> {
    entries.iter().filter(|entry| path.starts_with(&entry.path)).max_by_key(|entry| entry.path.len())
}

/// The path as users write it: `agents.mine.args[1]`, unusual keys in quotes.
pub(super) fn dotted<Key: AsRef<str>>(path: &[Key]) -> String {
    let mut text = String::new();
    for key in path.iter().map(AsRef::as_ref) {
        if !text.is_empty() && !is_index(key) {
            text.push('.');
        }
        if is_index(key) || is_bare(key) {
            text.push_str(key);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "{key:?}");
        }
    }
    text
}

/// How the element of a list is named in a path.
pub(super) fn index(number: usize) -> String {
    format!("[{number}]")
}

fn is_index(key: &str) -> bool {
    key.strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_bare(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::dotted;

    #[test]
    fn paths_read_as_users_write_them() {
        assert_eq!(dotted(&["agents", "mine", "args", "[1]"]), "agents.mine.args[1]");
        assert_eq!(dotted(&["agents", "a.b", "\u{1b}[0m"]), "agents.\"a.b\".\"\\u{1b}[0m\"");
    }
}
