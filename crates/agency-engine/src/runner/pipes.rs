//! A program on pipes.

use std::fmt;
use std::io;
use std::os::fd::AsFd;
use std::process::Stdio;

use agency_model::run::Exit;
use agency_system::process::{ReadOrder, in_new_session};
use tokio::net::unix::pipe;

use super::input::{ProgramInput, Writer};
use super::output::{Output, READ_BYTES};
use super::running::{Running, Streams};
use super::{
    InputClosed, NextEvent, ProcessRunner, RunnerCommand, Signal, SpawnError, StdinPlan, Stream, TerminalSize,
    require_runtime,
};

/// Runs a program without a terminal.
///
/// Its input is what its [`StdinPlan`] says. With [`StdinPlan::Open`], [`type_in`](ProcessRunner::type_in) writes to it;
/// otherwise, and once it is closed, that is [`InputClosed`].
pub struct HeadlessRunner {
    running: Running,
}

impl fmt::Debug for HeadlessRunner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pid, exit) = (self.running.pid(), self.running.exit());
        formatter.debug_struct("HeadlessRunner").field("pid", &pid).field("exit", &exit).finish_non_exhaustive()
    }
}

impl HeadlessRunner {
    /// Starts a program in a session and group of its own.
    ///
    /// # Errors
    ///
    /// Fails when the program cannot be started, and when this is not called within a tokio runtime.
    ///
    /// # Panics
    ///
    /// tokio panics if its runtime was built without I/O and time: use `enable_all`.
    pub fn spawn(command: &RunnerCommand) -> Result<Self, SpawnError> {
        require_runtime()?;
        on_pipes(command).map_err(|source| command.refused(source))
    }
}

fn on_pipes(command: &RunnerCommand) -> io::Result<HeadlessRunner> {
    let stdin = match command.stdin {
        // An open pipe that nothing comes through hangs some agents.
        StdinPlan::Keyboard => Stdio::null(),
        StdinPlan::Text(_) | StdinPlan::Open => Stdio::piped(),
    };
    let (stdout, stdout_end) = io::pipe()?;
    let (stderr, stderr_end) = io::pipe()?;
    widen(&stdout);
    // Before the program starts: what is ready when it is added has no order.
    let order = Some(ReadOrder::of(&stdout, &stderr)?);
    let mut started = command.to_tokio();
    started.stdin(stdin).stdout(stdout_end).stderr(stderr_end);
    in_new_session(started.as_std_mut());
    let mut child = started.spawn()?;
    // It holds the writing ends of both pipes, which would never be at their end.
    drop(started);
    let stdout = Output::new(Stream::Stdout, pipe::Receiver::from_owned_fd(stdout.into())?);
    let stderr = Output::new(Stream::Stderr, pipe::Receiver::from_owned_fd(stderr.into())?);
    let writer = child.stdin.take().map(|pipe| Box::new(pipe) as Writer);
    let running = Running::new(child, Streams { stdout, stderr, order }, ProgramInput::new(writer, &command.stdin))?;
    Ok(HeadlessRunner { running })
}

/// Fewer and larger reads; the system may allow less, which is only slower.
fn widen(pipe: &impl AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, READ_BYTES);
}

impl ProcessRunner for HeadlessRunner {
    fn pid(&self) -> u32 {
        self.running.pid()
    }

    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(self.running.next())
    }

    fn written(&self, stream: Stream, length: usize) -> &[u8] {
        self.running.written(stream, length)
    }

    fn type_in(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        self.running.type_in(bytes)
    }

    fn close_input(&mut self) {
        self.running.input.close();
    }

    fn resize(&mut self, _size: TerminalSize) {}

    fn signal(&self, signal: Signal) {
        self.running.signal(signal);
    }

    fn has_survivors(&self) -> bool {
        !self.running.survivors().is_empty()
    }

    fn kill_survivors(&self) {
        for process in self.running.survivors() {
            process.signal(Signal::KILL.to_system());
        }
    }

    fn exit(&self) -> Option<Exit> {
        self.running.exit()
    }

    fn is_silent(&self) -> bool {
        self.running.is_silent()
    }
}
