//! Work on many directories: two at a time, with progress, and an end when the caller wants it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many directories are read at once.
const AT_ONCE: usize = 2;

/// What learns about progress and can end the work.
#[derive(Clone, Copy)]
pub struct Listener<'a> {
    stop: &'a AtomicBool,
    begins: &'a (dyn Fn(usize) + Sync),
    step: &'a (dyn Fn() + Sync),
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Listener").field("stop", self.stop).finish_non_exhaustive()
    }
}

impl<'a> Listener<'a> {
    /// Shows no progress.
    #[must_use]
    pub fn silent(stop: &'a AtomicBool) -> Self {
        Self { stop, begins: &|_| {}, step: &|| {} }
    }

    /// `begins` is called with the number of steps that follow, `step` after each of them.
    pub fn new(stop: &'a AtomicBool, begins: &'a (dyn Fn(usize) + Sync), step: &'a (dyn Fn() + Sync)) -> Self {
        Self { stop, begins, step }
    }

    /// Set to end the work.
    pub(super) const fn stop(&self) -> &AtomicBool {
        self.stop
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// So many steps follow.
    pub(super) fn begin(&self, steps: usize) {
        (self.begins)(steps);
    }

    /// One of them is done.
    pub(super) fn step(&self) {
        (self.step)();
    }

    /// What `look` makes of each item, in their order; `None` once it was stopped.
    pub(super) fn each<T: Sync, R: Send>(&self, items: &[T], look: impl Fn(&T) -> R + Sync) -> Option<Vec<R>> {
        self.begin(items.len());
        let (next, results) = (AtomicUsize::new(0), Mutex::new(vec![]));
        thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(items.len()) {
                scope.spawn(|| {
                    while let Some((number, item)) = take(items, &next).filter(|_| !self.is_stopped()) {
                        let result = look(item);
                        results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                        self.step();
                    }
                });
            }
        });
        if self.is_stopped() {
            return None;
        }
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(number, _)| *number);
        Some(results.into_iter().map(|(_, result)| result).collect())
    }
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    items.get(number).map(|item| (number, item))
}
