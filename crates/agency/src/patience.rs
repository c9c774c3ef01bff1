//! Ctrl-C and TERM: the first asks for an end, the second for a quick one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::ErrorCode;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::problem::Problem;

/// What the user has asked for so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patience {
    asked: Arc<AtomicBool>,
    hurried: Arc<AtomicBool>,
}

impl Patience {
    /// Begins to listen. From now on neither signal ends us by itself.
    pub(crate) fn listen() -> Result<Self, Problem> {
        let patience = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM])
            .map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
        let heard = patience.clone();
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if heard.asked.swap(true, Ordering::Relaxed) {
                    heard.hurried.store(true, Ordering::Relaxed);
                }
            }
        });
        Ok(patience)
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
