//! A program on a terminal, with a second one for its standard error.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Stdio;

use agency_model::run::Exit;

use super::input::{Input, Writer};
use super::output::Output;
use super::running::Running;
use super::{
    NextEvent, ProcessRunner, RunnerCommand, RunnerEvent, Signal, SpawnError, StdinPlan, Stream, TerminalSize,
};
use crate::process::{end_of_input, leave_newlines_alone, newline_needs_return, set_terminal_size};

/// Runs a program that wants a terminal.
pub struct AgentRunner {
    running: Running,
    /// The master ends, for sizes and settings.
    screen: OwnedFd,
    errors: OwnedFd,
    /// The program's ends, which we hold until it is gone: a terminal that everybody has closed is at its end, and a
    /// program may still come back to it by `/dev/tty`.
    held: Vec<OwnedFd>,
    reads_terminal: bool,
    /// Whether a line was begun, so that the end of input has to end the line first.
    within_line: bool,
}

impl AgentRunner {
    /// Starts a program in a session and group of its own.
    pub fn spawn(command: &RunnerCommand) -> Result<Self, SpawnError> {
        on_terminal(command).map_err(|source| command.refused(source))
    }
}

fn on_terminal(command: &RunnerCommand) -> io::Result<AgentRunner> {
    let (screen, screen_end) = pty_process::open().map_err(io::Error::other)?;
    let (errors, errors_end) = pty_process::open().map_err(io::Error::other)?;
    for terminal in [screen.as_fd(), errors.as_fd()] {
        leave_newlines_alone(terminal)?;
        set_terminal_size(terminal, command.size)?;
    }
    let (screen_master, errors_master) = (screen.as_fd().try_clone_to_owned()?, errors.as_fd().try_clone_to_owned()?);
    let held = vec![screen_end.as_fd().try_clone_to_owned()?, errors_end.as_fd().try_clone_to_owned()?];
    let reads_terminal = match command.stdin {
        StdinPlan::Keyboard => true,
        StdinPlan::Text(_) | StdinPlan::Open => false,
    };
    let mut started = pty_process::Command::from(command.to_tokio());
    started = started.stderr(Stdio::from(errors_end.as_fd().try_clone_to_owned()?));
    if !reads_terminal {
        started = started.stdin(Stdio::piped());
    }
    let mut child = started
        .spawn(screen_end)
        .map_err(|error| if let pty_process::Error::Io(error) = error { error } else { io::Error::other(error) })?;
    drop(errors_end);
    let (reader, typing) = screen.into_split();
    let (errors, _) = errors.into_split();
    let writer: Writer = match child.stdin.take() {
        Some(pipe) => Box::new(pipe),
        None => Box::new(typing),
    };
    let (stdout, stderr) = (Output::new(Stream::Stdout, reader), Output::new(Stream::Stderr, errors));
    let running = Running::new(child, stdout, stderr, Input::new(Some(writer), &command.stdin))?;
    Ok(AgentRunner { running, screen: screen_master, errors: errors_master, held, reads_terminal, within_line: false })
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

    fn type_in(&mut self, bytes: &[u8]) {
        self.within_line = bytes.last().map_or(self.within_line, |last| !matches!(last, b'\n' | b'\r'));
        self.running.input.push(bytes);
    }

    /// A terminal has no end; a program that reads it by lines takes a certain key for it.
    fn close_input(&mut self) {
        if self.reads_terminal
            && let Some(key) = end_of_input(&self.screen)
        {
            // Within a line the first key only hands the line over.
            let keys = if self.within_line { &[key, key][..] } else { &[key][..] };
            self.running.input.push(keys);
        }
        self.running.input.close();
    }

    fn resize(&mut self, size: TerminalSize) {
        for terminal in [&self.screen, &self.errors] {
            // A terminal that is gone has no size.
            let _ = set_terminal_size(terminal, size);
        }
    }

    fn signal(&self, signal: Signal) {
        self.running.signal(signal);
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
            Stream::Stderr => &self.errors,
        })
    }
}
