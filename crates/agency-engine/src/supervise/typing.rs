//! Typing on the agent's terminal, with the pauses that its screen needs.

use agency_adapters::screen::KEY_PAUSE;

use super::Supervisor;
use super::timers::Timer;

impl Supervisor<'_> {
    /// Types a message, and Enter.
    pub(super) fn type_message(&mut self, text: &str) {
        let pasted = self.display.screen().is_some_and(|screen| screen.screen().bracketed_paste());
        let typed = match pasted {
            true => format!("\u{1b}[200~{text}\u{1b}[201~"),
            // Each line end would be an Enter of its own.
            false => text.replace(['\r', '\n'], " "),
        };
        self.type_keys(vec![typed.into_bytes(), b"\r".to_vec()]);
    }

    /// Types some keys, one after the other.
    pub(super) fn type_keys(&mut self, keys: Vec<Vec<u8>>) {
        self.process.queue_keys(keys);
        if !self.timers.is_armed(&Timer::NextKey) {
            self.type_next();
        }
    }

    /// The pause is over.
    pub(super) fn type_next(&mut self) {
        self.timers.disarm(&Timer::NextKey);
        if let Some(key) = self.process.next_key() {
            // A terminal that is gone has no dialog either, which the next reading of the screen reports.
            let _ = self.process.write(&key);
            self.timers.arm(Timer::NextKey, KEY_PAUSE);
        }
    }

    /// Whether something is still to be typed, or was typed just now.
    pub(super) fn is_typing(&self) -> bool {
        self.timers.is_armed(&Timer::NextKey)
    }

    /// Drops what is still to be typed.
    pub(super) fn stop_typing(&mut self) {
        self.process.drop_keys();
        self.timers.disarm(&Timer::NextKey);
    }
}
