//! Signals of the operating system.

use rustix::process::Signal as SystemSignal;

/// A signal that can be sent to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(SystemSignal);

impl Signal {
    /// The terminal is gone.
    pub const HUP: Self = Self(SystemSignal::HUP);
    /// Ctrl-C.
    pub const INT: Self = Self(SystemSignal::INT);
    /// Ctrl-\.
    pub const QUIT: Self = Self(SystemSignal::QUIT);
    /// Ends the program at once; it cannot be ignored.
    pub const KILL: Self = Self(SystemSignal::KILL);
    /// Asks the program to end.
    pub const TERM: Self = Self(SystemSignal::TERM);
    /// Continues a stopped program.
    pub const CONT: Self = Self(SystemSignal::CONT);
    /// Stops the program until [`CONT`](Self::CONT); it cannot be ignored.
    pub const STOP: Self = Self(SystemSignal::STOP);
    /// For the program's own use.
    pub const USR1: Self = Self(SystemSignal::USR1);
    /// For the program's own use.
    pub const USR2: Self = Self(SystemSignal::USR2);
    /// The terminal has another size.
    pub const WINCH: Self = Self(SystemSignal::WINCH);

    /// Its number, as [`Exit::signal`](agency_model::run::Exit::signal) has it.
    #[must_use]
    pub const fn as_raw(self) -> i32 {
        self.0.as_raw()
    }

    pub(super) const fn to_system(self) -> SystemSignal {
        self.0
    }
}
