//! Finds the conversation of a run whose agent did not report its id: by what the agent itself keeps about the run's
//! worktree, which no other run has.
//!
//! The one rule: agents can write these files, so what they contain is only an id, whose spelling is checked.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::agent_adapter::{AgentAdapter, Search};

/// How many files are read, the newest first.
pub(super) const MAX_FILES: usize = 5000;
/// How much of a file is read.
const MAX_HEAD_BYTES: u64 = 1024 * 1024;
/// A longer id is not one of an agent's.
const MAX_ID_BYTES: usize = 128;

/// The agent's own id of the newest conversation in a directory.
pub(crate) fn find_conversation(adapter: &dyn AgentAdapter, search: &Search<'_>) -> Option<String> {
    adapter.find_conversation(search).filter(|id| is_id(id))
}

/// Whether a text can only be taken for an id: it becomes an argument of the agent.
fn is_id(id: &str) -> bool {
    let starts_well = id.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let harmless = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    starts_well && id.len() <= MAX_ID_BYTES && id.chars().all(harmless)
}

/// The beginning of a file, line by line. Of anything else than a file, such as a pipe, nothing is read.
pub(super) fn lines_of(path: &Path) -> impl Iterator<Item = String> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let file = is_file.then(|| fs::File::open(path).ok()).flatten();
    file.into_iter().flat_map(|file| BufReader::new(file.take(MAX_HEAD_BYTES)).lines().map_while(Result::ok))
}

/// The entries of a directory in descending order of their names.
pub(super) fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|one, other| other.cmp(one));
    paths
}
