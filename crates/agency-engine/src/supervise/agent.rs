//! The agent's process and its streams.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{ExitStatus, Stdio};

use agency_model::Mode;
use agency_model::run::Exit;
use std::os::unix::process::ExitStatusExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::{Child, Command};

use super::launch::{Environment, Launch, StdinPlan};
use super::logs::Stream;
use crate::process::{
    TerminalSize, in_new_session, leave_newlines_alone, newline_needs_return, set_terminal_size, signal_group,
};

/// One read takes at most this much of a pipe; the kernel's pipe is made as large.
const CHUNK: usize = 1024 * 1024;

/// A running agent.
pub(super) struct Agent {
    child: Child,
    pid: u32,
    stdout: Output,
    stderr: Output,
    input: Input,
    /// The master ends, for sizes and settings; none of a headless agent.
    terminals: Vec<OwnedFd>,
    /// The agent's ends, which we hold until it is gone: a terminal that everybody has closed is at its end, and an
    /// agent may still come back to it by `/dev/tty`.
    held: Vec<OwnedFd>,
    /// How it went away, once it has.
    pub(super) exit: Option<Exit>,
}

/// What an agent did.
#[derive(Debug, Clone, Copy)]
pub(super) enum AgentNews {
    /// It wrote so many bytes, which are in its buffer.
    Wrote(Stream, usize),
    /// One of its streams is at its end.
    Closed,
    /// It is gone; its last words may still be in the pipe.
    Exited,
    /// It took some input.
    TookInput,
}

struct Output {
    reader: Box<dyn AsyncRead + Unpin + Send>,
    buffer: Vec<u8>,
    open: bool,
}

struct Input {
    writer: Option<Box<dyn AsyncWrite + Unpin + Send>>,
    waiting: VecDeque<u8>,
    close_when_empty: bool,
}

impl Agent {
    /// Starts the agent in a session and group of its own.
    pub(super) fn spawn(launch: &Launch, environment: &Environment, size: TerminalSize) -> io::Result<Self> {
        let mut command = Command::new(&launch.program);
        command.args(&launch.args).current_dir(&launch.directory).env_clear().envs(environment);
        let mut agent = match launch.mode {
            Mode::Interactive => on_terminal(command, launch, size)?,
            Mode::Headless => on_pipes(command, launch)?,
        };
        if let StdinPlan::Text(text) = &launch.stdin {
            agent.input.waiting.extend(text.as_bytes());
            agent.input.close_when_empty = true;
        }
        Ok(agent)
    }

    pub(super) const fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends a signal to the whole group. Once the leader is gone its number may be somebody else's.
    pub(super) fn signal(&self, signal: rustix::process::Signal) {
        if self.exit.is_none() {
            signal_group(self.pid, signal);
        }
    }

    /// The bytes of the last [`AgentNews::Wrote`].
    pub(super) fn written(&self, stream: Stream, length: usize) -> &[u8] {
        let output = match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        };
        output.buffer.get(..length).unwrap_or_default()
    }

    /// Whether both streams are at their end.
    pub(super) const fn is_silent(&self) -> bool {
        !self.stdout.open && !self.stderr.open
    }

    /// Whether whoever shows its output has to add carriage returns.
    pub(super) fn needs_returns(&self, stream: Stream) -> bool {
        let terminal = match stream {
            Stream::Stdout => self.terminals.first(),
            Stream::Stderr => self.terminals.get(1),
        };
        terminal.is_none_or(newline_needs_return)
    }

    /// Types something into its terminal, or into its pipe if that is still open.
    pub(super) fn type_in(&mut self, bytes: &[u8]) {
        if self.input.writer.is_some() && !self.input.close_when_empty {
            self.input.waiting.extend(bytes);
        }
    }

    /// Changes the size of its terminals.
    pub(super) fn resize(&self, size: TerminalSize) {
        for terminal in &self.terminals {
            // A terminal that is gone has no size.
            let _ = set_terminal_size(terminal, size);
        }
    }

    /// Waits for the next thing the agent does.
    pub(super) async fn next(&mut self) -> AgentNews {
        let Self { child, stdout, stderr, input, held, exit, .. } = self;
        tokio::select! {
            length = stdout.read(), if stdout.open => heard(stdout, Stream::Stdout, length),
            length = stderr.read(), if stderr.open => heard(stderr, Stream::Stderr, length),
            status = child.wait(), if exit.is_none() => {
                *exit = Some(exit_of(&status));
                held.clear();
                AgentNews::Exited
            }
            () = input.write(), if input.writer.is_some() => AgentNews::TookInput,
            else => std::future::pending().await,
        }
    }
}

fn heard(output: &mut Output, stream: Stream, length: Option<usize>) -> AgentNews {
    match length {
        Some(length) => AgentNews::Wrote(stream, length),
        None => {
            output.open = false;
            AgentNews::Closed
        }
    }
}

fn exit_of(status: &io::Result<ExitStatus>) -> Exit {
    match status {
        Ok(status) => Exit { exit_code: status.code(), signal: status.signal() },
        // Somebody else collected it; what it left is not known.
        Err(_) => Exit { exit_code: None, signal: None },
    }
}

impl Output {
    fn new(reader: impl AsyncRead + Unpin + Send + 'static) -> Self {
        // Zeroed memory that is never touched costs nothing.
        Self { reader: Box::new(reader), buffer: vec![0; CHUNK], open: true }
    }

    fn closed() -> Self {
        Self { reader: Box::new(tokio::io::empty()), buffer: vec![], open: false }
    }

    /// `None` at the end. A terminal ends with EIO when its last program closed it.
    async fn read(&mut self) -> Option<usize> {
        match self.reader.read(&mut self.buffer).await {
            Ok(0) | Err(_) => None,
            Ok(length) => Some(length),
        }
    }
}

impl Input {
    async fn write(&mut self) {
        let Some(writer) = &mut self.writer else { return };
        let (first, _) = self.waiting.as_slices();
        if first.is_empty() {
            if self.close_when_empty {
                self.writer = None;
                return;
            }
            return std::future::pending().await;
        }
        match writer.write(first).await {
            Ok(length) => drop(self.waiting.drain(..length)),
            // The agent closed its input; it does not want the rest.
            Err(_) => {
                self.writer = None;
                self.waiting.clear();
            }
        }
    }
}

fn on_terminal(mut command: Command, launch: &Launch, size: TerminalSize) -> io::Result<Agent> {
    let (screen, screen_end) = pty_process::open().map_err(io::Error::other)?;
    let (errors, errors_end) = pty_process::open().map_err(io::Error::other)?;
    for terminal in [screen.as_fd(), errors.as_fd()] {
        leave_newlines_alone(terminal)?;
        set_terminal_size(terminal, size)?;
    }
    let terminals = vec![screen.as_fd().try_clone_to_owned()?, errors.as_fd().try_clone_to_owned()?];
    let held = vec![screen_end.as_fd().try_clone_to_owned()?, errors_end.as_fd().try_clone_to_owned()?];
    let from_pipe = matches!(launch.stdin, StdinPlan::Text(_));
    if from_pipe {
        command.stdin(Stdio::piped());
    }
    let mut on_pty = pty_process::Command::from(command).stderr(Stdio::from(errors_end.as_fd().try_clone_to_owned()?));
    if from_pipe {
        on_pty = on_pty.stdin(Stdio::piped());
    }
    let mut child = on_pty
        .spawn(screen_end)
        .map_err(|error| if let pty_process::Error::Io(error) = error { error } else { io::Error::other(error) })?;
    drop(errors_end);
    let (reader, typing) = screen.into_split();
    let (errors, _) = errors.into_split();
    let writer: Box<dyn AsyncWrite + Unpin + Send> = match child.stdin.take() {
        Some(pipe) => Box::new(pipe),
        None => Box::new(typing),
    };
    let agent = agent(child, Output::new(reader), Output::new(errors), Some(writer))?;
    Ok(Agent { terminals, held, ..agent })
}

fn on_pipes(mut command: Command, launch: &Launch) -> io::Result<Agent> {
    let stdin = match launch.stdin {
        // An open pipe that nothing comes through hangs some agents.
        StdinPlan::Keyboard => Stdio::null(),
        StdinPlan::Text(_) => Stdio::piped(),
    };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    in_new_session(command.as_std_mut());
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().map_or_else(Output::closed, |pipe| {
        widen(&pipe);
        Output::new(pipe)
    });
    let stderr = child.stderr.take().map_or_else(Output::closed, Output::new);
    let writer = child.stdin.take().map(|pipe| Box::new(pipe) as Box<dyn AsyncWrite + Unpin + Send>);
    agent(child, stdout, stderr, writer)
}

/// Fewer and larger reads; the system may allow less, which is only slower.
fn widen(pipe: &impl AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, CHUNK);
}

fn agent(
    child: Child,
    stdout: Output,
    stderr: Output,
    writer: Option<Box<dyn AsyncWrite + Unpin + Send>>,
) -> io::Result<Agent> {
    let pid = child.id().ok_or_else(|| io::Error::other("the agent was gone before it had a pid"))?;
    let input = Input { writer, waiting: VecDeque::new(), close_when_empty: false };
    Ok(Agent { child, pid, stdout, stderr, input, terminals: vec![], held: vec![], exit: None })
}
