//! Carries out what the state machine decided.

use std::sync::Arc;
use std::time::Duration;

use agency_model::Event;
use agency_model::run::{Effect, Input, Phase, Progress, StopCause, Transition, step};
use agency_system::fault;
use tracing::{error, info};

use super::Supervisor;
use super::scope::SupervisorScope;
use super::timers::{RunTimer, Timer};
use crate::home::HomeError;
use crate::record::pid_file::PidFile;
use crate::runner::SpawnError;
use crate::runs::remove::bring_up_to_date;

/// How long a killed process may take to be gone.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

impl Supervisor<'_> {
    /// Prepares the worktree, or starts the first attempt at once; the error is for the creator.
    pub(super) fn start(&mut self) -> Result<(), Arc<SpawnError>> {
        if self.begin_setup() { Ok(()) } else { self.start_agent() }
    }

    /// Starts the first attempt.
    pub(super) fn start_agent(&mut self) -> Result<(), Arc<SpawnError>> {
        self.spawn(self.run.attempt());
        self.files.reserve_space();
        self.process.start_error().cloned().map_or(Ok(()), Err)
    }

    /// Feeds one input to the state machine and carries out what follows.
    pub(super) fn feed(&mut self, input: &Input) {
        let Transition::Moved(run, effects) = step(&self.run, input) else {
            return;
        };
        info!(from = %self.run.state(), to = %run.state(), attempt = run.attempt(), ?effects, "transition");
        self.run = run;
        if let Progress::Running { phase: Phase::Starting(Some(_)), .. } = self.run.progress {
            self.setup.stop();
        }
        if let Input::Healthy { .. } = input {
            let message = "the agent ran long enough without a crash; earlier crashes no longer count".to_owned();
            self.append(Event::Notice { message });
        }
        if !self.run.state().is_terminal() {
            self.save_phase();
        }
        for effect in effects {
            match effect {
                Effect::Spawn { attempt } => self.spawn(attempt),
                Effect::Terminate { attempt } => self.terminate(attempt),
                Effect::Kill { attempt } => self.kill(attempt),
                Effect::Pause { attempt, failures } => self.pause(attempt, failures),
                // The loop ends on a terminal state and finishes there.
                Effect::Finish => {}
            }
        }
    }

    /// The phase in the row is for users; a busy database does not hold up the agent.
    fn save_phase(&mut self) {
        match self.store.save(&self.id, &self.run, None) {
            Ok(row) => {
                self.files.write_snapshot(&row);
                self.row = row;
            }
            Err(error) => {
                self.write_snapshot();
                self.report_store_error("the phase could not be stored", &error);
            }
        }
    }

    fn spawn(&mut self, attempt: u32) {
        fault::point("supervise.spawning");
        self.forget_outcome();
        if attempt > 1 {
            self.freshen_workspace();
            self.display.prepare_for_process();
        }
        match self.process.spawn(&self.launch, self.display.size()) {
            Ok(pid) => {
                let program = self.launch.program.display().to_string();
                info!(attempt, pid, program, "agent started");
                fault::point("supervise.unnoted");
                self.leave_pid_file(&program, pid);
                self.append(Event::Attempt { program, pid, logs_from: self.files.log_lengths() });
                self.begin_conversation(pid);
                let healthy = Duration::from_millis(self.launch.restart.healthy_ms);
                self.timers.arm(Timer::Run(RunTimer::Healthy { attempt }), healthy);
                fault::point("supervise.spawned");
                self.feed(&Input::Started { attempt });
            }
            Err(error) => {
                error!(attempt, program = %self.launch.program.display(), "agent not started");
                self.append(Event::Error { message: error.to_string() });
                self.feed(&Input::StartFailed { attempt, code: agency_model::ErrorCode::RunnerNotConfigured });
            }
        }
    }

    /// If the user changed the agent's base meanwhile, the next attempt sees that, with all that the last one wrote.
    fn freshen_workspace(&mut self) {
        if let Err(error) = bring_up_to_date(self.home, &self.row) {
            let message = format!("the workspace could not be brought up to date: {error}");
            self.append(Event::Notice { message });
        }
    }

    /// Notes which process the agent is, to be found when the supervisor is gone. Without the note it is still found by
    /// its environment. An agent that a thread started need not be a process.
    fn leave_pid_file(&mut self, program: &str, pid: u32) {
        let written = PidFile::of(&self.id, self.row.name.as_deref(), program, pid)
            .map_err(|error| HomeError::new("identify", format!("/proc/{pid}"), error))
            .and_then(|file| file.write(&self.home.pid_dir(self.launch.pid_dir.as_deref())));
        if let (Err(error), SupervisorScope::Process) = (written, self.process.scope()) {
            let message = format!("the pid file could not be written: {error}");
            self.append(Event::Error { message });
        }
    }

    fn terminate(&mut self, attempt: u32) {
        self.process.terminate();
        self.timers.arm(Timer::Run(RunTimer::Grace { attempt }), self.process.grace());
        fault::point("supervise.terminating");
    }

    fn kill(&mut self, attempt: u32) {
        self.process.kill();
        self.process.kill_leftovers(&self.id);
        self.timers.arm(Timer::Run(RunTimer::Kill { attempt }), KILL_TIMEOUT);
    }

    fn pause(&mut self, attempt: u32, failures: u32) {
        self.prepare_restart();
        let pauses = &self.launch.restart.pauses_ms;
        let index = usize::try_from(failures).unwrap_or(usize::MAX).saturating_sub(1);
        let delay_ms = pauses.get(index).or(pauses.last()).copied().unwrap_or_default();
        let delay = Duration::from_millis(delay_ms).max(self.shortest_pause());
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.append(Event::Restart { failures, delay_ms });
        self.timers.arm(Timer::Run(RunTimer::Pause { attempt }), delay);
    }

    /// Stops the run. A second request may shorten the grace, never prolong it.
    pub(super) fn feed_stop(&mut self, grace: Option<Duration>) {
        if let Some(grace) = grace {
            self.process.set_grace(grace);
        }
        self.feed(&Input::Stop(StopCause::Requested));
        let timer = Timer::Run(RunTimer::Grace { attempt: self.run.attempt() });
        self.timers.shorten(&timer, self.process.grace());
    }
}
