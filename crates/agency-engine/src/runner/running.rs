//! A process and its streams, whether they are pipes or terminals.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use agency_model::run::Exit;
use agency_system::process::{ProcessHandle, ReadFirst, ReadOrder, of_session, signal_group};
use tokio::process::Child;
use tokio::runtime::Handle;

use super::input::ProgramInput;
use super::output::Output;
use super::{InputClosed, RunnerEvent, Signal, Stream};

/// A process that leads a session and a group of its own.
pub(super) struct Running {
    child: Child,
    /// Where it was started.
    runtime: Handle,
    pid: u32,
    streams: Streams,
    pub(super) input: ProgramInput,
    exit: Option<Exit>,
    /// Whether its end cannot be waited for any more, because its runtime was dropped. Its number stays its own.
    lost: bool,
}

/// What a process writes, and which stream of two is read first.
pub(super) struct Streams {
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    /// None where there is only one stream.
    pub(super) order: Option<ReadOrder>,
}

impl Streams {
    const fn is_open(&self) -> bool {
        self.stdout.is_open() || self.stderr.is_open()
    }

    /// The next thing that was written, in the order of arrival. Dropping this before it is ready loses nothing.
    async fn read(&mut self) -> RunnerEvent {
        let stream = match (&self.order, self.stdout.is_open(), self.stderr.is_open()) {
            (Some(order), true, true) => match order.next().await {
                ReadFirst::First => Stream::Stdout,
                ReadFirst::Second => Stream::Stderr,
            },
            (_, true, false) => Stream::Stdout,
            (_, false, _) => Stream::Stderr,
            (None, true, true) => Stream::Stdout,
        };
        let output = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        output.read().await
    }
}

impl Running {
    pub(super) fn new(child: Child, streams: Streams, input: ProgramInput) -> io::Result<Self> {
        let pid = child.id().ok_or_else(|| io::Error::other("it was gone before it had a pid"))?;
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        Ok(Self { child, runtime, pid, streams, input, exit: None, lost: false })
    }

    pub(super) const fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    pub(super) const fn is_silent(&self) -> bool {
        !self.streams.is_open()
    }

    pub(super) fn written(&self, stream: Stream, length: usize) -> &[u8] {
        match stream {
            Stream::Stdout => self.streams.stdout.written(length),
            Stream::Stderr => self.streams.stderr.written(length),
        }
    }

    /// Once the leader is gone, its number may be that of another process.
    pub(super) fn signal(&self, signal: Signal) {
        if self.exit.is_none() || self.lost {
            signal_group(self.pid, signal.to_system());
        }
    }

    /// What is left of its session once it has exited.
    pub(super) fn survivors(&self) -> Vec<ProcessHandle> {
        if self.lost {
            return ProcessHandle::open(self.pid).filter(ProcessHandle::is_running).into_iter().collect();
        }
        if self.exit.is_some() { of_session(self.pid) } else { vec![] }
    }

    /// A program that has exited reads nothing, whatever holds its terminal or its pipe.
    pub(super) fn type_in(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        if self.exit.is_some() { Err(InputClosed) } else { self.input.push(bytes) }
    }

    pub(super) async fn next(&mut self) -> RunnerEvent {
        let Self { child, runtime, streams, input, exit, lost, .. } = self;
        let event = tokio::select! {
            event = streams.read(), if streams.is_open() => event,
            status = wait_within(runtime, child), if exit.is_none() => {
                *exit = Some(exit_of(&status));
                *lost = status.is_err();
                RunnerEvent::Exited
            }
            () = input.write(), if input.is_open() => RunnerEvent::TookInput,
            else => std::future::pending().await,
        };
        if *lost {
            // It may have exited, or another process may have reaped it.
            match child.try_wait() {
                Ok(Some(status)) => (*exit, *lost) = (Some(exit_of(&Ok(status))), false),
                Ok(None) => {}
                Err(_) => *lost = false,
            }
        }
        event
    }
}

/// Waits for the end of a child. When its runtime was dropped, tokio looks for another one in the thread that polls, and
/// panics where there is none; within the one that was dropped it returns an error.
async fn wait_within(runtime: &Handle, child: &mut Child) -> io::Result<ExitStatus> {
    let mut wait = std::pin::pin!(child.wait());
    std::future::poll_fn(|context| {
        let _within = runtime.enter();
        wait.as_mut().poll(context)
    })
    .await
}

fn exit_of(status: &io::Result<ExitStatus>) -> Exit {
    match status {
        Ok(status) => Exit { exit_code: status.code(), signal: status.signal() },
        // Another process reaped it, or its runtime was dropped; its exit status is not known.
        Err(_) => Exit { exit_code: None, signal: None },
    }
}
