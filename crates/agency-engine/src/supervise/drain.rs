//! The time between the agent's exit and the end of the attempt.
//!
//! The agent's output is read to the end, and its leftovers are ended: TERM, grace period, KILL. Another process that
//! holds the agent's terminal open does not delay the end of the run.

use std::time::Duration;

use agency_model::Event;
use agency_model::conversation;
use agency_model::run::Input;
use agency_system::process::ProcessHandle;
use rustix::process::Signal;
use tracing::info;

use super::Supervisor;
use super::timers::{RunTimer, Timer};

/// How long the rest of the output may take when no process of the agent is left.
const READ_TIMEOUT: Duration = Duration::from_millis(500);
/// How long leftovers get to end by themselves.
const TERMINATE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long they may take to be gone when killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// How far the end of an attempt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DrainStage {
    /// No process is left; the streams are read to their ends.
    Reading,
    /// Leftovers were sent TERM.
    Terminated,
    /// Leftovers were sent KILL.
    Killed,
}

impl Supervisor<'_> {
    /// Starts the end of the attempt: the agent has exited.
    pub(super) fn start_drain(&mut self) {
        // Its grace, if it had one, is over; what it left has one of its own.
        let attempt = self.run.attempt();
        self.timers.disarm(&Timer::Run(RunTimer::Grace { attempt }));
        self.timers.disarm(&Timer::Run(RunTimer::Kill { attempt }));
        self.converse(conversation::Input::Exiting);
        let left = self.process.leftovers();
        if !left.is_empty() {
            info!(processes = left.len(), "ending what the agent left running");
        }
        for process in &left {
            let message = format!("ending what the agent left running: {} ({})", process.pid(), process.command_line());
            self.append(Event::Notice { message });
            process.signal(Signal::TERM);
        }
        if left.is_empty() {
            self.enter_stage(DrainStage::Reading, READ_TIMEOUT);
        } else {
            self.enter_stage(DrainStage::Terminated, TERMINATE_TIMEOUT);
        }
        self.continue_drain();
    }

    /// Ends the attempt if this was the last stream or process.
    pub(super) fn continue_drain(&mut self) {
        let Some(stage) = self.process.drain_stage() else { return };
        let left = self.process.leftovers();
        if stage == DrainStage::Killed {
            // The children of a leftover that died may be ours now.
            signal_all(&left, Signal::KILL);
        }
        if !left.is_empty() {
            return;
        }
        if self.process.is_silent() {
            self.attempt_is_over();
        } else if stage != DrainStage::Reading {
            self.enter_stage(DrainStage::Reading, READ_TIMEOUT);
        }
    }

    /// Enters the next stage: the time of the present one is over.
    pub(super) fn drain_stage_over(&mut self) {
        match self.process.drain_stage() {
            None => {}
            Some(DrainStage::Terminated) => {
                signal_all(&self.process.leftovers(), Signal::KILL);
                self.enter_stage(DrainStage::Killed, KILL_TIMEOUT);
            }
            Some(DrainStage::Reading | DrainStage::Killed) => self.attempt_is_over(),
        }
    }

    fn enter_stage(&mut self, stage: DrainStage, limit: Duration) {
        self.process.enter_drain_stage(stage);
        self.timers.arm(Timer::Drain, limit);
    }

    fn attempt_is_over(&mut self) {
        self.catch_up_with_logs();
        self.timers.disarm(&Timer::Drain);
        let Some(exit) = self.process.take_exit() else { return };
        let attempt = self.run.attempt();
        info!(attempt, exit_code = exit.exit_code, signal = exit.signal, "agent exited");
        self.keep_last_screen();
        self.converse(conversation::Input::OutputRead);
        let verdict = self.stop_understanding();
        self.close_screen_reader();
        self.stop_typing();
        self.converse(conversation::Input::Exited);
        self.timers.disarm(&Timer::Run(RunTimer::Healthy { attempt }));
        self.append(Event::Exit { exit_code: exit.exit_code, signal: exit.signal });
        self.feed(&Input::Exited { attempt, exit, verdict });
    }
}

fn signal_all(processes: &[ProcessHandle], signal: Signal) {
    for process in processes {
        process.signal(signal);
    }
}
