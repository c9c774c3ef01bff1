//! How far something is that takes long and has a known length.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on the terminal, which goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Begins a bar of so many steps; `watched` is false unless standard error is a terminal.
    pub(crate) fn begin(text: &'static str, steps: usize, watched: bool) -> Self {
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(u64::try_from(steps).ok(), target).with_message(text);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar }
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Several bars, one after the other.
#[derive(Debug)]
pub(crate) struct Phases {
    text: &'static str,
    watched: bool,
    bar: Mutex<Option<Progress>>,
}

impl Phases {
    /// Shows nothing before the first phase.
    pub(crate) const fn new(text: &'static str, watched: bool) -> Self {
        Self { text, watched, bar: Mutex::new(None) }
    }

    /// A phase of so many steps replaces the one before.
    pub(crate) fn begin(&self, steps: usize) {
        let bar = (steps > 0).then(|| Progress::begin(self.text, steps, self.watched));
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = bar;
    }

    /// One step of it is done.
    pub(crate) fn step(&self) {
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.step();
        }
    }

    /// The last phase is over.
    pub(crate) fn end(&self) {
        self.begin(0);
    }
}
