//! A process and its streams, whether they are pipes or terminals.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use agency_model::run::Exit;
use tokio::process::Child;

use super::input::Input;
use super::output::Output;
use super::{RunnerEvent, Signal, Stream};
use crate::process::signal_group;

/// A process that leads a session and a group of its own.
pub(super) struct Running {
    child: Child,
    pid: u32,
    stdout: Output,
    stderr: Output,
    pub(super) input: Input,
    exit: Option<Exit>,
}

impl Running {
    pub(super) fn new(child: Child, stdout: Output, stderr: Output, input: Input) -> io::Result<Self> {
        let pid = child.id().ok_or_else(|| io::Error::other("it was gone before it had a pid"))?;
        Ok(Self { child, pid, stdout, stderr, input, exit: None })
    }

    pub(super) const fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    pub(super) const fn is_silent(&self) -> bool {
        !self.stdout.is_open() && !self.stderr.is_open()
    }

    pub(super) fn written(&self, stream: Stream, length: usize) -> &[u8] {
        match stream {
            Stream::Stdout => self.stdout.written(length),
            Stream::Stderr => self.stderr.written(length),
        }
    }

    /// Once the leader is gone its number may be somebody else's.
    pub(super) fn signal(&self, signal: Signal) {
        if self.exit.is_none() {
            signal_group(self.pid, signal);
        }
    }

    pub(super) async fn next(&mut self) -> RunnerEvent {
        let Self { child, stdout, stderr, input, exit, .. } = self;
        tokio::select! {
            event = stdout.read(), if stdout.is_open() => event,
            event = stderr.read(), if stderr.is_open() => event,
            status = child.wait(), if exit.is_none() => {
                *exit = Some(exit_of(&status));
                RunnerEvent::Exited
            }
            () = input.write(), if input.is_open() => RunnerEvent::TookInput,
            else => std::future::pending().await,
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
