//! Directories in which git works for one command, below the system's temporary directory.
//!
//! The one rule: a process that makes one holds a lock on it until it is deleted. It gets its final name after it is locked, so
//! one with such a name that is not locked was left by a process that is gone, and is deleted.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::process::geteuid;

use super::{Result, WorkspaceError};

/// What their names begin with before they are locked; earlier versions used the same names for all.
const PREFIX: &str = "agency-git-";
/// What their names begin with once they are locked.
const LOCKED_PREFIX: &str = "agency-git-locked-";
/// What only its owner can use.
const PRIVATE_MODE: u32 = 0o700;
/// One that may not be locked yet, or never is, counts as used for so long; no command takes longer.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);

/// A directory that only its owner can read and write, and that ends with its value.
#[derive(Debug)]
pub(super) struct TemporaryDirectory {
    path: PathBuf,
    _lock: Option<File>,
}

impl TemporaryDirectory {
    /// Makes one.
    pub(super) fn new() -> Result<Self> {
        // Whatever the umask is: a user who can write a git directory chooses what git runs.
        let private = Permissions::from_mode(PRIVATE_MODE);
        let directory = tempfile::Builder::new().prefix(PREFIX).permissions(private).tempdir();
        let directory = directory.map_err(WorkspaceError::io("make a directory in", &std::env::temp_dir()))?;
        // Where directories cannot be locked, its age alone protects it.
        let lock = File::open(directory.path()).ok().filter(|lock| lock.try_lock().is_ok());
        let draft = directory.keep();
        let path = lock.as_ref().and_then(|_| with_final_name(&draft)).unwrap_or(draft);
        Ok(Self { path, _lock: lock })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        // One that cannot be deleted is named by `agency reconcile`.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Renames a directory that is locked; `None` where that fails: it is then deleted later if it is left.
fn with_final_name(draft: &Path) -> Option<PathBuf> {
    let name = draft.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let path = draft.with_file_name(format!("{LOCKED_PREFIX}{name}"));
    renameat_with(CWD, draft, CWD, &path, RenameFlags::NOREPLACE).ok().map(|()| path)
}

/// The directories that processes left which are gone.
#[must_use]
pub fn abandoned_directories() -> Vec<PathBuf> {
    abandoned_in(&std::env::temp_dir())
}

/// Deletes them; gives those that are gone.
pub fn sweep_abandoned_directories() -> Vec<PathBuf> {
    let mut swept = abandoned_directories();
    swept.retain(|path| {
        // Held until it is deleted, so that one of several sweeping processes does it.
        let lock = abandoned(path);
        lock.is_ok_and(|lock| lock.is_some()) && fs::remove_dir_all(path).is_ok()
    });
    swept
}

fn abandoned_in(place: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let mut found: Vec<PathBuf> =
        named.map(|entry| entry.path()).filter(|path| matches!(abandoned(path), Ok(Some(_)))).collect();
    found.sort();
    found
}

/// The lock on a directory of ours that is not in use; `None` for any other. A link is not followed.
fn abandoned(path: &Path) -> io::Result<Option<File>> {
    let flags = i32::try_from((OFlags::DIRECTORY | OFlags::NOFOLLOW).bits()).unwrap_or_default();
    let directory = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let found = directory.metadata()?;
    let is_ours = found.uid() == geteuid().as_raw() && found.mode() & 0o7777 == PRIVATE_MODE;
    let was_locked = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(LOCKED_PREFIX.as_bytes()));
    let is_old = || found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED_AFTER));
    Ok((is_ours && (was_locked || is_old()) && directory.try_lock().is_ok()).then_some(directory))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::SystemTime;

    use super::*;

    fn made(place: &Path, name: &str, mode: u32, age: Duration) -> PathBuf {
        let path = place.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("HEAD"), "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        File::open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        path
    }

    #[test]
    fn only_what_is_old_private_ours_and_not_locked_is_abandoned() {
        let place = tempfile::tempdir().unwrap();
        let old = ABANDONED_AFTER * 2;
        let dead = made(place.path(), "agency-git-dead", 0o700, old);
        let used = made(place.path(), "agency-git-used", 0o700, old);
        made(place.path(), "agency-git-young", 0o700, Duration::ZERO);
        let left = made(place.path(), "agency-git-locked-left", 0o700, Duration::ZERO);
        let held = made(place.path(), "agency-git-locked-held", 0o700, Duration::ZERO);
        let holder = File::open(&held).unwrap();
        holder.try_lock().unwrap();
        made(place.path(), "agency-git-open", 0o755, old);
        made(place.path(), "other-git-old", 0o700, old);
        symlink(made(place.path(), "target", 0o700, old), place.path().join("agency-git-link")).unwrap();
        fs::write(place.path().join("agency-git-file"), "x").unwrap();
        let user = File::open(&used).unwrap();
        user.try_lock().unwrap();
        assert_eq!(abandoned_in(place.path()), [dead.clone(), left.clone()]);
        drop((user, holder));
        assert_eq!(abandoned_in(place.path()), [dead, held, left, used]);
    }

    #[test]
    fn one_that_is_in_use_is_locked_however_old_it_is() {
        let directory = TemporaryDirectory::new().unwrap();
        File::open(directory.path()).unwrap().set_modified(SystemTime::now() - ABANDONED_AFTER * 2).unwrap();
        let name = directory.path().file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(LOCKED_PREFIX), "one that is killed leaves a directory that can be deleted at once");
        assert!(abandoned(directory.path()).unwrap().is_none());
        assert_eq!(fs::metadata(directory.path()).unwrap().mode() & 0o777, PRIVATE_MODE);
    }
}
