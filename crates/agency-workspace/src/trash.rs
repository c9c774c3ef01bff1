//! Directories on their way out: renamed first, which is instant and whole, deleted afterwards.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use agency_model::RunId;

use super::link::Identity;
use super::{Result, WorkspaceError};

/// Deletes everything that a removal left in the trash when it was interrupted, and returns how much that was.
pub fn empty_trash(trash: &Path) -> Result<usize> {
    let mut deleted = 0;
    for entry in entries(trash)? {
        discard(&entry)?;
        deleted += 1;
    }
    Ok(deleted)
}

/// Renames a directory out of the way and returns its new path.
pub(super) fn take(directory: &Path, identity: Identity, trash: &Path, run: &RunId) -> Result<PathBuf> {
    make_private(trash)?;
    let mut target = free_name(trash, run.as_str());
    if let Err(error) = fs::rename(directory, &target) {
        if error.kind() != io::ErrorKind::CrossesDevices {
            return Err(WorkspaceError::io("move away", directory)(error));
        }
        // On another filesystem the name changes in place: a half-deleted worktree never keeps its own name.
        target = free_name(directory.parent().unwrap_or(trash), &sibling_name(run));
        fs::rename(directory, &target).map_err(WorkspaceError::io("move away", directory))?;
    }
    if Identity::of(&target) == Some(identity) {
        return Ok(target);
    }
    // The directory was swapped after the check, so this is not the one to delete.
    fs::rename(&target, directory).map_err(WorkspaceError::io("put back", &target))?;
    Err(WorkspaceError::OutsideRoot { path: directory.to_owned(), root: trash.to_owned() })
}

/// What an interrupted removal of this run left.
pub(super) fn leftovers(trash: &Path, directory: &Path, run: &RunId) -> Result<Vec<PathBuf>> {
    let mut left = entries(trash)?;
    left.retain(|entry| is_named(entry, run.as_str()));
    if let Some(parent) = directory.parent() {
        let siblings = entries(parent)?;
        left.extend(siblings.into_iter().filter(|entry| is_named(entry, &sibling_name(run))));
    }
    Ok(left)
}

/// Deletes a directory and everything in it, read-only directories too.
pub(super) fn discard(directory: &Path) -> Result<()> {
    let deleted = match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(directory);
            fs::remove_dir_all(directory)
        }
        // A plain file among the leftovers.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs::remove_file(directory),
        other => other,
    };
    match deleted {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WorkspaceError::io("delete", directory)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Deletes what is in the trash; what cannot be deleted is named, since the removal itself is done.
pub(super) fn discard_all(trashed: Vec<PathBuf>) -> Option<PathBuf> {
    let undeletable = trashed.into_iter().filter(|directory| discard(directory).is_err());
    // Not the first one only: each must be tried.
    undeletable.collect::<Vec<_>>().pop()
}

/// Makes a directory, and those above it, that only its owner can read.
pub(super) fn make_private(directory: &Path) -> Result<()> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(WorkspaceError::io("create", directory))
}

fn sibling_name(run: &RunId) -> String {
    format!(".removed-{run}")
}

/// A name in a directory that nothing has: the name itself, or the name with a number.
pub(super) fn free_name(directory: &Path, name: &str) -> PathBuf {
    let numbered = (1_u32..).map(|number| directory.join(format!("{name}.{number}")));
    let mut names = std::iter::once(directory.join(name)).chain(numbered);
    names.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| directory.join(name))
}

/// Whether a path has a name that [`free_name`] gives.
fn is_named(path: &Path, name: &str) -> bool {
    let found = path.file_name().and_then(|found| found.to_str()).and_then(|found| found.strip_prefix(name));
    found.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let listed = match fs::read_dir(directory) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(WorkspaceError::io("read", directory)(error)),
    };
    listed.map(|entry| entry.map(|entry| entry.path()).map_err(WorkspaceError::io("read", directory))).collect()
}

/// Lets the owner write into every directory, so that what is in it can be deleted. Does what it can.
fn open_up(directory: &Path) {
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
