//! A handle that ends a wait from another thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::directory::DirectoryChange;

/// Stops what waits for changes, at once and from any thread: a [`Watcher`](crate::runs::watcher::Watcher), or the
/// [events of a session](crate::orchestrator::SessionEvents). All clones are the same handle.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    is_stopped: AtomicBool,
    waiting: Mutex<Vec<Weak<Sender<DirectoryChange>>>>,
}

impl StopHandle {
    /// A handle that stops nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops what waits, and what will wait. A handle stays stopped.
    pub fn stop(&self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        let waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in waiting.iter().filter_map(Weak::upgrade) {
            // A watch without a receiver is ending.
            let _ = sender.send(DirectoryChange::Content);
        }
    }

    /// Whether [`stop`](Self::stop) was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.is_stopped.load(Ordering::SeqCst)
    }

    /// Wakes this watch when the handle is stopped, or at once if it is.
    pub(super) fn wake(&self, sender: &Arc<Sender<DirectoryChange>>) {
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|sender| sender.strong_count() > 0);
        waiting.push(Arc::downgrade(sender));
        if self.is_stopped() {
            let _ = sender.send(DirectoryChange::Content);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::watch::DirectoryWatch;

    #[test]
    fn a_stop_wakes_what_waits_and_what_waits_later_and_forgets_what_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let handle = StopHandle::new();
        drop(DirectoryWatch::stopped_by(&[directory.path()], &handle).unwrap());
        let watch = DirectoryWatch::stopped_by(&[directory.path()], &handle).unwrap();
        assert_eq!(handle.shared.waiting.lock().unwrap().len(), 1);
        assert!(!handle.is_stopped());
        let other = handle.clone();
        let stopping = std::thread::spawn(move || other.stop());
        // The poll interval ends a single wait too, so the reason is asked.
        let until = Instant::now() + Duration::from_secs(20);
        while !handle.is_stopped() && Instant::now() < until {
            watch.wait(Duration::from_secs(20));
        }
        stopping.join().unwrap();
        assert!(handle.is_stopped());
        let late = DirectoryWatch::stopped_by(&[directory.path()], &handle).unwrap();
        assert!(late.was_woken(), "a handle that is stopped wakes at once");
    }
}
