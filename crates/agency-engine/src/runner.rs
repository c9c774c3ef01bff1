//! Runs a program and reports what it does: on a terminal, on pipes, or by a script without any program.
//!
//! The one rule: a runner passes on exactly the bytes the program wrote, and prints nothing itself.
//!
//! ```
//! use agency_engine::runner::{AgentRunner, Listener, RunnerCommand};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let command = RunnerCommand::new("printf").args([r"\033[32mgreen\033[0m\n"]);
//! let mut listener = Listener::new(Box::new(AgentRunner::spawn(&command)?));
//! let (mut raw, mut clean) = (vec![], String::new());
//! while let Some(output) = listener.next().await {
//!     raw.extend(output.raw);
//!     clean.push_str(&output.clean);
//! }
//! assert_eq!(raw, b"\x1b[32mgreen\x1b[0m\n");
//! assert_eq!(clean, "green\n");
//! assert!(listener.runner().exit().is_some_and(|exit| exit.is_success()));
//! # Ok::<(), agency_engine::runner::SpawnError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ansi_stripper;
mod command;
mod input;
mod listener;
mod output;
mod pipes;
mod running;
mod scripted;
mod signal;
mod terminal;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use agency_model::Mode;
use agency_model::run::Exit;

pub use self::ansi_stripper::AnsiStripper;
pub use self::command::{RunnerCommand, StdinPlan};
pub use self::listener::{Listener, RunnerOutput};
pub use self::pipes::HeadlessRunner;
pub use self::scripted::{ScriptStep, ScriptedHandle, ScriptedRunner};
pub use self::signal::Signal;
pub use self::terminal::AgentRunner;
pub use agency_system::process::TerminalSize;

/// Which of a program's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a program did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RunnerEvent {
    /// It wrote so many bytes, which [`ProcessRunner::written`] shows until the next event.
    Wrote(Stream, usize),
    /// One of its streams is at its end.
    Closed,
    /// It is gone; its last words may still be in the pipe.
    Exited,
    /// It took some input.
    TookInput,
}

/// The next event of a runner. Dropping it before it is ready loses nothing.
pub type NextEvent<'a> = Pin<Box<dyn Future<Output = RunnerEvent> + Send + 'a>>;

/// A program at work, whatever it runs on.
///
/// Dropping a runner lets go of the program without ending it.
pub trait ProcessRunner: Send {
    /// The process, which leads a session and a group of its own.
    fn pid(&self) -> u32;

    /// Waits for the next thing the program does; for ever once it is gone and silent.
    fn next(&mut self) -> NextEvent<'_>;

    /// The bytes of the last [`RunnerEvent::Wrote`].
    fn written(&self, stream: Stream, length: usize) -> &[u8];

    /// Queues input for its terminal or its pipe; it is written while [`Self::next`] waits.
    ///
    /// # Errors
    ///
    /// Fails when the program has no input that is open: it was started without one, [`Self::close_input`] was called,
    /// or the program has closed it or exited.
    fn type_in(&mut self, bytes: &[u8]) -> Result<(), InputClosed>;

    /// Ends its input once what is queued has been taken.
    fn close_input(&mut self);

    /// Changes the size of its terminals, where it has some.
    fn resize(&mut self, size: TerminalSize);

    /// Sends a signal to the whole group, as long as the program is there.
    fn signal(&self, signal: Signal);

    /// Whether processes of its session are left although the program has exited.
    fn has_survivors(&self) -> bool {
        false
    }

    /// Sends KILL to the processes of its session that are left once the program has exited.
    fn kill_survivors(&self) {}

    /// How it went away, once it has.
    fn exit(&self) -> Option<Exit>;

    /// Whether both streams are at their end.
    fn is_silent(&self) -> bool;

    /// Whether a viewer of its output has to add carriage returns. Only a terminal may have done so already.
    fn needs_crlf(&self, _stream: Stream) -> bool {
        true
    }

    /// Asks the whole group to end.
    fn terminate(&self) {
        self.signal(Signal::TERM);
        // A stopped process does not see TERM before it continues.
        self.signal(Signal::CONT);
    }
}

/// The program has no input that is open: see [`StdinPlan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program's input is not open; use StdinPlan::Open for a pipe that stays open")]
pub struct InputClosed;

/// Why there is no runner.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program could not be started.
    #[error("{} could not be started: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It cannot work in this directory.
    #[error("{} could not be started in {}: {source}", program.display(), directory.display())]
    Directory {
        /// The program.
        program: PathBuf,
        /// Where it was to work.
        directory: PathBuf,
        /// Why it cannot work there.
        source: std::io::Error,
    },
    /// The function that was to start it panicked: see [`AgentManager::with_runner`](crate::agents::AgentManager::with_runner).
    #[error("{} could not be started: the function that starts it panicked", program.display())]
    Panicked {
        /// The program.
        program: PathBuf,
    },
    /// There is no tokio runtime to read the program's output with.
    #[error("a runner needs a tokio runtime with I/O and time enabled: call this inside of one")]
    NoRuntime,
}

/// Reading and waiting need the drivers of a runtime, which panic where there is none.
fn require_runtime() -> Result<(), SpawnError> {
    tokio::runtime::Handle::try_current().map(drop).map_err(|_| SpawnError::NoRuntime)
}

/// Starts the programs of agents: a function of one's own in place of [`spawn`].
///
/// It is called for each attempt, with the mode of the agent and all it would be started with.
pub type RunnerFactory =
    Arc<dyn Fn(Mode, &RunnerCommand) -> Result<Box<dyn ProcessRunner>, SpawnError> + Send + Sync + 'static>;

/// Starts a program on what its mode asks for.
pub fn spawn(mode: Mode, command: &RunnerCommand) -> Result<Box<dyn ProcessRunner>, SpawnError> {
    Ok(match mode {
        Mode::Interactive => Box::new(AgentRunner::spawn(command)?),
        Mode::Headless => Box::new(HeadlessRunner::spawn(command)?),
    })
}
