//! Fetching git sources, several at a time. One that fails does not spoil the others.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agency_system::lock::Lock;
use agency_workspace::{Fetch, Fetched, WorkspaceError, fetch};
use tracing::info;

use super::{Source, SourceError, SourceKind, Sources, masked};
use crate::home::create_private_directory;

/// How many are fetched at once.
const AT_ONCE: usize = 4;
/// How long another process may take to fetch the same source.
const LOCK_TIMEOUT: Duration = Duration::from_secs(600);

/// What happens while sources are fetched.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SyncEvent<'a> {
    /// A source is being fetched.
    Begun {
        /// The source.
        name: &'a str,
    },
    /// Progress of git.
    Progress {
        /// The source.
        name: &'a str,
        /// Git's own words.
        words: &'a str,
    },
    /// A source is fetched, or is not.
    Ended {
        /// The source.
        name: &'a str,
    },
}

/// The outcome for one source.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Synced {
    /// The source.
    pub name: String,
    /// What its clone is now.
    pub outcome: Result<Fetched, SourceError>,
}

impl Sources {
    /// Fetches these git sources, or all; returns the outcome of each, in the order of their names.
    pub fn sync(
        &self,
        names: &[String],
        hear: &(dyn Fn(SyncEvent<'_>) + Sync),
        cancelled: &AtomicBool,
    ) -> Result<Vec<Synced>, SourceError> {
        let wanted = self.wanted(names)?;
        let next = AtomicUsize::new(0);
        let done = Mutex::new(vec![]);
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(wanted.len()) {
                scope.spawn(|| {
                    while let Some(source) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = self.sync_one(source, hear, cancelled);
                        hear(SyncEvent::Ended { name: &source.name });
                        let synced = Synced { name: source.name.clone(), outcome };
                        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(synced);
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        done.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(done)
    }

    fn wanted(&self, names: &[String]) -> Result<Vec<Source>, SourceError> {
        let mut catalogue = self.catalogue()?;
        if names.is_empty() {
            let all = catalogue.sources.into_values();
            return Ok(all.filter(|source| matches!(source.kind, SourceKind::Git { .. })).collect());
        }
        let mut wanted = vec![];
        for name in names {
            if !catalogue.sources.contains_key(name) && wanted.iter().all(|known: &Source| known.name != *name) {
                return Err(catalogue.unknown("source", name));
            }
            wanted.extend(catalogue.sources.remove(name));
        }
        Ok(wanted)
    }

    fn sync_one(
        &self,
        source: &Source,
        hear: &(dyn Fn(SyncEvent<'_>) + Sync),
        cancelled: &AtomicBool,
    ) -> Result<Fetched, SourceError> {
        let name = source.name.as_str();
        let SourceKind::Git { url, reference } = &source.kind else {
            let why = "it is not a repository, so there is nothing to fetch";
            return Err(SourceError::Invalid { what: "the source", value: name.to_owned(), why });
        };
        hear(SyncEvent::Begun { name });
        let lock = self.lock_clone(name)?;
        let directory = self.clone_of(name);
        let request = Fetch { directory: &directory, url, reference: reference.as_deref(), lock: Some(&lock) };
        let started = Instant::now();
        let fetched = fetch(request, &mut |words| hear(SyncEvent::Progress { name, words }), cancelled);
        info!(source = name, succeeded = fetched.is_ok(), ms = started.elapsed().as_millis(), "source fetched");
        match fetched {
            Ok(Some(fetched)) => Ok(fetched),
            Ok(None) => Err(SourceError::Interrupted),
            Err(WorkspaceError::Git { message, .. }) => {
                Err(SourceError::Sync { name: name.to_owned(), message: message.replace(url.as_str(), &masked(url)) })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Held by the process that changes the clone of a source.
    pub(super) fn lock_clone(&self, name: &str) -> Result<Lock, SourceError> {
        create_private_directory(&self.clones)?;
        let path = self.clones.join(format!(".{name}.lock"));
        Lock::take(&path, LOCK_TIMEOUT)?.ok_or(SourceError::Busy(path))
    }
}
