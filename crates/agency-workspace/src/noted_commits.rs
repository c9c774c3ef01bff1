//! Finds the ids of commits in the files of git's entry for a worktree.
//!
//! The one rule: any bytes are read, up to a limit for each file; links are not followed, and what is found is only a
//! candidate.
//!
//! Read are all logs but those of remotes, all files at the top that are named like `ORIG_HEAD` or `MERGE_AUTOSTASH`, and
//! the notes of a rebase, a cherry-pick, a revert and an `am` that stopped. Not read are `FETCH_HEAD`, which names what
//! another repository has, and messages, which mention commits that their author found elsewhere. `AUTO_MERGE` names a
//! tree, which is in the files.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::head::id_in;
use super::tree_walk::walk;
use super::{branch_log, link};

/// Of a longer log, the end is read.
const MAX_LOG_BYTES: u64 = 1024 * 1024;
/// Of a longer note, the end is read: what is still to be done is at the end of a list.
const MAX_NOTE_BYTES: u64 = 1024 * 1024;
/// The directories of operations that stopped.
const OPERATIONS: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
/// The lists of commits to pick, in which git may shorten ids.
const LISTS: [&str; 4] = ["git-rebase-todo", "git-rebase-todo.backup", "done", "todo"];
/// The shortest id that git writes.
const MIN_SHORT_ID: usize = 4;

/// The commits in the logs and in the notes of operations, some by a shortened id.
pub(super) fn find(admin_dir: &Path) -> HashSet<String> {
    let mut found = HashSet::new();
    let (logs, remotes) = (admin_dir.join("logs"), admin_dir.join("logs/refs/remotes"));
    walk(
        &logs,
        |path| path == remotes,
        |path, kind| {
            if kind.is_file() {
                let log = link::read_end(path, MAX_LOG_BYTES).unwrap_or_default();
                let lines = log.split(|byte| *byte == b'\n');
                found.extend(lines.flat_map(branch_log::ids_of));
            }
        },
    );
    for (name, content) in notes(admin_dir) {
        let words = content.split(u8::is_ascii_whitespace);
        found.extend(words.filter_map(|word| id_in(without_brackets(word))));
        if LISTS.contains(&name.as_str()) {
            found.extend(content.split(|byte| *byte == b'\n').filter_map(picked));
        }
    }
    found
}

/// The names and contents of the files in which git notes commits.
fn notes(admin_dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = files_in(admin_dir, is_pseudo_ref);
    for operation in OPERATIONS {
        let directory = admin_dir.join(operation);
        if fs::symlink_metadata(&directory).is_ok_and(|found| found.is_dir()) {
            found.extend(files_in(&directory, |_| true));
        }
    }
    found
}

fn files_in(directory: &Path, wanted: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let named = files.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let wanted = named.filter(|(name, _)| wanted(name));
    wanted.filter_map(|(name, path)| Some((name, link::read_end(&path, MAX_NOTE_BYTES).ok()?))).collect()
}

/// Whether a file at the top of an entry has the name of one in which git notes a commit.
fn is_pseudo_ref(name: &str) -> bool {
    let is_upper = name.bytes().all(|letter| letter.is_ascii_uppercase() || letter == b'_');
    is_upper && name != "FETCH_HEAD" && !name.ends_with("MSG")
}

/// `[id]` and `'id'` are how the log of a bisection has it.
fn without_brackets(word: &[u8]) -> &[u8] {
    let inner = word.strip_prefix(b"[").or_else(|| word.strip_prefix(b"'")).unwrap_or(word);
    inner.strip_suffix(b"]").or_else(|| inner.strip_suffix(b"'")).unwrap_or(inner)
}

/// The id in a line of a list, as in `pick 1234567 subject` or `merge -C 1234567 label`.
fn picked(line: &[u8]) -> Option<String> {
    let mut words = line.split(u8::is_ascii_whitespace).skip(1).skip_while(|word| word.starts_with(b"-"));
    let word = std::str::from_utf8(words.next()?).ok()?;
    let is_id = word.len() >= MIN_SHORT_ID && word.len() <= 64 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_id.then(|| word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_list_has_one_id() {
        assert_eq!(picked(b"pick 1234abc fix deadbeef"), Some("1234abc".to_owned()));
        assert_eq!(picked(b"merge -C 1234abc topic"), Some("1234abc".to_owned()));
        for other in [&b"label onto"[..], b"exec make", b"# pick", b"", b"pick", b"pick \xff\xff\xff\xff"] {
            assert_eq!(picked(other), None, "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn messages_and_what_was_fetched_are_not_read() {
        assert!(is_pseudo_ref("MERGE_AUTOSTASH") && is_pseudo_ref("ORIG_HEAD"));
        for other in ["FETCH_HEAD", "MERGE_MSG", "COMMIT_EDITMSG", "index", "gitdir", "config.worktree"] {
            assert!(!is_pseudo_ref(other), "{other}");
        }
    }
}
