//! One inotify instance for the whole process, shared by everything that watches directories: a user may have only 128.
//!
//! The one rule: a callback is called without any lock of the hub, on the thread of the kernel's watcher. It has to be
//! quick, and may not subscribe or unsubscribe itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::directory::{DirectoryChange, change_of};
use crate::home::HomeError;

static HUB: Mutex<Weak<Hub>> = Mutex::new(Weak::new());

type Callback = Arc<dyn Fn(DirectoryChange) + Send + Sync>;

/// Calls back at each change in some directories until it is dropped.
pub(super) struct Subscription {
    hub: Arc<Hub>,
    number: u64,
    directories: Vec<PathBuf>,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Subscription").field("directories", &self.directories).finish_non_exhaustive()
    }
}

struct Hub {
    /// Held as long as a directory is added or removed: an end that is late must not take the watch of a new beginning.
    watcher: Mutex<RecommendedWatcher>,
    subscribers: Arc<Subscribers>,
    numbers: AtomicU64,
}

#[derive(Default)]
struct Subscribers {
    by_directory: Mutex<HashMap<PathBuf, Vec<(u64, Callback)>>>,
}

/// Subscribes to the changes in some directories, without those below them.
pub(super) fn subscribe(
    directories: &[&Path],
    callback: impl Fn(DirectoryChange) + Send + Sync + 'static,
) -> Result<Subscription, HomeError> {
    let hub = Hub::shared().map_err(|error| problem(directories.first().copied(), &error))?;
    let number = hub.numbers.fetch_add(1, Ordering::Relaxed);
    let callback: Callback = Arc::new(callback);
    let mut subscription = Subscription { hub, number, directories: vec![] };
    for directory in directories {
        // Two names of one directory are one watch of the kernel, so the hub knows it by one name.
        let real = std::fs::canonicalize(directory).map_err(|source| HomeError::new("watch", *directory, source))?;
        subscription.add(real, &callback).map_err(|error| problem(Some(directory), &error))?;
    }
    Ok(subscription)
}

fn problem(directory: Option<&Path>, error: &notify::Error) -> HomeError {
    HomeError::new("watch", directory.unwrap_or(Path::new(".")), std::io::Error::other(error.to_string()))
}

impl Hub {
    /// The hub of this process. It ends with its last subscription.
    fn shared() -> notify::Result<Arc<Self>> {
        let mut shared = lock(&HUB);
        if let Some(hub) = shared.upgrade() {
            return Ok(hub);
        }
        let subscribers = Arc::new(Subscribers::default());
        let called = Arc::clone(&subscribers);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if let Some(change) = change_of(&event) {
                for callback in called.of(&event) {
                    callback(change);
                }
            }
        })?;
        let hub = Arc::new(Self { watcher: Mutex::new(watcher), subscribers, numbers: AtomicU64::new(0) });
        *shared = Arc::downgrade(&hub);
        Ok(hub)
    }
}

impl Subscribers {
    /// The watchers that an event concerns, each once. An event without a path is about all: the kernel lost some.
    fn of(&self, event: &notify::Event) -> Vec<Callback> {
        let by_directory = lock(&self.by_directory);
        let mut found: Vec<&(u64, Callback)> = match event.paths.is_empty() {
            true => by_directory.values().flatten().collect(),
            false => {
                let both = event.paths.iter().flat_map(|path| [Some(path.as_path()), path.parent()]).flatten();
                both.filter_map(|directory| by_directory.get(directory)).flatten().collect()
            }
        };
        found.sort_unstable_by_key(|(number, _)| *number);
        found.dedup_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, callback)| Arc::clone(callback)).collect()
    }
}

impl Subscription {
    fn add(&mut self, directory: PathBuf, callback: &Callback) -> notify::Result<()> {
        let mut watcher = lock(&self.hub.watcher);
        // Also where it is watched already: a directory of that name may have been removed and made again.
        watcher.watch(&directory, RecursiveMode::NonRecursive)?;
        let mut by_directory = lock(&self.hub.subscribers.by_directory);
        by_directory.entry(directory.clone()).or_default().push((self.number, Arc::clone(callback)));
        self.directories.push(directory);
        Ok(())
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        for directory in &self.directories {
            let mut watcher = lock(&self.hub.watcher);
            let mut by_directory = lock(&self.hub.subscribers.by_directory);
            let Some(left) = by_directory.get_mut(directory) else { continue };
            left.retain(|(number, _)| *number != self.number);
            if left.is_empty() {
                by_directory.remove(directory);
                // The watcher's thread may be about to ask which watchers an event concerns.
                drop(by_directory);
                // A directory that was removed is not watched any more.
                let _ = watcher.unwatch(directory);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(20);

    fn subscribed(directories: &[&Path]) -> (Subscription, Receiver<DirectoryChange>) {
        let (sender, changes) = channel();
        let subscription = subscribe(directories, move |change| {
            let _ = sender.send(change);
        });
        (subscription.unwrap(), changes)
    }

    #[test]
    fn all_share_one_hub_and_each_hears_of_its_own_directories() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (first, of_one) = subscribed(&[one.path()]);
        let (second, of_both) = subscribed(&[one.path(), two.path()]);
        assert!(Arc::ptr_eq(&first.hub, &second.hub));
        std::fs::write(two.path().join("file"), "x").unwrap();
        assert_eq!(of_both.recv_timeout(TIMEOUT), Ok(DirectoryChange::Content));
        assert!(of_one.try_recv().is_err());
        std::fs::write(one.path().join("file"), "x").unwrap();
        assert_eq!(of_one.recv_timeout(TIMEOUT), Ok(DirectoryChange::Content));
    }

    #[test]
    fn a_directory_stays_watched_until_its_last_subscription_ends() {
        let directory = tempfile::tempdir().unwrap();
        let (first, _changes) = subscribed(&[directory.path()]);
        let (_second, changes) = subscribed(&[directory.path()]);
        drop(first);
        std::fs::write(directory.path().join("file"), "x").unwrap();
        assert_eq!(changes.recv_timeout(TIMEOUT), Ok(DirectoryChange::Content));
    }

    #[test]
    fn a_directory_that_is_made_again_is_watched_again_under_any_name() {
        let parent = tempfile::tempdir().unwrap();
        let (directory, link) = (parent.path().join("runs"), parent.path().join("link"));
        std::fs::create_dir(&directory).unwrap();
        std::os::unix::fs::symlink(&directory, &link).unwrap();
        let (_old, _) = subscribed(&[&directory]);
        std::fs::remove_dir(&directory).unwrap();
        assert!(subscribe(&[&directory], |_| ()).is_err(), "it is not there");
        std::fs::create_dir(&directory).unwrap();
        let (_new, changes) = subscribed(&[&link]);
        std::fs::write(directory.join("file"), "x").unwrap();
        assert_eq!(changes.recv_timeout(TIMEOUT), Ok(DirectoryChange::Content));
    }
}
