//! Carries out what the state machine decided.

use std::time::Duration;

use agency_model::Event;
use agency_model::run::{Effect, Input, StopCause, Transition, step};
use agency_system::fault;
use agency_system::process::processes_of_run;
use tracing::{error, info};

use super::finish::RESERVE;
use super::scope::SupervisorScope;
use super::supervisor::Supervisor;
use super::timers::{RunTimer, Timer};
use crate::home::HomeError;
use crate::record::pid_file::PidFile;
use crate::runner::{RunnerCommand, Signal};
use crate::runs::remove::bring_up_to_date;

/// How long a killed process may take to be gone.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

impl Supervisor<'_> {
    /// Starts the first attempt; the error is for the creator.
    pub(super) fn start(&mut self) -> Result<(), String> {
        self.spawn(self.run.attempt());
        // Without the reserve a full disk may cost the markers, not the run.
        let _ = self.directory.write(RESERVE, &[0; 64 * 1024]);
        self.start_error.clone().map_or(Ok(()), Err)
    }

    /// Feeds one input to the state machine and carries out what follows.
    pub(super) fn feed(&mut self, input: &Input) {
        let Transition::Moved(run, effects) = step(&self.run, input) else {
            return;
        };
        info!(from = %self.run.state(), to = %run.state(), attempt = run.attempt(), ?effects, "transition");
        self.run = run;
        if let Input::Healthy { attempt } = input {
            let message = "the agent has been well for long enough; earlier crashes do not count any more".to_owned();
            self.events.append(*attempt, Event::Notice { message });
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

    /// The phase in the row is for people; a database that is busy does not hold up the agent.
    fn save_phase(&mut self) {
        match self.store.save(&self.id, &self.run, None) {
            Ok(row) => {
                // A snapshot for readers of files.
                let _ = self.directory.write_json("meta.json", &row);
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
            self.make_screen_ready();
        }
        match self.scope.spawn(self.launch.mode, &self.command()) {
            Ok(agent) => {
                let program = self.launch.program.display().to_string();
                let pid = agent.pid();
                info!(attempt, pid, program, "agent started");
                self.agent = Some(agent);
                fault::point("supervise.unnoted");
                self.leave_pid_file(&program, pid);
                self.events.append(attempt, Event::Attempt { program, pid, logs_from: self.logs.lengths() });
                self.begin_conversation(pid);
                let healthy = Duration::from_millis(self.launch.restart.healthy_ms);
                self.timers.arm(Timer::Run(RunTimer::Healthy { attempt }), healthy);
                fault::point("supervise.spawned");
                self.feed(&Input::Started { attempt });
            }
            Err(error) => {
                let message = error.to_string();
                error!(attempt, program = %self.launch.program.display(), "agent not started");
                self.events.append(attempt, Event::Error { message: message.clone() });
                self.start_error = Some(message);
                self.feed(&Input::StartFailed { attempt, code: agency_model::ErrorCode::RunnerNotConfigured });
            }
        }
    }

    /// Where the user went on below the agent's revision, the next attempt sees it, with all that the last one wrote.
    fn freshen_workspace(&mut self) {
        if let Err(error) = bring_up_to_date(self.home, &self.row) {
            let message = format!("the workspace could not be brought up to date: {error}");
            self.events.append(self.run.attempt(), Event::Notice { message });
        }
    }

    /// Notes which process the agent is, to be found when the supervisor is gone. Without the note it is still found by
    /// its environment. An agent that a thread started need not be a process.
    fn leave_pid_file(&mut self, program: &str, pid: u32) {
        let written = PidFile::of(&self.id, self.row.name.as_deref(), program, pid)
            .map_err(|error| HomeError::new("identify", format!("/proc/{pid}"), error))
            .and_then(|file| file.write(&self.home.pid_dir(self.launch.pid_dir.as_deref())));
        if let (Err(error), SupervisorScope::Process) = (written, &self.scope) {
            let message = format!("the pid file could not be written: {error}");
            self.events.append(self.run.attempt(), Event::Error { message });
        }
    }

    fn command(&self) -> RunnerCommand {
        RunnerCommand::new(&self.launch.program)
            .args(&self.start.args)
            .directory(&self.launch.directory)
            .environment(&self.environment)
            .size(self.size)
            .stdin(self.start.stdin.clone())
            // The logs of a run are separate.
            .separate_stderr()
    }

    fn terminate(&mut self, attempt: u32) {
        if let Some(agent) = &self.agent {
            agent.terminate();
        }
        self.timers.arm(Timer::Run(RunTimer::Grace { attempt }), self.grace);
        fault::point("supervise.terminating");
    }

    fn kill(&mut self, attempt: u32) {
        if let Some(agent) = &self.agent {
            agent.signal(Signal::KILL);
        }
        self.kill_leftovers();
        self.timers.arm(Timer::Run(RunTimer::Kill { attempt }), KILL_TIMEOUT);
    }

    fn pause(&mut self, attempt: u32, failures: u32) {
        self.prepare_restart();
        let pauses = &self.launch.restart.pauses_ms;
        let index = usize::try_from(failures).unwrap_or(usize::MAX).saturating_sub(1);
        let delay_ms = pauses.get(index).or(pauses.last()).copied().unwrap_or_default();
        let delay = Duration::from_millis(delay_ms).max(self.shortest_pause());
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.events.append(attempt, Event::Restart { failures, delay_ms });
        self.timers.arm(Timer::Run(RunTimer::Pause { attempt }), delay);
    }

    fn kill_leftovers(&self) {
        for process in self.scope.left_children().into_iter().chain(processes_of_run(&self.id)) {
            process.signal(rustix::process::Signal::KILL);
        }
    }

    /// Stops the run. A second request may shorten the grace, never prolong it.
    pub(super) fn feed_stop(&mut self, grace: Option<Duration>) {
        self.grace = grace.unwrap_or(self.grace);
        self.feed(&Input::Stop(StopCause::Requested));
        self.timers.shorten(&Timer::Run(RunTimer::Grace { attempt: self.run.attempt() }), self.grace);
    }

    /// Does what the open requests ask for.
    pub(super) fn handle_requests(&mut self) {
        self.renew_store();
        match self.store.take_requests(&self.id) {
            Ok(requests) => {
                for request in requests {
                    self.handle_request(&request);
                }
            }
            Err(error) => self.report_store_error("a request could not be read", &error),
        }
    }
}
