//! Finds the uncommitted changes of a user that a move from one commit to another would overwrite.
//!
//! The one rule: what git skips (ignored files, `assume-unchanged`, `skip-worktree`) is the user's too.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::git_command::GitCommand;
use super::super::{Commit, WorkspaceError};
use super::private_index::{PrivateIndex, Tracked, TreeEntry};
use super::{DirtyCheckout, MergeError, paths_in};

/// The mode of a link to a commit of another repository.
pub(super) const GITLINK: &str = "160000";

/// The changes in a checkout that are in the way.
pub(super) struct Dirty {
    /// Each path, with what the commit of the checkout has there.
    pub(super) paths: BTreeMap<PathBuf, Option<TreeEntry>>,
    /// What the index of the checkout has at those paths.
    pub(super) staged: BTreeMap<PathBuf, TreeEntry>,
    /// Those that git skips.
    pub(super) hidden: Vec<PathBuf>,
}

/// A path that differs between two commits.
pub(super) struct Touched {
    pub(super) old: Option<TreeEntry>,
    pub(super) new: Option<TreeEntry>,
}

impl Dirty {
    /// Looks at the checkout as it is now. `after` may be a tree.
    pub(super) fn find(checkout: &Path, before: &Commit, after: &str) -> Result<Option<Self>, MergeError> {
        let touched = touched(checkout, before, after)?;
        let index = PrivateIndex::copy_of(checkout)?;
        let tracked = index.entries()?;
        let unmerged: Vec<PathBuf> =
            tracked.iter().filter(|(_, found)| found.unmerged).map(|(path, _)| path.clone()).collect();
        if !unmerged.is_empty() {
            return Err(MergeError::Unresolved { path: checkout.to_owned(), files: unmerged });
        }
        let untracked = untracked(checkout, &touched, &tracked)?;
        let fits = index.git().run(["read-tree", "-n", "-m", "-u"]).args([before.as_str(), after]);
        if untracked.is_empty() && !has_deleted(checkout, &touched, &tracked) && fits.finish()?.success {
            return Ok(None);
        }
        let hidden = hidden(checkout, &touched, &tracked);
        let changed = changed(&index, &hidden)?;
        let is_dirty = |path: &Path, touched: &Touched| {
            let staged = tracked.get(path).map(|found| &found.entry);
            (staged.is_some() || touched.old.is_some()) && staged != touched.old.as_ref() || changed.contains(path)
        };
        let mut paths: BTreeMap<PathBuf, Option<TreeEntry>> = untracked.into_iter().map(|path| (path, None)).collect();
        for (path, touched) in touched.iter().filter(|(path, touched)| is_dirty(path, touched)) {
            paths.insert(path.clone(), touched.old.clone());
        }
        if paths.is_empty() {
            return Ok(None);
        }
        let at = |path: &PathBuf| tracked.get(path).map(|found| (path.clone(), found.entry.clone()));
        let staged = paths.keys().filter_map(at).collect();
        let hidden = hidden.into_iter().filter(|path| paths.contains_key(path)).collect();
        Ok(Some(Self { paths, staged, hidden }))
    }

    /// The same as text for users.
    pub(super) fn described(&self, checkout: &Path) -> DirtyCheckout {
        DirtyCheckout { path: checkout.to_owned(), files: self.paths.keys().cloned().collect() }
    }
}

/// The paths that differ between two commits, or a commit and a tree.
pub(super) fn touched(checkout: &Path, before: &Commit, after: &str) -> Result<BTreeMap<PathBuf, Touched>, MergeError> {
    let git = GitCommand::at(checkout).run(["diff-tree", "-r", "--no-renames", "--raw", "-z"]);
    let printed = git.comparing_links().args([before.as_str(), after]).read()?;
    let mut fields = printed.split(|byte| *byte == 0);
    let mut found = BTreeMap::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let head = String::from_utf8_lossy(head);
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old, new, _] = words.as_slice() else { continue };
        let entry = |mode: &str, object: &str| {
            (mode != "000000").then(|| TreeEntry { mode: mode.to_owned(), object: object.to_owned() })
        };
        let touched = Touched { old: entry(old_mode, old), new: entry(new_mode, new) };
        found.insert(PathBuf::from(OsStr::from_bytes(path)), touched);
    }
    Ok(found)
}

/// The files that git does not track, where the merge has files.
fn untracked(
    checkout: &Path,
    touched: &BTreeMap<PathBuf, Touched>,
    tracked: &BTreeMap<PathBuf, Tracked>,
) -> Result<BTreeSet<PathBuf>, MergeError> {
    let mut found = BTreeSet::new();
    for (path, new) in touched.iter().filter_map(|(path, touched)| Some((path, touched.new.as_ref()?))) {
        // A file where the merge has a directory.
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let blocks = |above: &&Path| fs::symlink_metadata(checkout.join(above)).is_ok_and(|found| !found.is_dir());
        if let Some(above) = above.filter(blocks).last() {
            if !tracked.contains_key(above) {
                found.insert(above.to_owned());
            }
            continue;
        }
        match fs::symlink_metadata(checkout.join(path)) {
            Ok(there) if there.is_dir() && new.mode != GITLINK => below(checkout, path, tracked, &mut found)?,
            Ok(there) if !there.is_dir() && !tracked.contains_key(path) => {
                found.insert(path.clone());
            }
            Ok(_) | Err(_) => {}
        }
    }
    Ok(found)
}

/// The files in a directory that git does not track.
fn below(
    checkout: &Path,
    directory: &Path,
    tracked: &BTreeMap<PathBuf, Tracked>,
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), MergeError> {
    let path = checkout.join(directory);
    let unreadable = |source| WorkspaceError::io("read", &path)(source);
    for entry in fs::read_dir(&path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let below_top = directory.join(entry.file_name());
        if entry.file_type().map_err(unreadable)?.is_dir() {
            below(checkout, &below_top, tracked, found)?;
        } else if !tracked.contains_key(&below_top) {
            found.insert(below_top);
        }
    }
    Ok(())
}

/// Whether the user deleted a file that the merge has. Git would bring it back.
fn has_deleted(checkout: &Path, touched: &BTreeMap<PathBuf, Touched>, tracked: &BTreeMap<PathBuf, Tracked>) -> bool {
    touched.iter().filter(|(_, touched)| touched.new.is_some()).any(|(path, _)| {
        let is_expected = tracked.get(path).is_some_and(|found| !found.skip_worktree && found.entry.mode != GITLINK);
        is_expected && fs::symlink_metadata(checkout.join(path)).is_err_and(|error| error.kind() == ErrorKind::NotFound)
    })
}

/// The touched files that git skips, without those that a sparse checkout leaves out.
fn hidden(checkout: &Path, touched: &BTreeMap<PathBuf, Touched>, tracked: &BTreeMap<PathBuf, Tracked>) -> Vec<PathBuf> {
    let is_hidden = |path: &&PathBuf| {
        tracked.get(*path).is_some_and(|found| {
            let exists = || fs::symlink_metadata(checkout.join(path)).is_ok();
            if found.skip_worktree { exists() } else { found.assume_unchanged }
        })
    };
    touched.keys().filter(is_hidden).cloned().collect()
}

/// The tracked files whose content is not that of the index.
fn changed(index: &PrivateIndex<'_>, hidden: &[PathBuf]) -> Result<BTreeSet<PathBuf>, MergeError> {
    index.unhide(hidden.iter())?;
    // Git exits with an error where files are changed, which is what is asked next.
    index.git().run(["update-index", "-q", "--refresh"]).finish()?;
    let printed = index.git().run(["diff-files", "--name-only", "-z", "--ignore-submodules=all"]).read()?;
    Ok(paths_in(&printed).into_iter().collect())
}
