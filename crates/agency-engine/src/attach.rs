//! `agency attach`: shows a run in the user's terminal.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::Command;

use agency_model::{ErrorCode, Host, RunId};
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::SIGWINCH;

use crate::agency::Agency;
use crate::caller::NotAllowed;
use crate::host::{Tmux, TmuxError};
use crate::lock::is_held;
use crate::messages::DeliveryError;
use crate::process::{RawTerminal, TerminalSize, connect, own_terminal_size};
use crate::store::{RunRow, StoreError};
use crate::supervise::{ATTACH, INPUT, RESIZE, write_frame};

/// Ctrl-\ leaves the agent's terminal; the agent goes on.
pub const DETACH_KEY: u8 = 0x1c;

/// How to get at the run's terminal.
#[derive(Debug)]
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
    Direct(UnixStream),
}

/// Why the visit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// The user pressed the detach key.
    Detached,
    /// The run is over.
    Ended,
}

/// Why a run cannot be attached to.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// Its tmux session is not there.
    #[error("{id} has no tmux session now")]
    NoSession {
        /// The run.
        id: RunId,
        /// Whether its supervisor lives and can be reached directly.
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
    /// Standard input is no terminal.
    #[error("attaching needs a terminal: {0}")]
    NoTerminal(#[source] io::Error),
    /// The caller is an agent, or was started by one.
    #[error("{0}; agents may not type on the screens of runs")]
    NotAllowed(#[source] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The connection broke.
    #[error("the connection to the supervisor broke: {0}")]
    Broken(#[source] io::Error),
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
            Self::NoTerminal(_) => ErrorCode::Usage,
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
            Self::Unreachable { .. } | Self::Broken(_) => ErrorCode::Io,
        }
    }
}

impl Agency {
    /// Refuses agents: what is typed on the screen of a run can answer its questions.
    pub fn check_attaching(&self) -> Result<(), AttachError> {
        match self.permitted_caller() {
            Ok(_) => Ok(()),
            Err(DeliveryError::NotAllowed(refusal)) => Err(AttachError::NotAllowed(refusal)),
            Err(DeliveryError::Store(error)) => Err(error.into()),
            // Nothing else is looked at.
            Err(_) => Ok(()),
        }
    }

    /// Finds the way to a run's terminal: its tmux session, or its supervisor where it has none or `direct` is asked.
    /// `tmux_variable` is `$TMUX`, which tells the tmux we are in.
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
                let door = connect(&self.home.run(&row.id).control_socket());
                door.map(Attachment::Direct).map_err(|source| AttachError::Unreachable { id: row.id.clone(), source })
            }
        }
    }
}

/// Connects the user's terminal with the agent's until one of them leaves.
pub fn visit(mut door: UnixStream) -> Result<Farewell, AttachError> {
    let stdin = io::stdin();
    let _raw = RawTerminal::enter(&stdin).map_err(AttachError::NoTerminal)?;
    // A changed size only has to wake us up; the handler does nothing else.
    let (resized, wake) = UnixStream::pair().map_err(AttachError::Broken)?;
    let handler = signal_hook::low_level::pipe::register(SIGWINCH, wake).map_err(AttachError::Broken)?;
    let size = own_terminal_size(&stdin).unwrap_or(TerminalSize::UNSEEN);
    let farewell = write_frame(&mut door, ATTACH, &size_bytes(size))
        .and_then(|()| converse(&mut door, stdin.as_fd(), &resized))
        .map_err(AttachError::Broken);
    signal_hook::low_level::unregister(handler);
    // The supervisor may have left first.
    let _ = door.shutdown(Shutdown::Both);
    farewell
}

fn converse(door: &mut UnixStream, stdin: impl AsFd, resized: &UnixStream) -> io::Result<Farewell> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let (typed, shown, sized) = {
            let mut waited = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::new(&*door, PollFlags::IN),
                PollFd::new(resized, PollFlags::IN),
            ];
            match poll(&mut waited, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [stdin, door, resized] = waited;
            (!stdin.revents().is_empty(), !door.revents().is_empty(), !resized.revents().is_empty())
        };
        if sized {
            let mut resized = resized;
            let _ = resized.read(&mut buffer)?;
            if let Some(size) = own_terminal_size(&stdin) {
                write_frame(door, RESIZE, &size_bytes(size))?;
            }
        }
        if shown {
            match door.read(&mut buffer) {
                Ok(0) | Err(_) => return Ok(Farewell::Ended),
                Ok(length) => {
                    let mut stdout = io::stdout().lock();
                    stdout.write_all(buffer.get(..length).unwrap_or_default())?;
                    stdout.flush()?;
                }
            }
        }
        if typed {
            let length = rustix::io::read(&stdin, &mut buffer)?;
            let keys = buffer.get(..length).unwrap_or_default();
            if keys.is_empty() || keys.contains(&DETACH_KEY) {
                return Ok(Farewell::Detached);
            }
            if write_frame(door, INPUT, keys).is_err() {
                return Ok(Farewell::Ended);
            }
        }
    }
}

fn size_bytes(size: TerminalSize) -> [u8; 4] {
    let [a, b] = size.rows.get().to_be_bytes();
    let [c, d] = size.columns.get().to_be_bytes();
    [a, b, c, d]
}
