//! Ctrl-C and TERM: the first asks for an end, the second for a quick one. While a run is created, or many are read, the
//! second ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::ErrorCode;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::problem::Problem;
use crate::terminal::put_back;

/// What a program exits with that Ctrl-C ended.
const EXIT_INTERRUPTED: i32 = 130;

/// What the user has asked for so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupts {
    asked: Arc<AtomicBool>,
    hurried: Arc<AtomicBool>,
    exits_on_second: Arc<AtomicBool>,
}

impl Interrupts {
    /// Installs the handlers. From now on neither signal ends the program by itself, except as the methods below say.
    pub(crate) fn listen() -> Result<Self, Problem> {
        let interrupts = Self::default();
        let mut signals = Signals::new([SIGINT, SIGTERM])
            .map_err(|error| Problem::new(ErrorCode::Io, format!("signals cannot be caught: {error}")))?;
        let heard = interrupts.clone();
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if heard.asked.swap(true, Ordering::Relaxed) {
                    if heard.exits_on_second.load(Ordering::Relaxed) {
                        put_back();
                        signal_hook::low_level::exit(EXIT_INTERRUPTED);
                    }
                    heard.hurried.store(true, Ordering::Relaxed);
                }
            }
        });
        Ok(interrupts)
    }

    /// Creates a run, which the first signal takes back. A second one meanwhile ends us at once, and leaves what was made.
    pub(crate) fn while_creating<T>(&self, create: impl FnOnce(&AtomicBool) -> T) -> T {
        self.exiting_on_second(create)
    }

    /// Reads something without changing it; the first signal ends it after the step at hand, a second one at once.
    pub(crate) fn while_looking<T>(&self, look: impl FnOnce(&AtomicBool) -> T) -> T {
        self.exiting_on_second(look)
    }

    fn exiting_on_second<T>(&self, act: impl FnOnce(&AtomicBool) -> T) -> T {
        self.exits_on_second.store(true, Ordering::Relaxed);
        let result = act(&self.asked);
        self.exits_on_second.store(false, Ordering::Relaxed);
        result
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
