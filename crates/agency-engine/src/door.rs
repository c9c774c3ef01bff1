//! The supervisor's door, from outside: ringing, and waiting at it.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::home::RunDirectory;
use crate::process::connect;
use crate::supervise::{BELL, WAIT, write_frame};

/// Tells the supervisor of a run to look at its requests; `false` if nobody is there to hear it.
pub fn ring(directory: &RunDirectory) -> bool {
    connect(&directory.control_socket()).and_then(|mut door| write_frame(&mut door, BELL, &[])).is_ok()
}

/// Waits until the supervisor says that the run's state has changed, or is dead, or `limit` is over. `false` if it
/// cannot be waited for here: there is no supervisor yet, or none any more.
pub fn wait_for_change(directory: &RunDirectory, limit: Option<Duration>) -> bool {
    Door::open(directory).and_then(|door| door.wait(limit)).is_ok()
}

/// A place at the door: whatever changes from now on is heard.
#[derive(Debug)]
pub struct Door {
    stream: UnixStream,
}

impl Door {
    /// Takes a place.
    pub fn open(directory: &RunDirectory) -> io::Result<Self> {
        let mut stream = connect(&directory.control_socket())?;
        write_frame(&mut stream, WAIT, &[])?;
        Ok(Self { stream })
    }

    /// Waits until something has changed since the place was taken, or `limit` is over.
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
