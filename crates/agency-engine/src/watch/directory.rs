//! Waiting for something to happen to a run: at its supervisor's door or by watching its directory, never by polling.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::EventKind;
use notify::event::{AccessKind, AccessMode};

use agency_model::RunId;
use agency_model::run::State;

use super::hub::{Subscription, subscribe};
use crate::agency::Agency;
use crate::home::HomeError;
use crate::store::{RunRow, StoreError};
use crate::wire::wait_for_change;

/// A watcher may miss what happens on some file systems, so now and then we look all the same.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The kernel tells of a closed lock file a moment before it lets go of the lock.
pub(crate) const LOCK_LAG: Duration = Duration::from_millis(2);

/// A supervisor that lets us wait does not answer so soon.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// Watches some directories, without those below them.
#[derive(Debug)]
pub struct DirectoryWatch {
    _subscription: Subscription,
    changes: Receiver<DirectoryChange>,
}

/// What happened in a watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let subscription = subscribe(directories, move |change| {
            // Without a receiver the watch is ending.
            let _ = sender.send(change);
        })?;
        Ok(Self { _subscription: subscription, changes })
    }

    /// Waits for a change, or until `limit` is over; several changes at once count as one.
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

/// What an event means to us; `None` for mere looking.
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

/// Why waiting for a run failed.
#[derive(Debug, thiserror::Error)]
pub enum WaitError {
    /// The directory could not be watched.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Agency {
    /// Waits until the run is in a state that `enough` accepts, or `limit` is over. The row as it is then.
    pub fn wait(
        &mut self,
        id: &RunId,
        limit: Option<Duration>,
        enough: impl Fn(State) -> bool,
    ) -> Result<RunRow, WaitError> {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let directory = self.home.run(id);
        let mut watch = None;
        let mut found = false;
        loop {
            let row = match self.fresh_row(id) {
                Ok(row) => row,
                // The database was lost since; `agency reconcile` brings the row back.
                Err(error) if found && error.is_lost_row() => {
                    let left = deadline.map_or(POLL_INTERVAL, |end| end.saturating_duration_since(Instant::now()));
                    if left.is_zero() {
                        return Err(error.into());
                    }
                    DirectoryWatch::begin(&[directory.path()])?.wait(left);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            found = true;
            if enough(row.state) || row.state.is_terminal() {
                return Ok(row);
            }
            if self.settle(&row)?.is_some() {
                continue;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(row);
            }
            let asked = Instant::now();
            // A door that is shut at once is no place to wait: asking again and again would be polling.
            if wait_for_change(&directory, left) && asked.elapsed() > MIN_WAIT {
                continue;
            }
            // Nobody to ask: a creator is at work, or a supervisor is just leaving. The first look after the
            // watch began decides again, so that nothing falls between the two.
            match &watch {
                None => watch = Some(DirectoryWatch::begin(&[directory.path()])?),
                Some(watch) => watch.wait(left.unwrap_or(POLL_INTERVAL)),
            }
        }
    }
}
