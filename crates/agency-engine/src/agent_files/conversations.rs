//! Finds the conversation of a run whose agent did not report its id: by what the agent itself keeps about the run's
//! worktree, which no other run has.
//!
//! The one rule: agents can write these files, so what they contain is only an id, whose spelling is checked.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use agency_adapters::{AgentAdapter, ConversationFiles, Conversations, FoundConversation, SearchedRun, Variables};
use jiff::Timestamp;

use super::listing;

/// How many files are read, the newest first.
const MAX_FILES: usize = 5000;
/// How much of a file is read.
const MAX_HEAD_BYTES: u64 = 1024 * 1024;
/// A longer id is not one of an agent's.
const MAX_ID_BYTES: usize = 128;

/// Where a conversation is searched.
#[derive(Debug, Clone, Copy)]
pub struct ConversationSearch<'a> {
    /// The agent's program.
    pub program: &'a Path,
    /// The directory of the run.
    pub directory: &'a Path,
    /// The environment of the agent.
    pub environment: &'a Variables,
    /// When the run began, and when it ended if it has.
    pub during: (Timestamp, Option<Timestamp>),
}

/// The agent's own id of the newest conversation in a directory.
#[must_use]
pub fn find_conversation(adapter: &dyn AgentAdapter, search: &ConversationSearch<'_>) -> Option<String> {
    let ConversationSearch { program, directory, environment, during } = *search;
    let found = match adapter.conversations(environment)? {
        Conversations::Listing(listing) => {
            (listing.newest)(&listing::output(program, listing.args, directory, environment)?, directory)
        }
        Conversations::Files(files) => {
            let resolved = directory.canonicalize().ok();
            newest(&files, &SearchedRun { directory, resolved_directory: resolved.as_deref(), during })
        }
    };
    found.filter(|id| is_id(id))
}

/// Whether a text can only be taken for an id: it becomes an argument of the agent.
fn is_id(id: &str) -> bool {
    let starts_well = id.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let harmless = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    starts_well && id.len() <= MAX_ID_BYTES && id.chars().all(harmless)
}

/// The conversation that began last; without a time, the first one, because the newest file comes first.
fn newest(files: &ConversationFiles, run: &SearchedRun<'_>) -> Option<String> {
    let mut newest: Option<FoundConversation> = None;
    for file in files_below(files.root.clone(), files.levels).take(MAX_FILES) {
        let Some(found) = (files.read)(run, &mut lines_of(&file)) else { continue };
        if found.started_at.is_none() {
            return Some(found.id);
        }
        if newest.as_ref().is_none_or(|newest| newest.started_at <= found.started_at) {
            newest = Some(found);
        }
    }
    newest.map(|found| found.id)
}

/// The files whose paths have these names, the newest first.
fn files_below(root: PathBuf, levels: &'static [&'static str]) -> Box<dyn Iterator<Item = PathBuf>> {
    let Some((name, below)) = levels.split_first() else { return Box::new(std::iter::once(root)) };
    let found = match name.split_once('*') {
        Some((prefix, suffix)) => newest_first(&root, prefix, suffix),
        None => vec![root.join(name)],
    };
    Box::new(found.into_iter().flat_map(|path| files_below(path, below)))
}

/// The entries of a directory with such names, in descending order.
fn newest_first(folder: &Path, prefix: &str, suffix: &str) -> Vec<PathBuf> {
    let fits = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let rest = name.strip_prefix(prefix.as_bytes());
        rest.is_some_and(|rest| rest.ends_with(suffix.as_bytes()))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(fits).collect();
    paths.sort_unstable_by(|one, other| other.cmp(one));
    paths
}

/// The beginning of a file, line by line. Of anything else than a file, such as a pipe, nothing is read.
fn lines_of(path: &Path) -> impl Iterator<Item = String> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let file = is_file.then(|| fs::File::open(path).ok()).flatten();
    file.into_iter().flat_map(|file| BufReader::new(file.take(MAX_HEAD_BYTES)).lines().map_while(Result::ok))
}

#[cfg(test)]
mod tests;
