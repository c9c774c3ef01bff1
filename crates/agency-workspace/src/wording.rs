//! How paths and foreign words are put into a message.

use std::path::PathBuf;

/// How many ids a message has.
const MAX_NAMED_IDS: usize = 3;

/// Gives optional words their colon.
pub(super) fn after_colon(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
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
