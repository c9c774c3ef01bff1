//! What a supervisor owns: a process, or a thread of a program.
//!
//! The one rule: in a thread, nothing is done to the program around it. Its signals, its terminal and its children are
//! its own.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use agency_model::Mode;
use agency_system::process::{ProcessHandle, left_children, release_own_code};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::event_loop::Signals;
use super::pane::Pane;
use crate::runner::{self, ProcessRunner, RunnerCommand, RunnerFactory, SpawnError};

/// Where a supervisor works.
pub(super) enum SupervisorScope {
    /// In a process of its own, whose children are all the agent's.
    Process,
    /// In a thread of a program, which starts agents in its own way.
    Thread(RunnerFactory),
}

impl SupervisorScope {
    /// Starts an agent.
    pub(super) fn spawn(&self, mode: Mode, command: &RunnerCommand) -> Result<Box<dyn ProcessRunner>, SpawnError> {
        match self {
            Self::Process => runner::spawn(mode, command),
            // The run of a function that panics ends like that of one that fails, with its error.
            Self::Thread(factory) => catch_unwind(AssertUnwindSafe(|| factory(mode, command)))
                .unwrap_or_else(|_| Err(SpawnError::Panicked { program: command.get_program().to_owned() })),
        }
    }

    /// What the agent left running.
    pub(super) fn left_children(&self) -> Vec<ProcessHandle> {
        match self {
            Self::Process => left_children(),
            Self::Thread(_) => vec![],
        }
    }

    /// Lets the supervisor live on when its terminal is closed, for as long as the value is kept.
    pub(super) fn survive_hangup(&self) -> io::Result<Option<Signal>> {
        match self {
            Self::Process => signal(SignalKind::hangup()).map(Some),
            Self::Thread(_) => Ok(None),
        }
    }

    /// The signals that stop the run.
    pub(super) fn signals(&self) -> io::Result<Option<Signals>> {
        match self {
            Self::Process => Signals::listen().map(Some),
            Self::Thread(_) => Ok(None),
        }
    }

    /// The terminal in which the supervisor was started.
    pub(super) fn pane(&self, mode: Mode) -> io::Result<Option<Pane>> {
        match self {
            Self::Process => Pane::open(mode),
            Self::Thread(_) => Ok(None),
        }
    }

    /// Returns the memory that only the start needed to the system.
    pub(super) fn release_start_memory(&self) {
        match self {
            Self::Process => release_own_code(),
            Self::Thread(_) => {}
        }
    }
}
