//! Ctrl-C and TERM: the first asks for an end, the second for a quick one; while a run is being created, it ends us.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::ErrorCode;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::problem::Problem;

/// What a program exits with that Ctrl-C ended.
const EXIT_INTERRUPTED: i32 = 130;

/// What the user has asked for so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patience {
    asked: Arc<AtomicBool>,
    hurried: Arc<AtomicBool>,
    creating: Arc<AtomicBool>,
}

impl Patience {
    /// Begins to listen. From now on neither signal ends us by itself, unless a run is being created.
    pub(crate) fn listen() -> Result<Self, Problem> {
        let patience = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM])
            .map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
        let heard = patience.clone();
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if heard.asked.swap(true, Ordering::Relaxed) {
                    if heard.creating.load(Ordering::Relaxed) {
                        signal_hook::low_level::exit(EXIT_INTERRUPTED);
                    }
                    heard.hurried.store(true, Ordering::Relaxed);
                }
            }
        });
        Ok(patience)
    }

    /// Creates a run, which the first signal takes back. A second one meanwhile ends us at once, and leaves what was made.
    pub(crate) fn while_creating<T>(&self, create: impl FnOnce(&AtomicBool) -> T) -> T {
        self.creating.store(true, Ordering::Relaxed);
        let created = create(&self.asked);
        self.creating.store(false, Ordering::Relaxed);
        created
    }

    /// Set by the first signal.
    pub(crate) fn asked(&self) -> &AtomicBool {
        &self.asked
    }

    /// Set by the second.
    pub(crate) fn hurried(&self) -> &AtomicBool {
        &self.hurried
    }
}
