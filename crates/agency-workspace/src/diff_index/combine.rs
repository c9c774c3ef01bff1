//! Brings the index of the last look up to date with the agent's own.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::index_file::{IndexEntry, IndexFile, Mode};

/// The entries with which git adds the files of a working tree: those of the agent's index, with what the last look knows
/// about their files, and the untracked files that the last look added.
pub(in super::super) fn combine(theirs: IndexFile, ours: Option<IndexFile>, work_tree: &Path) -> IndexFile {
    let mut theirs = theirs.entries.into_iter().peekable();
    let mut ours = ours.unwrap_or_default().entries.into_iter().peekable();
    let mut repositories = Repositories { work_tree, known: HashMap::new() };
    let mut entries = Vec::new();
    loop {
        let order = match (theirs.peek(), ours.peek()) {
            (None, None) => return IndexFile { entries },
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(their), Some(own)) => their.path.cmp(&own.path),
        };
        let own = if order == Ordering::Less { None } else { ours.next() };
        if order == Ordering::Greater {
            // A directory that has become a repository is not looked into.
            entries.extend(own.filter(|own| own.mode() != Mode::Gitlink && !repositories.hold(&own.path)));
            continue;
        }
        let Some(mut their) = theirs.next() else { continue };
        let mut conflict = their.stage() != 0;
        while let Some(next) = theirs.next_if(|next| next.path == their.path) {
            their = next;
            conflict = true;
        }
        entries.extend(chosen(their, conflict, own, work_tree));
    }
}

/// The entry for a path that the agent's index holds.
fn chosen(their: IndexEntry, conflict: bool, own: Option<IndexEntry>, work_tree: &Path) -> Option<IndexEntry> {
    if their.mode() == Mode::Gitlink {
        let mut link = if conflict { their.plain() } else { their };
        link.forget_file();
        return Some(link);
    }
    let exists = || work_tree.join(OsStr::from_bytes(&their.path)).symlink_metadata().is_ok();
    if their.is_skipped() && !conflict && !exists() {
        let mut skipped = their;
        skipped.forget_file();
        return Some(skipped);
    }
    if let Some(own) = own.filter(|own| own.mode() != Mode::Gitlink && !own.is_skipped()) {
        return Some(own);
    }
    if !exists() {
        return None;
    }
    let hidden = conflict || their.is_skipped();
    Some(if hidden { their.plain() } else { their })
}

/// Which directories below the working tree are repositories of their own.
struct Repositories<'a> {
    work_tree: &'a Path,
    known: HashMap<Vec<u8>, bool>,
}

impl Repositories<'_> {
    /// Whether a file is inside one of them.
    fn hold(&mut self, path: &[u8]) -> bool {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        ends.into_iter().any(|end| self.is_repository(&path[..end]))
    }

    fn is_repository(&mut self, directory: &[u8]) -> bool {
        if let Some(known) = self.known.get(directory) {
            return *known;
        }
        let place = self.work_tree.join(OsStr::from_bytes(directory)).join(".git");
        let found = place.symlink_metadata().is_ok();
        self.known.insert(directory.to_owned(), found);
        found
    }
}
