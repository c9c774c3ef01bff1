//! Work that no ref can hold, as repositories inside a worktree: moved out of the way, never deleted.
//!
//! The one rule: what is here stays until its owner deletes it.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use agency_model::RunId;

use super::link::Identity;
use super::trash::{free_name, make_private};
use super::{Result, WorkspaceError};

/// What the repositories of submodules are called, in git's entry for a worktree and here.
const MODULES: &str = "modules";
/// What git's entry for a worktree is called here.
const ENTRY: &str = "git-entry";
/// Where files are that were in the place of refs.
const REFS: &str = "refs";
/// What the log of a deleted branch is called there.
const BRANCH_LOG: &str = "branch-log";

/// Where the files of a removed worktree are kept that no ref can hold, if some are.
#[must_use]
pub fn kept_work(trash: &Path, run: &RunId) -> Option<PathBuf> {
    find(trash, run)
}

/// Where the work of a run is kept, if some is: beside the trash, under its id.
pub(super) fn find(trash: &Path, run: &RunId) -> Option<PathBuf> {
    let place = place_of(trash, run);
    let mut entries = fs::read_dir(&place).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name() != REFS).then_some(place)
}

/// Where files are kept that were in the place of a run's refs, if some are.
pub(super) fn find_refs(trash: &Path, run: &RunId) -> Option<PathBuf> {
    let place = place_of(trash, run).join(REFS);
    place.is_dir().then_some(place)
}

/// Moves a file that is in the place of a ref. `name` is where it was, below the directory of such refs.
pub(super) fn keep_ref_file(path: &Path, name: &Path, trash: &Path, run: &RunId) -> Result<()> {
    let target = place_of(trash, run).join(REFS).join(name);
    let directory = target.parent().unwrap_or(&target);
    make_private(directory)?;
    let target = free_name(directory, &target.file_name().unwrap_or_default().to_string_lossy());
    let is_special = fs::symlink_metadata(path).is_ok_and(|found| !found.is_file() && !found.is_symlink());
    match fs::rename(path, &target) {
        Ok(()) => return Ok(()),
        // A pipe or socket holds nothing that could be copied.
        Err(_) if is_special => {}
        Err(_) => {
            move_whole(path, &target)?;
        }
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WorkspaceError::io("delete", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Notes where a ref is that was in the place of a run's refs.
pub(super) fn keep_ref_note(name: &str, text: &str, trash: &Path, run: &RunId) -> Result<()> {
    let directory = place_of(trash, run).join(REFS);
    make_private(&directory)?;
    let target = directory.join(name);
    fs::write(&target, text).map_err(WorkspaceError::io("write", &target))
}

/// Keeps the log of a branch that is deleted, where git cannot follow all of it. `text` stands for a log that is in no file.
pub(super) fn keep_branch_log(log: &Path, text: &str, trash: &Path, run: &RunId) -> Result<()> {
    let directory = place_of(trash, run).join(REFS);
    make_private(&directory)?;
    let target = free_name(&directory, BRANCH_LOG);
    let kept = if log.is_file() { fs::copy(log, &target).map(drop) } else { fs::write(&target, text) };
    kept.and_then(|()| fs::File::open(&target)?.sync_all()).map_err(WorkspaceError::io("write", &target))
}

/// Moves the directory of a run to where it is kept.
pub(super) fn keep(directory: &Path, identity: Identity, trash: &Path, run: &RunId) -> Result<PathBuf> {
    let place = place_of(trash, run);
    make_private(&place)?;
    let target = free_name(&place, "worktree");
    match move_whole(directory, &target)? {
        // The copy is another directory, and what it was made from is checked before it goes.
        Moved::Copied if Identity::of(directory) == Some(identity) => {
            fs::remove_dir_all(directory).map_err(WorkspaceError::io("delete", directory))?;
            Ok(place)
        }
        Moved::Renamed if Identity::of(&target) == Some(identity) => Ok(place),
        Moved::Renamed => {
            // The directory was swapped after the check, so this is not the one to delete.
            fs::rename(&target, directory).map_err(WorkspaceError::io("put back", &target))?;
            Err(WorkspaceError::OutsideRoot { path: directory.to_owned(), root: place })
        }
        Moved::Copied => Err(WorkspaceError::OutsideRoot { path: directory.to_owned(), root: place }),
    }
}

/// Moves what is in the place of a run's directory, as a link, to where the run's work is kept. Where a link leads to is
/// not touched.
pub(super) fn keep_odd(path: &Path, trash: &Path, run: &RunId) -> Result<PathBuf> {
    let place = place_of(trash, run);
    make_private(&place)?;
    let target = free_name(&place, "worktree");
    match move_whole(path, &target)? {
        Moved::Copied => fs::remove_file(path).map_err(WorkspaceError::io("delete", path))?,
        Moved::Renamed if fs::symlink_metadata(&target).is_ok_and(|found| found.is_dir()) => {
            // A directory took its place meanwhile, which is examined first.
            fs::rename(&target, path).map_err(WorkspaceError::io("put back", &target))?;
            return Err(WorkspaceError::OutsideRoot { path: path.to_owned(), root: place });
        }
        Moved::Renamed => {}
    }
    Ok(place)
}

/// Moves git's entry for the worktree, with its index, logs and refs, to where the run's work is kept.
pub(super) fn keep_entry(admin_dir: &Path, trash: &Path, run: &RunId) -> Result<()> {
    let place = place_of(trash, run);
    make_private(&place)?;
    // On another filesystem a copy is kept; the entry itself is dropped as in any removal.
    move_whole(admin_dir, &free_name(&place, ENTRY)).map(drop)
}

/// Moves the repositories of submodules, which git keeps in its entry for the worktree, to where the run's work is kept.
pub(super) fn keep_submodules(admin_dir: &Path, trash: &Path, run: &RunId) -> Result<()> {
    let modules = admin_dir.join(MODULES);
    if !fs::symlink_metadata(&modules).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let place = place_of(trash, run);
    make_private(&place)?;
    match move_whole(&modules, &free_name(&place, MODULES))? {
        Moved::Renamed => Ok(()),
        Moved::Copied => fs::remove_dir_all(&modules).map_err(WorkspaceError::io("delete", &modules)),
    }
}

fn place_of(trash: &Path, run: &RunId) -> PathBuf {
    trash.with_file_name("kept").join(run.as_str())
}

enum Moved {
    Renamed,
    /// To another filesystem; the original is still there.
    Copied,
}

fn move_whole(from: &Path, to: &Path) -> Result<Moved> {
    match fs::rename(from, to) {
        Ok(()) => Ok(Moved::Renamed),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            // Under its final name there is only a whole copy.
            let draft = free_name(to.parent().unwrap_or(to), ".copying");
            copy_whole(from, &draft).and_then(|()| fs::rename(&draft, to)).map_err(WorkspaceError::io("copy", from))?;
            Ok(Moved::Copied)
        }
        Err(error) => Err(WorkspaceError::io("move", from)(error)),
    }
}

/// Copies directories, files and symlinks; nothing else holds work.
fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(from)?;
    if found.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if found.is_file() {
        fs::copy(from, to)?;
        return fs::File::open(to)?.sync_all();
    }
    if !found.is_dir() {
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_whole(&entry.path(), &to.join(entry.file_name()))?;
    }
    fs::set_permissions(to, found.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_to_another_filesystem_has_every_file_mode_and_symlink() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        fs::create_dir_all(from.join("sub/empty")).unwrap();
        fs::write(from.join("sub/file"), "content").unwrap();
        symlink("nowhere", from.join("link")).unwrap();
        copy_whole(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("sub/file")).unwrap(), "content");
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("nowhere"));
        assert!(to.join("sub/empty").is_dir());
    }
}
