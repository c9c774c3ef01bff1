//! The clean-up that `agency serve` does by itself.
//!
//! The one rule: it happens only if the user's own configuration says `gc.auto = true`; nothing of a project can.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{GcAction, GcEntry};
use crate::agency::Agency;
use crate::housekeeping::{HousekeepingError, Listener};

/// How long it waits between two clean-ups.
const INTERVAL: Duration = Duration::from_secs(3600);
/// How often it looks whether it has to end.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// What the clean-up of `agency serve` reports.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum GcNews<'a> {
    /// Something was removed, or could not be.
    Entry(&'a GcEntry),
    /// A clean-up did not happen; the next one is tried in an hour.
    Failed(&'a HousekeepingError),
}

impl Agency {
    /// Cleans up now and then every hour until `stop` is set, if the configuration says so; how much was removed.
    pub fn gc_automatically(&mut self, stop: &AtomicBool, mut say: impl FnMut(GcNews<'_>)) -> usize {
        let mut removed = 0;
        while self.config.gc.auto && !stop.load(Ordering::Relaxed) {
            match self.gc_once(stop) {
                Ok(entries) => {
                    removed += entries.iter().filter(|entry| entry.action == GcAction::Removed).count();
                    entries.iter().for_each(|entry| say(GcNews::Entry(entry)));
                }
                // A user's own is at work, or the service ends.
                Err(HousekeepingError::Busy | HousekeepingError::Interrupted) => {}
                Err(error) => say(GcNews::Failed(&error)),
            }
            let done = Instant::now();
            while done.elapsed() < INTERVAL && !stop.load(Ordering::Relaxed) {
                thread::park_timeout(STOP_POLL_INTERVAL);
            }
        }
        removed
    }

    /// What was removed, and what could not be.
    fn gc_once(&mut self, stop: &AtomicBool) -> Result<Vec<GcEntry>, HousekeepingError> {
        let listener = Listener::silent(stop);
        let plan = self.gc_plan(None, &listener)?;
        if plan.with(GcAction::Remove).next().is_none() {
            return Ok(vec![]);
        }
        let mut entries = self.gc(plan, &listener)?.entries;
        entries.retain(|entry| matches!(entry.action, GcAction::Removed | GcAction::Failed));
        Ok(entries)
    }
}
