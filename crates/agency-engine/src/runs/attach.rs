//! How a run is attached to: by tmux, or by a connection to its supervisor. The one rule: the user's terminal belongs to
//! the caller; nothing here reads or writes it.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(WAITING)?;
//! use std::io::Read;
//!
//! use agency_engine::runner::TerminalSize;
//! use agency_engine::runs::attach::Attachment;
//!
//! let Attachment::Direct(mut screen) = agency.attach(&run, None, true)? else { panic!("it is detached") };
//! screen.attach(TerminalSize::UNSEEN)?;
//! let mut shown = vec![0; 4096];
//! assert!(screen.read(&mut shown)? > 0);
//! drop(screen);
//! agency.stop(&run)?;
//! # Ok(())
//! # }
//! ```

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;

use agency_model::{ErrorCode, Host, RunId};
use agency_system::lock::is_held;
use agency_system::process::{TerminalSize, connect};

use crate::agency::Agency;
use crate::host::{Tmux, TmuxError};
use crate::runs::caller::{CallerError, NotAllowed};
use crate::store::{RunRow, StoreError};
use crate::wire::{ATTACH, INPUT, RESIZE, write_first_frame, write_frame};

/// How to get at the run's terminal.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Attachment {
    /// By a tmux command that takes over the terminal.
    Tmux(Command),
    /// By a tmux command that shows it in the tmux client we are in, and ends at once. `tell` shows a line there, which
    /// is its last argument.
    Switch {
        /// Shows the run.
        command: Command,
        /// Says something beside it.
        tell: Command,
    },
    /// Through the supervisor.
    Direct(ScreenConnection),
}

/// Why a run cannot be attached to.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AttachError {
    /// Its tmux session is not there.
    #[error("{id} has no tmux session now")]
    NoSession {
        /// The run.
        id: RunId,
        /// Whether its supervisor runs and can be reached directly.
        alive: bool,
    },
    /// Its supervisor is not there.
    #[error("{id} is {state}; there is nothing to attach to")]
    NotRunning {
        /// The run.
        id: RunId,
        /// Its state.
        state: agency_model::run::State,
    },
    /// The supervisor cannot be reached.
    #[error("the supervisor of {id} does not answer: {source}")]
    Unreachable {
        /// The run.
        id: RunId,
        /// What happened.
        #[source]
        source: io::Error,
    },
    /// tmux failed.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
    /// The caller is an agent, or was started by one.
    #[error("{0}; agents may not type on the screens of runs")]
    NotAllowed(#[source] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AttachError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NoSession { .. } => ErrorCode::TmuxSessionNotFound,
            Self::NotRunning { .. } => ErrorCode::InvalidState,
            Self::Tmux(TmuxError::Missing) => ErrorCode::TmuxNotFound,
            Self::Tmux(TmuxError::Refused(_) | TmuxError::Broken(_)) => ErrorCode::TmuxSessionNotFound,
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
            Self::Unreachable { .. } => ErrorCode::Io,
        }
    }
}

impl Agency {
    /// Refuses agents: what is typed on the screen of a run can answer its questions.
    pub fn check_attaching(&self) -> Result<(), AttachError> {
        match self.permitted_caller() {
            Ok(_) => Ok(()),
            Err(CallerError::NotAllowed(refusal)) => Err(AttachError::NotAllowed(refusal)),
            Err(CallerError::Store(error)) => Err(error.into()),
        }
    }

    /// Finds the way to a run's terminal: its tmux session, or its supervisor where it has none or `direct` is asked.
    /// `tmux_variable` is `$TMUX`, which names the tmux we are in.
    pub fn attach(&self, row: &RunRow, tmux_variable: Option<&OsStr>, direct: bool) -> Result<Attachment, AttachError> {
        self.check_attaching()?;
        match (&row.tmux_session_name, row.host) {
            (Some(session), Host::Tmux) if !direct => {
                let tmux = Tmux::new(row.tmux_socket.clone());
                if !tmux.has_session(session)? {
                    let alive = is_held(&self.home.run(&row.id).supervisor_lock()).unwrap_or(false);
                    return Err(AttachError::NoSession { id: row.id.clone(), alive });
                }
                let command = tmux.attach_command(session, tmux_variable);
                Ok(match tmux.is_around(tmux_variable) {
                    true => Attachment::Switch { command, tell: tmux.message_command(session) },
                    false => Attachment::Tmux(command),
                })
            }
            (_, Host::Tmux | Host::Detached) => {
                if row.state.is_terminal() {
                    return Err(AttachError::NotRunning { id: row.id.clone(), state: row.state });
                }
                let unreachable = |source| AttachError::Unreachable { id: row.id.clone(), source };
                let stream = connect(&self.home.run(&row.id).control_socket()).map_err(unreachable)?;
                Ok(Attachment::Direct(ScreenConnection(stream)))
            }
        }
    }
}

/// A connection to the supervisor that shows the agent's terminal and accepts keys for it.
#[derive(Debug)]
pub struct ScreenConnection(UnixStream);

impl ScreenConnection {
    /// Attaches a terminal of this size; what the agent's terminal shows can be read from now on.
    pub fn attach(&mut self, size: TerminalSize) -> io::Result<()> {
        write_first_frame(&mut self.0, ATTACH, &size_bytes(size))
    }

    /// Reports that the attached terminal has another size.
    pub fn resize(&mut self, size: TerminalSize) -> io::Result<()> {
        write_frame(&mut self.0, RESIZE, &size_bytes(size))
    }

    /// Types keys on the agent's terminal.
    pub fn send_keys(&mut self, keys: &[u8]) -> io::Result<()> {
        write_frame(&mut self.0, INPUT, keys)
    }
}

impl Read for ScreenConnection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl AsFd for ScreenConnection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn size_bytes(size: TerminalSize) -> [u8; 4] {
    let [a, b] = size.rows.get().to_be_bytes();
    let [c, d] = size.columns.get().to_be_bytes();
    [a, b, c, d]
}
