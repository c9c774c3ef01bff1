//! The time between the agent's exit and the end of the attempt.
//!
//! All the agent said is read to the end, and whatever it left running is ended: TERM, a grace,
//! KILL. A stranger who holds the agent's terminal open does not keep the run from ending.

use std::time::Duration;

use agency_model::Event;
use agency_model::run::Input;
use rustix::process::Signal;
use tokio::time::Instant;

use super::turn::Supervisor;
use crate::process::{ProcessHandle, left_children};

/// How long last words may take when nobody of the agent is left.
const LISTENING: Duration = Duration::from_millis(500);
/// How long leftovers get to end by themselves.
const ASKED: Duration = Duration::from_secs(2);
/// How long they may take to be gone when killed.
const KILLED: Duration = Duration::from_secs(1);

/// How far the end of an attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastWords {
    /// Nobody is left; the streams are read to their ends.
    Listening,
    /// Leftovers were sent TERM.
    Asked,
    /// Leftovers were sent KILL.
    Killed,
}

impl Supervisor<'_> {
    /// The agent has exited.
    pub(super) fn hear_last_words(&mut self) {
        // Its grace, if it had one, is over; what it left has one of its own.
        self.timers.phase = None;
        let left = left_children();
        for process in &left {
            let message = format!("ending what the agent left running: {} ({})", process.pid(), process.command_line());
            self.events.append(self.run.attempt(), Event::Notice { message });
            process.signal(Signal::TERM);
        }
        if left.is_empty() {
            self.listen(LastWords::Listening, LISTENING);
        } else {
            self.listen(LastWords::Asked, ASKED);
        }
        self.listen_on();
    }

    /// A stream ended or a process went away: perhaps that was all.
    pub(super) fn listen_on(&mut self) {
        let Some(stage) = self.last_words else { return };
        let left = left_children();
        if stage == LastWords::Killed {
            // The death of one leftover may hand us its children.
            signal_all(&left, Signal::KILL);
        }
        if !left.is_empty() {
            return;
        }
        if self.agent.as_ref().is_none_or(|agent| agent.is_silent()) {
            self.attempt_is_over();
        } else if stage != LastWords::Listening {
            self.listen(LastWords::Listening, LISTENING);
        }
    }

    /// The time of the present stage is over.
    pub(super) fn last_words_are_over(&mut self) {
        match self.last_words {
            None => {}
            Some(LastWords::Asked) => {
                signal_all(&left_children(), Signal::KILL);
                self.listen(LastWords::Killed, KILLED);
            }
            Some(LastWords::Listening | LastWords::Killed) => self.attempt_is_over(),
        }
    }

    fn listen(&mut self, stage: LastWords, limit: Duration) {
        self.last_words = Some(stage);
        self.timers.drain = Some(Instant::now() + limit);
    }

    fn attempt_is_over(&mut self) {
        self.last_words = None;
        self.timers.drain = None;
        let Some(exit) = self.agent.take().and_then(|agent| agent.exit()) else {
            return;
        };
        let attempt = self.run.attempt();
        self.keep_last_screen();
        self.note_crash_site();
        let verdict = self.stop_understanding();
        self.close_eye();
        self.stop_typing();
        self.withdraw_all("the process that asked is gone");
        self.doing.activity = None;
        self.timers.life = None;
        self.timers.health = None;
        self.timers.close = None;
        self.timers.dismiss = None;
        self.events.append(attempt, Event::Exit { exit_code: exit.exit_code, signal: exit.signal });
        self.feed(&Input::Exited { attempt, exit, verdict });
    }
}

fn signal_all(processes: &[ProcessHandle], signal: Signal) {
    for process in processes {
        process.signal(signal);
    }
}
