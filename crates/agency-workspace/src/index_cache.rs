//! The private git directory that is kept between two looks at a working tree.
//!
//! The one rule: it can be deleted at any time. One process uses it at a time, and results are deleted before the index
//! that they were computed from changes.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Commit;
use super::private_git::USER_CONFIG;
use agency_system::files::{create_private_directory, write_atomically};
use agency_system::lock::Lock;

/// What can be asked about the difference between a commit and the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// The files that differ, with their numbers of lines.
    List,
    /// The unified diff.
    Patch,
    /// The unified diff with every line of each file that differs.
    WholePatch,
}

impl Comparison {
    pub(super) const ALL: [Self; 3] = [Self::List, Self::Patch, Self::WholePatch];

    /// The file that keeps the result.
    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::List => "changes",
            Self::Patch => "diff",
            Self::WholePatch => "whole-diff",
        }
    }

    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::List => &["-z", "--raw", "--numstat"],
            Self::Patch => &["-p", "--no-ext-diff", "--no-textconv", "--no-color"],
            Self::WholePatch => &["-U1000000000", "--no-ext-diff", "--no-textconv", "--no-color"],
        }
    }
}

/// More than this is not worth keeping: the next look begins anew.
const MAX_KEPT_BYTES: u64 = 256 * 1024 * 1024;
/// A larger result is computed again.
const MAX_RESULT_BYTES: usize = 32 * 1024 * 1024;
/// From this number of packs on, git becomes slow.
const MAX_PACKS: usize = 32;

/// The file that names the tree of the index.
const TREE: &str = "tree";

/// All that is kept, and which of it are directories.
const CACHE_ENTRIES: [(&str, bool); 9] = [
    ("lock", false),
    ("commondir", false),
    ("HEAD", false),
    ("index", false),
    ("changes", false),
    ("diff", false),
    (TREE, false),
    (USER_CONFIG, false),
    ("objects", true),
];

/// The directory, locked.
pub(super) struct IndexCache {
    directory: PathBuf,
    _lock: Lock,
}

impl IndexCache {
    /// Locks the directory and makes it where it is missing; `None` when another process uses it or it cannot be written.
    pub(super) fn lock(directory: &Path) -> Option<Self> {
        // The directory of the run is not ours to make.
        if !directory.parent()?.is_dir() {
            return None;
        }
        create_private_directory(directory).ok()?;
        if !directory.symlink_metadata().ok()?.is_dir() {
            return None;
        }
        let lock = Lock::take(&directory.join("lock"), Duration::ZERO).ok()??;
        remove_foreign(directory)?;
        // Left by a git that was killed; no other git works here.
        for left in ["index.lock", "index.new"] {
            let _ = fs::remove_file(directory.join(left));
        }
        Some(Self { directory: directory.to_owned(), _lock: lock })
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// What an earlier look found out, if nothing changed since.
    pub(super) fn result(&self, comparison: Comparison, base: &Commit) -> Option<Vec<u8>> {
        let mut content = fs::read(self.result_file(comparison)).ok()?;
        let header = header_of(base);
        content.starts_with(&header).then(|| content.split_off(header.len()))
    }

    /// Keeps what was found out. Failing to do so costs time only.
    pub(super) fn keep_result(&self, comparison: Comparison, base: &Commit, result: &[u8]) {
        if result.len() <= MAX_RESULT_BYTES {
            let _ = write_atomically(&self.result_file(comparison), &[&header_of(base), result].concat());
        }
    }

    /// Deletes the results, before the index changes; `false` when they are still there.
    pub(super) fn forget_results(&self) -> bool {
        Comparison::ALL.iter().all(|comparison| {
            let file = self.result_file(*comparison);
            fs::remove_file(&file).is_ok() || file.symlink_metadata().is_err()
        })
    }

    /// The tree that the index was written as, if nothing changed since.
    pub(super) fn tree(&self) -> Option<String> {
        let tree = fs::read(self.directory.join(TREE)).ok()?;
        let tree: Commit = std::str::from_utf8(&tree).ok()?.parse().ok()?;
        Some(tree.to_string())
    }

    /// Keeps the tree of the index. Failing to do so costs time only, and so does a half-written id.
    pub(super) fn keep_tree(&self, tree: &str) {
        let _ = fs::write(self.directory.join(TREE), tree);
    }

    /// Deletes the note of the tree, before the index changes; `false` when it is still there.
    pub(super) fn forget_tree(&self) -> bool {
        let file = self.directory.join(TREE);
        fs::remove_file(&file).is_ok() || file.symlink_metadata().is_err()
    }

    /// Deletes everything but the lock if it has become too large.
    pub(super) fn limit_size(&self) {
        let objects = self.directory.join("objects");
        if bytes_below(&objects) > MAX_KEPT_BYTES || entries(&objects.join("pack")).count() > 2 * MAX_PACKS {
            self.clear();
        }
    }

    /// Deletes everything but the lock.
    pub(super) fn clear(&self) {
        // The index first: without it, the rest is not used.
        for name in ["index", "objects"] {
            let path = self.directory.join(name);
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        self.forget_results();
        self.forget_tree();
    }

    fn result_file(&self, comparison: Comparison) -> PathBuf {
        self.directory.join(comparison.file_name())
    }
}

/// Removes whatever this program does not write there: an agent knows the directory of its run, and git would read
/// settings from it. `None` when something stays.
fn remove_foreign(directory: &Path) -> Option<()> {
    for entry in fs::read_dir(directory).ok()? {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        let ours = CACHE_ENTRIES.iter().any(|(name, is_directory)| {
            entry.file_name() == *name && if *is_directory { kind.is_dir() } else { kind.is_file() }
        });
        match ours {
            true => {}
            false if kind.is_dir() => fs::remove_dir_all(entry.path()).ok()?,
            false => fs::remove_file(entry.path()).ok()?,
        }
    }
    Some(())
}

/// Deletes what was kept for a working tree that is gone. What cannot be deleted does no harm.
pub(super) fn discard(directory: Option<&Path>) {
    if let Some(directory) = directory {
        let _ = fs::remove_dir_all(directory);
    }
}

/// Results of a version that used the agent's attributes have another header, and are not used.
fn header_of(base: &Commit) -> Vec<u8> {
    format!("{base} with its attributes\n").into_bytes()
}

fn bytes_below(directory: &Path) -> u64 {
    let sizes = entries(directory).map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_below(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(directory).into_iter().flatten().flatten()
}
