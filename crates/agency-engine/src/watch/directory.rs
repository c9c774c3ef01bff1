//! Waiting for changes in directories.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::EventKind;
use notify::event::{AccessKind, AccessMode};

use super::StopHandle;
use super::hub::{Subscription, subscribe};
use crate::home::HomeError;

/// A watcher may miss changes on some file systems, so the directory is also polled.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The kernel reports a closed lock file a moment before it releases the lock.
pub(crate) const LOCK_LAG: Duration = Duration::from_millis(2);

/// Watches some directories, without those below them.
#[derive(Debug)]
pub struct DirectoryWatch {
    _subscription: Subscription,
    sender: Arc<Sender<DirectoryChange>>,
    changes: Receiver<DirectoryChange>,
}

/// What happened in a watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DirectoryChange {
    /// A file was written, made or replaced.
    Content,
    /// A lock file was closed by a process that could have held it.
    Closed,
}

/// Watches some directories, without those below them, and calls whenever something changes there.
#[derive(Debug)]
pub struct ChangeCallback {
    _subscription: Subscription,
}

impl ChangeCallback {
    /// Begins to watch; `call` is called from another thread, and has to be quick.
    pub fn set(directories: &[&Path], call: impl Fn() + Send + Sync + 'static) -> Result<Self, HomeError> {
        Ok(Self { _subscription: subscribe(directories, move |_| call())? })
    }
}

impl DirectoryWatch {
    /// Begins to watch; every change from now on is noticed.
    pub fn begin(directories: &[&Path]) -> Result<Self, HomeError> {
        let (sender, changes) = channel();
        let sender = Arc::new(sender);
        let called = Arc::clone(&sender);
        let subscription = subscribe(directories, move |change| {
            // Without a receiver the watch is ending.
            let _ = called.send(change);
        })?;
        Ok(Self { _subscription: subscription, sender, changes })
    }

    /// The same; a stop of the handle counts as a change.
    pub fn stopped_by(directories: &[&Path], stop: &StopHandle) -> Result<Self, HomeError> {
        let watch = Self::begin(directories)?;
        stop.wake(&watch.sender);
        Ok(watch)
    }

    /// Whether a change waits to be noticed.
    #[cfg(test)]
    pub(super) fn was_woken(&self) -> bool {
        self.changes.try_recv().is_ok()
    }

    /// Waits for a change, or for `limit`; several changes at once count as one.
    pub fn wait(&self, limit: Duration) {
        let first = match self.changes.recv_timeout(limit.min(POLL_INTERVAL)) {
            Ok(change) => change,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        };
        let closed = self.changes.try_iter().chain([first]).any(|change| change == DirectoryChange::Closed);
        if closed {
            std::thread::sleep(LOCK_LAG);
        }
    }
}

/// The change that an event reports; `None` for an access that changes nothing.
pub(super) fn change_of(event: &notify::Event) -> Option<DirectoryChange> {
    let is_lock = event.paths.iter().any(|path| path.extension().is_some_and(|extension| extension == "lock"));
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) if is_lock => Some(DirectoryChange::Closed),
        EventKind::Access(_) => None,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => {
            Some(DirectoryChange::Content)
        }
    }
}
