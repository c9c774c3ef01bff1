//! A lock for processes that change a repository with jj.
//!
//! Jj itself lets several processes write at once and merges what they did, but the git repository below it does not: exports of
//! bookmarks and worktrees that are made at the same moment meet each other half done.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::link;

/// How long a process waits for the others. After that it continues without the lock: jj is safe by itself.
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// The lock of a repository, until it is dropped.
pub(super) struct RepoLock {
    _locked: Option<File>,
}

impl RepoLock {
    /// Waits for the lock of the repository of a workspace. The lock is on a directory of jj's, so nothing is made for it.
    pub(super) fn take(workspace: &Path) -> Self {
        let directory = link::repository_of(workspace).and_then(|repository| File::open(repository).ok());
        let deadline = Instant::now() + LOCK_TIMEOUT;
        while let Some(directory) = &directory
            && let Err(TryLockError::WouldBlock) = directory.try_lock()
            && Instant::now() < deadline
        {
            thread::sleep(RETRY_DELAY);
        }
        Self { _locked: directory }
    }
}
