//! Ctrl-C and TERM: the first asks for an end, the second for a quick one. While a run is created, or many are read, the
//! second ends the program. For commands that have to end what they started, the end of the terminal is such a signal, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agency_model::ErrorCode;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
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
        Self::listen_for(&[SIGINT, SIGTERM])
    }

    /// The same, and the end of the terminal is a signal, too, unless the user lets us outlive it (`nohup`).
    pub(crate) fn listen_for_hangup_too() -> Result<Self, Problem> {
        if outlives_terminal() { Self::listen() } else { Self::listen_for(&[SIGINT, SIGTERM, SIGHUP]) }
    }

    fn listen_for(caught: &[i32]) -> Result<Self, Problem> {
        let interrupts = Self::default();
        let mut signals = Signals::new(caught)
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

/// Whether HUP is ignored, which is inherited.
fn outlives_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
