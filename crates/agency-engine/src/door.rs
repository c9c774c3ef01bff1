//! The supervisor's door, from outside: ringing, and waiting at it.

use std::io;
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
    let wait = || -> io::Result<()> {
        let mut door = connect(&directory.control_socket())?;
        write_frame(&mut door, WAIT, &[])?;
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        // Only the end of the connection can come from there.
        let mut waited = [PollFd::new(&door, PollFlags::IN)];
        match poll(&mut waited, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    wait().is_ok()
}
