//! The agent's process: what it is started with, its input and output, and how far its end has come.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use agency_model::RunId;
use agency_model::run::Exit;
use agency_system::process::{ProcessHandle, TerminalSize, processes_of_run};

use super::drain::DrainStage;
use super::scope::SupervisorScope;
use crate::runner::{InputClosed, ProcessRunner, RunnerCommand, RunnerEvent, Signal, SpawnError, Stream};
use crate::wire::{Environment, LaunchOrders, Start};

/// The process of the present attempt, and what the next one is started with.
pub(super) struct AgentProcess {
    scope: SupervisorScope,
    environment: Environment,
    start: Start,
    start_error: Option<Arc<SpawnError>>,
    runner: Option<Box<dyn ProcessRunner>>,
    keys: VecDeque<Vec<u8>>,
    grace: Duration,
    drain: Option<DrainStage>,
}

impl AgentProcess {
    pub(super) fn new(scope: SupervisorScope, environment: Environment, launch: &LaunchOrders) -> Self {
        Self {
            scope,
            environment,
            start: launch.start.clone(),
            start_error: None,
            runner: None,
            keys: VecDeque::new(),
            grace: Duration::from_millis(launch.grace_ms),
            drain: None,
        }
    }

    /// Starts the process, and returns its number.
    pub(super) fn spawn(&mut self, launch: &LaunchOrders, size: TerminalSize) -> Result<u32, Arc<SpawnError>> {
        let command = RunnerCommand::new(&launch.program)
            .args(&self.start.args)
            .directory(&launch.directory)
            .environment(&self.environment)
            .size(size)
            .stdin(self.start.stdin.clone())
            // The logs of a run are separate.
            .separate_stderr();
        match self.scope.spawn(launch.mode, &command) {
            Ok(runner) => Ok(self.runner.insert(runner).pid()),
            Err(error) => Err(self.start_error.insert(Arc::new(error)).clone()),
        }
    }

    /// Why the last process could not be started.
    pub(super) const fn start_error(&self) -> Option<&Arc<SpawnError>> {
        self.start_error.as_ref()
    }

    /// What the next process is started with.
    pub(super) const fn start(&self) -> &Start {
        &self.start
    }

    /// Lets the next process be started with something else.
    pub(super) fn set_start(&mut self, start: Start) {
        self.start = start;
    }

    /// The variables that the process has.
    pub(super) const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What the supervisor owns: a process, or a thread of a program.
    pub(super) const fn scope(&self) -> &SupervisorScope {
        &self.scope
    }

    /// The number of the process, while there is one.
    pub(super) fn pid(&self) -> Option<u32> {
        self.runner.as_ref().map(|runner| runner.pid())
    }

    /// Waits for the next thing that the process does; forever if there is none.
    pub(super) async fn next(&mut self) -> RunnerEvent {
        match &mut self.runner {
            Some(runner) => runner.next().await,
            None => std::future::pending().await,
        }
    }

    /// The bytes of the last [`RunnerEvent::Wrote`].
    pub(super) fn written(&self, stream: Stream, length: usize) -> &[u8] {
        self.runner.as_ref().map_or(&[], |runner| runner.written(stream, length))
    }

    /// Whether the output needs carriage returns to be shown.
    pub(super) fn needs_crlf(&self, stream: Stream) -> bool {
        self.runner.as_ref().is_none_or(|runner| runner.needs_crlf(stream))
    }

    /// Writes bytes to the process; fails if its input is closed.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        self.runner.as_mut().map_or(Ok(()), |runner| runner.type_in(bytes))
    }

    /// Closes the input of the process, so that it exits.
    pub(super) fn close_input(&mut self) {
        if let Some(runner) = &mut self.runner {
            runner.close_input();
        }
    }

    /// Gives the terminal of the process another size.
    pub(super) fn resize(&mut self, size: TerminalSize) {
        if let Some(runner) = &mut self.runner {
            runner.resize(size);
        }
    }

    /// Adds keys to those that are still to be typed.
    pub(super) fn queue_keys(&mut self, keys: Vec<Vec<u8>>) {
        self.keys.extend(keys);
    }

    /// Takes the next key to type.
    pub(super) fn next_key(&mut self) -> Option<Vec<u8>> {
        self.keys.pop_front()
    }

    /// Drops the keys that are still to be typed.
    pub(super) fn drop_keys(&mut self) {
        self.keys.clear();
    }

    /// Asks the process to end.
    pub(super) fn terminate(&self) {
        if let Some(runner) = &self.runner {
            runner.terminate();
        }
    }

    /// Kills the process.
    pub(super) fn kill(&self) {
        if let Some(runner) = &self.runner {
            runner.signal(Signal::KILL);
        }
    }

    /// The time between TERM and KILL.
    pub(super) const fn grace(&self) -> Duration {
        self.grace
    }

    /// Changes the time between TERM and KILL.
    pub(super) const fn set_grace(&mut self, grace: Duration) {
        self.grace = grace;
    }

    /// The processes that the agent left running.
    pub(super) fn leftovers(&self) -> Vec<ProcessHandle> {
        self.scope.left_children()
    }

    /// Kills what the agent left running, also what has another parent by now.
    pub(super) fn kill_leftovers(&self, id: &RunId) {
        for process in self.leftovers().into_iter().chain(processes_of_run(id)) {
            process.signal(rustix::process::Signal::KILL);
        }
    }

    /// Whether both streams are at their end.
    pub(super) fn is_silent(&self) -> bool {
        self.runner.as_ref().is_none_or(|runner| runner.is_silent())
    }

    /// How far the end of the attempt has come, if it has begun.
    pub(super) const fn drain_stage(&self) -> Option<DrainStage> {
        self.drain
    }

    /// Enters a stage of the end of the attempt.
    pub(super) const fn enter_drain_stage(&mut self, stage: DrainStage) {
        self.drain = Some(stage);
    }

    /// Ends the attempt: drops the process, and returns how it exited.
    pub(super) fn take_exit(&mut self) -> Option<Exit> {
        self.drain = None;
        self.runner.take().and_then(|runner| runner.exit())
    }
}
