//! The client side of a supervisor's control socket: waking it, and waiting for a change of the run's state.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use agency_system::process::connect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::debug;

use super::control::{WAIT, WAKE, write_first_frame};
use crate::home::RunDirectory;

/// Asks the supervisor of a run to look at its requests; `false` if there is none to ask.
pub fn wake_supervisor(directory: &RunDirectory) -> bool {
    let woken =
        connect(&directory.control_socket()).and_then(|mut stream| write_first_frame(&mut stream, WAKE, &[])).is_ok();
    debug!(run = ?directory.path().file_name(), woken, "supervisor woken");
    woken
}

/// Waits until the supervisor reports that the run's state has changed, or has died, or for `limit`. `false` if
/// there is no supervisor to wait for.
pub fn wait_for_change(directory: &RunDirectory, limit: Option<Duration>) -> bool {
    StateWait::open(directory).and_then(|wait| wait.wait(limit)).is_ok()
}

/// A connection that the supervisor closes at the next change of the run's state.
#[derive(Debug)]
pub struct StateWait {
    stream: UnixStream,
}

impl StateWait {
    /// Connects; every change from now on ends the wait.
    pub fn open(directory: &RunDirectory) -> io::Result<Self> {
        let mut stream = connect(&directory.control_socket())?;
        write_first_frame(&mut stream, WAIT, &[])?;
        Ok(Self { stream })
    }

    /// Waits until something has changed since the connection was made, or for `limit`.
    pub fn wait(self, limit: Option<Duration>) -> io::Result<()> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        // Only the end of the connection can come from there.
        let mut waited = [PollFd::new(&self.stream, PollFlags::IN)];
        match poll(&mut waited, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
