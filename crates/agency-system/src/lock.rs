//! Liveness: a process that owns a run holds a lock on one of its files.
//!
//! The kernel releases the lock when the process dies, however it dies. A lock file is never
//! unlinked to release it; a process that only checks it takes the lock shared, for a moment.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tracing::debug;

use crate::files::{FileError, open_to_read, regular};
use crate::process::inherit;

/// An exclusive lock, held until it is dropped or the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// How often a lock that a prober may be holding for a moment is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(1);

impl Lock {
    /// Takes the lock, or `None` if another process still holds it when `patience` is over.
    pub fn take(path: &Path, patience: Duration) -> Result<Option<Self>, FileError> {
        let file = regular(OpenOptions::new().create(true).truncate(false).write(true).mode(0o600), path)
            .map_err(|source| FileError::new("open the lock", path, source))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { file })),
                Err(TryLockError::WouldBlock) if started.elapsed() < patience => std::thread::sleep(RETRY_DELAY),
                Err(TryLockError::WouldBlock) => {
                    debug!(path = %path.display(), ms = started.elapsed().as_millis(), "lock held by another process");
                    return Ok(None);
                }
                Err(TryLockError::Error(source)) => return Err(FileError::new("lock", path, source)),
            }
        }
    }

    /// A second handle of the lock, which stays held until both are closed.
    pub fn shared(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Lets a command hold the lock too, until it ends.
    pub fn share_with(&self, command: &mut Command) {
        inherit(command, &self.file);
    }
}

/// Whether some process holds the lock right now. A file that does not exist is not locked.
pub fn is_held(path: &Path) -> Result<bool, FileError> {
    let file = match open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(FileError::new("open the lock", path, source)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(FileError::new("probe the lock", path, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_free_when_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        assert!(!is_held(&path).unwrap(), "a missing file is held by nobody");
        let lock = Lock::take(&path, Duration::ZERO).unwrap().unwrap();
        assert!(is_held(&path).unwrap());
        assert!(Lock::take(&path, Duration::ZERO).unwrap().is_none());
        drop(lock);
        assert!(!is_held(&path).unwrap());
        assert!(path.exists(), "a lock file is never unlinked");
    }
}
