//! Lets those who change a repository with jj take turns.
//!
//! Jj itself lets everybody write at once and merges what they did, but the git repository below it does not: exports of
//! bookmarks and worktrees that are made at the same moment meet each other half done.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::link;

/// How long a process waits for the others. After that it continues: jj is safe by itself, only less patient.
const LIMIT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(5);

/// The right to change a repository, until it is dropped.
pub(super) struct Turn {
    _locked: Option<File>,
}

impl Turn {
    /// Waits for the turn in the repository of a workspace. The lock is on a directory of jj's, so nothing is made for it.
    pub(super) fn take(workspace: &Path) -> Self {
        let directory = link::repository_of(workspace).and_then(|repository| File::open(repository).ok());
        let deadline = Instant::now() + LIMIT;
        while let Some(directory) = &directory
            && let Err(TryLockError::WouldBlock) = directory.try_lock()
            && Instant::now() < deadline
        {
            thread::sleep(PAUSE);
        }
        Self { _locked: directory }
    }
}
