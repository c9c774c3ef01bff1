//! Git's entry for one worktree, found without listing all of them.
//!
//! The one rule: an entry is a worktree's only if it leads back to it, by device and inode.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::link::{self, Identity};
use super::{Result, WorkspaceError, trash};

/// Where an entry goes before it is deleted, so that git never meets one that is half gone.
const REMOVED: &str = "agency-removed";
/// How often an entry is moved there while other removals delete that directory.
const MAX_ATTEMPTS: u32 = 1000;

/// Git's entry for a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorktreeEntry {
    /// The directory below `worktrees` of the repository.
    pub(super) admin_dir: PathBuf,
    /// The reason why it is locked, which may be empty; `None` when it is not.
    pub(super) locked: Option<String>,
}

/// Finds the entry of the worktree at `path`, whose directory may be gone.
pub(super) fn find(common_dir: &Path, path: &Path, here: Option<Identity>) -> Option<WorktreeEntry> {
    let admin_dir = leading_to(common_dir, path, here).or_else(|| unlinked(&common_dir.join("worktrees"), path))?;
    let locked = match link::read_small(&admin_dir.join("locked")) {
        Ok(reason) => Some(String::from_utf8_lossy(&reason).trim().to_owned()),
        Err(_) => None,
    };
    Some(WorktreeEntry { admin_dir, locked })
}

/// The directory of the entry that leads to the worktree at `path`.
pub(super) fn leading_to(common_dir: &Path, path: &Path, here: Option<Identity>) -> Option<PathBuf> {
    let all = common_dir.join("worktrees");
    // Git names an entry after the directory, and that is named after the run.
    let by_name = path.file_name().map(|name| all.join(name));
    by_name.filter(|named| leads_to(named, path, here)).or_else(|| {
        let mut listed = fs::read_dir(&all).into_iter().flatten().flatten().map(|entry| entry.path());
        listed.find(|admin_dir| leads_to(admin_dir, path, here))
    })
}

/// The file that keeps git from forgetting a worktree of which only the path is known: in git's entry for it, if that
/// leads back to it and has no such file.
pub fn lock_of_worktree(path: &Path) -> Option<PathBuf> {
    let admin_dir = fs::canonicalize(link::git_dir(path)?).ok()?;
    let all = admin_dir.parent().filter(|all| all.file_name().is_some_and(|name| name == "worktrees"))?;
    let entry = find(all.parent()?, path, Identity::of(path)).filter(|entry| entry.locked.is_none())?;
    let lock = entry.admin_dir.join("locked");
    lock.symlink_metadata().is_err().then_some(lock)
}

/// The entries of worktrees of the repository below a directory.
pub(super) fn entries_below(common_dir: &Path, directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let admin_dirs = entries.map(|entry| entry.path()).filter(|admin_dir| is_directory(admin_dir));
    let is_below = |place: PathBuf| place.strip_prefix(directory).is_ok_and(|below| !below.as_os_str().is_empty());
    admin_dirs.filter(|admin_dir| worktree_of(admin_dir).is_some_and(is_below)).collect()
}

/// Drops the entry, and what an interrupted attempt left of it.
pub(super) fn unregister(common_dir: &Path, entry: Option<&WorktreeEntry>, path: &Path) -> Result<()> {
    let Some(name) = path.file_name() else { return Ok(()) };
    let removed = common_dir.join(REMOVED);
    let target = removed.join(name);
    if let Some(WorktreeEntry { admin_dir, .. }) = entry {
        trash::discard(&target)?;
        // Another removal deletes the directory as soon as it is empty, perhaps before the entry is in it.
        for attempt in 1.. {
            fs::create_dir_all(&removed).map_err(WorkspaceError::io("create", &removed))?;
            match fs::rename(admin_dir, &target) {
                Ok(()) => break,
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && is_directory(admin_dir) && attempt < MAX_ATTEMPTS => {
                }
                // Another process was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !is_directory(admin_dir) => break,
                Err(error) => return Err(WorkspaceError::io("move away", admin_dir)(error)),
            }
        }
    }
    trash::discard(&target)?;
    for directory in [removed, common_dir.join("worktrees")] {
        // As git does: the last one takes the directory with it.
        let _ = fs::remove_dir(directory);
    }
    Ok(())
}

/// Whether an entry is that of a worktree.
fn leads_to(admin_dir: &Path, path: &Path, here: Option<Identity>) -> bool {
    if !is_directory(admin_dir) {
        return false;
    }
    let Some(place) = worktree_of(admin_dir) else { return false };
    match here {
        Some(_) => Identity::of(&place) == here,
        None => place == path || place == real_place(path),
    }
}

/// The entry with the name of the worktree, if it names no directory that leads back to it.
fn unlinked(all: &Path, path: &Path) -> Option<PathBuf> {
    let named = all.join(path.file_name()?);
    let is_of_another = worktree_of(&named)
        .and_then(|place| link::git_dir(&place))
        .is_some_and(|back| Identity::of(&back) == Identity::of(&named));
    (is_directory(&named) && !is_of_another).then_some(named)
}

/// The worktree that an entry names.
fn worktree_of(admin_dir: &Path) -> Option<PathBuf> {
    let content = link::read_small(&admin_dir.join("gitdir")).ok()?;
    admin_dir.join(link::path_in(&content)).parent().map(Path::to_owned)
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The path under which git knows a directory that is missing: without symlinks above it.
pub(super) fn real_place(path: &Path) -> PathBuf {
    let real = path.parent().and_then(|parent| fs::canonicalize(parent).ok()).zip(path.file_name());
    real.map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
}
