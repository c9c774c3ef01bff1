//! `agency serve`: the long-lived reconciler.
//!
//! It watches the locks and markers of live runs and finishes the story of each that lost its
//! supervisor. No run depends on it: killing it harms nobody.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

use crate::agency::Agency;
use crate::home::HomeError;
use crate::reconcile::Reconciled;
use crate::watch::{WaitError, change_of};

/// How often we look whether we are to end.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The kernel tells of a closed lock file a moment before it lets go of the lock.
const LOCK_LAG: Duration = Duration::from_millis(2);

impl Agency {
    /// Reconciles now, and then whenever something changes, until `stop` is set.
    pub fn serve(&mut self, stop: &AtomicBool, mut say: impl FnMut(&Reconciled)) -> Result<(), WaitError> {
        self.home.ensure()?;
        let runs = self.home.runs();
        let problem = |error: notify::Error| HomeError::new("watch", &runs, std::io::Error::other(error.to_string()));
        let (sender, changes) = channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // The receiver lives as long as the watcher. Our own looking at a lock is no change.
            let _ = change_of(event).map(|change| sender.send(change));
        })
        .map_err(problem)?;
        // New runs appear here; what happens inside a run is told by its own directory.
        watcher.watch(&runs, RecursiveMode::NonRecursive).map_err(problem)?;
        let mut watched: HashSet<PathBuf> = HashSet::new();
        while !stop.load(Ordering::Relaxed) {
            match self.reconcile_live() {
                Ok(done) => done.iter().for_each(&mut say),
                // The database was moved away; another one may come.
                Err(error) if error.is_lost_row() => {}
                Err(error) => return Err(error.into()),
            }
            self.watch_live(&mut watcher, &mut watched)?;
            loop {
                match changes.recv_timeout(INTERRUPT_POLL_INTERVAL) {
                    Ok(_) => break,
                    Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
            std::thread::sleep(LOCK_LAG);
            // What came in the meantime is covered by the next look.
            changes.try_iter().for_each(drop);
        }
        Ok(())
    }

    /// Watches the directories of exactly the live runs.
    fn watch_live(
        &self,
        watcher: &mut notify::RecommendedWatcher,
        watched: &mut HashSet<PathBuf>,
    ) -> Result<(), WaitError> {
        let live: HashSet<PathBuf> =
            self.store.live()?.iter().map(|row| self.home.run(&row.id).path().to_owned()).collect();
        for gone in watched.difference(&live) {
            // A directory that was deleted is not watched any more anyway.
            let _ = watcher.unwatch(gone);
        }
        for new in live.difference(watched) {
            // A run that is gone again needs no watching.
            let _ = watcher.watch(new, RecursiveMode::NonRecursive);
        }
        *watched = live;
        Ok(())
    }
}
