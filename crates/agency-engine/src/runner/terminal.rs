//! A program on a terminal, with a second one for its standard error if its command asks for that.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use agency_model::run::Exit;
use agency_system::process::{ReadOrder, end_of_input, leave_newlines_alone, newline_needs_return, set_terminal_size};

use super::input::{ProgramInput, Writer};
use super::output::Output;
use super::running::{Running, Streams};
use super::{
    InputClosed, NextEvent, ProcessRunner, RunnerCommand, RunnerEvent, Signal, SpawnError, StdinPlan, Stream,
    TerminalSize, require_runtime,
};

/// Runs a program that needs a terminal.
///
/// Its standard error is the same terminal, so that all output is one stream in the order in which it was written,
/// unless [`RunnerCommand::separate_stderr`] asks for two.
pub struct AgentRunner {
    running: Running,
    /// The master ends, for sizes and settings.
    screen: OwnedFd,
    errors: Option<OwnedFd>,
    /// The program's ends, which we hold until it is gone: a terminal that all processes have closed is at its end, and a
    /// program may still come back to it by `/dev/tty`.
    held: Vec<OwnedFd>,
    reads_terminal: bool,
    /// Whether a line was begun, so that the end of input has to end the line first.
    within_line: bool,
}

impl fmt::Debug for AgentRunner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pid, exit) = (self.running.pid(), self.running.exit());
        formatter.debug_struct("AgentRunner").field("pid", &pid).field("exit", &exit).finish_non_exhaustive()
    }
}

impl AgentRunner {
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
        on_terminal(command).map_err(|source| command.refused(source))
    }
}

/// One terminal: the end that is read, the end that the program has, and copies of both.
struct Terminal {
    pty: pty_process::Pty,
    pts: pty_process::Pts,
    master: OwnedFd,
    held: OwnedFd,
}

impl Terminal {
    fn open(size: TerminalSize) -> io::Result<Self> {
        let (pty, pts) = pty_process::open().map_err(io::Error::other)?;
        leave_newlines_alone(pty.as_fd())?;
        set_terminal_size(pty.as_fd(), size)?;
        let (master, held) = (pty.as_fd().try_clone_to_owned()?, pts.as_fd().try_clone_to_owned()?);
        Ok(Self { pty, pts, master, held })
    }
}

fn on_terminal(command: &RunnerCommand) -> io::Result<AgentRunner> {
    let screen = Terminal::open(command.size)?;
    let errors = if command.separate_stderr { Some(Terminal::open(command.size)?) } else { None };
    // Before the program starts: what is ready when it is added has no order.
    let order = errors.as_ref().map(|errors| ReadOrder::of(&screen.master, &errors.master)).transpose()?;
    let reads_terminal = match command.stdin {
        StdinPlan::Keyboard => true,
        StdinPlan::Text(_) | StdinPlan::Open => false,
    };
    let mut started = pty_process::Command::from(command.to_tokio());
    if let Some(errors) = &errors {
        started = started.stderr(Stdio::from(errors.held.try_clone()?));
    }
    if !reads_terminal {
        started = started.stdin(Stdio::piped());
    }
    let mut child = started
        .spawn(screen.pts)
        .map_err(|error| if let pty_process::Error::Io(error) = error { error } else { io::Error::other(error) })?;
    let (reader, typing) = screen.pty.into_split();
    let mut held = vec![screen.held];
    let stdout = Output::new(Stream::Stdout, reader);
    let (stderr, errors) = match errors {
        Some(Terminal { pty, pts: _, master, held: end }) => {
            held.push(end);
            (Output::new(Stream::Stderr, pty.into_split().0), Some(master))
        }
        None => (Output::closed(Stream::Stderr), None),
    };
    let writer: Writer = match child.stdin.take() {
        Some(pipe) => Box::new(pipe),
        None => Box::new(typing),
    };
    let running =
        Running::new(child, Streams { stdout, stderr, order }, ProgramInput::new(Some(writer), &command.stdin))?;
    Ok(AgentRunner { running, screen: screen.master, errors, held, reads_terminal, within_line: false })
}

impl ProcessRunner for AgentRunner {
    fn pid(&self) -> u32 {
        self.running.pid()
    }

    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(async {
            let event = self.running.next().await;
            if event == RunnerEvent::Exited {
                self.held.clear();
            }
            event
        })
    }

    fn written(&self, stream: Stream, length: usize) -> &[u8] {
        self.running.written(stream, length)
    }

    fn type_in(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        self.within_line = bytes.last().map_or(self.within_line, |last| !matches!(last, b'\n' | b'\r'));
        self.running.type_in(bytes)
    }

    /// A terminal has no end; a program that reads it by lines takes a certain key for it.
    fn close_input(&mut self) {
        if self.reads_terminal
            && let Some(key) = end_of_input(&self.screen)
        {
            // Within a line the first key only hands the line over.
            let keys = if self.within_line { &[key, key][..] } else { &[key][..] };
            // Input that is closed already needs no end.
            let _ = self.running.input.push(keys);
        }
        self.running.input.close();
    }

    fn resize(&mut self, size: TerminalSize) {
        for terminal in [Some(&self.screen), self.errors.as_ref()].into_iter().flatten() {
            // A terminal that is gone has no size.
            let _ = set_terminal_size(terminal, size);
        }
    }

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

    fn needs_crlf(&self, stream: Stream) -> bool {
        newline_needs_return(match stream {
            Stream::Stdout => &self.screen,
            Stream::Stderr => self.errors.as_ref().unwrap_or(&self.screen),
        })
    }
}
