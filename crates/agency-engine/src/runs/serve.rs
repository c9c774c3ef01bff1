//! `agency serve`: the long-lived reconciler.
//!
//! It watches the locks and markers of live runs and completes the record of each that lost its
//! supervisor. No run depends on it: killing it does no harm.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::agency::Agency;
use crate::home::HomeError;
use crate::runs::reconcile::Reconciled;
use crate::runs::wait::WaitError;
use crate::watch::{ChangeCallback, LOCK_LAG};

/// How often a request to end is checked for.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(250);

impl Agency {
    /// Reconciles now, and then whenever something changes, until `stop` is set.
    pub fn serve(&mut self, stop: &AtomicBool, mut say: impl FnMut(&Reconciled)) -> Result<(), WaitError> {
        self.home.ensure()?;
        let (sender, changes) = channel();
        // New runs appear here; what happens inside a run is reported by its own directory.
        let _runs = watch(&self.home.runs(), &sender)?;
        let mut watched: HashMap<PathBuf, ChangeCallback> = HashMap::new();
        while !stop.load(Ordering::Relaxed) {
            match self.reconcile_live() {
                Ok(done) => done.iter().for_each(&mut say),
                // The database was moved away; another one may come.
                Err(error) if error.is_lost_row() => {}
                Err(error) => return Err(error.into()),
            }
            self.watch_live(&sender, &mut watched)?;
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
    fn watch_live(&self, sender: &Sender<()>, watched: &mut HashMap<PathBuf, ChangeCallback>) -> Result<(), WaitError> {
        let live: HashSet<PathBuf> =
            self.store.live()?.iter().map(|row| self.home.run(&row.id).path().to_owned()).collect();
        watched.retain(|directory, _| live.contains(directory));
        for new in live {
            if !watched.contains_key(&new) {
                // A run that is gone again needs no watching.
                watched.extend(watch(&new, sender).ok().map(|callback| (new, callback)));
            }
        }
        Ok(())
    }
}

/// Sends a wake-up at each change in a directory. Our own check of a lock is not a change.
fn watch(directory: &Path, sender: &Sender<()>) -> Result<ChangeCallback, HomeError> {
    let sender = sender.clone();
    ChangeCallback::set(&[directory], move || {
        // Without a receiver the service is ending.
        let _ = sender.send(());
    })
}
