//! How paths and foreign words are put into a message.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How many ids a message has.
const MAX_NAMED_IDS: usize = 3;

/// Gives optional words their colon.
pub(super) fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// Writes a path so that a shell reads it back as it is.
pub(crate) fn quoted(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@%".contains(&byte);
    let text = path.display().to_string();
    if path.as_os_str().as_bytes().iter().copied().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Names paths one after the other.
pub(super) fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("'{}'", path.display())).collect::<Vec<_>>().join(", ")
}

/// Names the first few of many ids.
pub(super) fn first_of(ids: &[String]) -> String {
    let (first, rest) = ids.split_at(ids.len().min(MAX_NAMED_IDS));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", first.join(", "))
}

/// Names the refs that hold commits of a worktree, where there are some.
pub(super) fn also_saved(refs: &[String]) -> String {
    if refs.is_empty() { String::new() } else { format!("; commits of its worktree are at {}", refs.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_path_as_it_is() {
        assert_eq!(quoted(Path::new("/a/b-c.d")), "/a/b-c.d");
        assert_eq!(quoted(Path::new("/it's here")), r"'/it'\''s here'");
    }
}
