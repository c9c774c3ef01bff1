//! A process that cannot be mistaken for another one with the same number.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{fstat, fstatfs};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::proc_file::read_proc_file;

/// The file system type of pid descriptors whose inodes identify processes: `PIDF`.
const PID_FILE_SYSTEM: u64 = 0x5049_4446;

/// Holds on to one process by a descriptor, so that a reused pid is never signalled.
#[derive(Debug)]
pub struct ProcessHandle {
    pid: Pid,
    descriptor: OwnedFd,
}

impl ProcessHandle {
    /// The process that has this pid now, if there is one.
    #[must_use]
    pub fn open(pid: u32) -> Option<Self> {
        Self::find(pid).ok().flatten()
    }

    /// The same, with an error if there is none.
    pub(super) fn find(pid: u32) -> io::Result<Option<Self>> {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
            return Ok(None);
        };
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => Ok(Some(Self { pid, descriptor })),
            // The number is that of a thread, which is not a process either.
            Err(Errno::SRCH | Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What distinguishes it from every other process until the next boot; `None` where the kernel does not support it.
    pub(super) fn inode(&self) -> io::Result<Option<u64>> {
        let unique = u64::try_from(fstatfs(&self.descriptor)?.f_type).is_ok_and(|kind| kind == PID_FILE_SYSTEM);
        Ok(if unique { Some(fstat(&self.descriptor)?.st_ino) } else { None })
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends it a signal; `false` if it is gone.
    pub fn signal(&self, signal: Signal) -> bool {
        pidfd_send_signal(&self.descriptor, signal).is_ok()
    }

    /// Waits until it has exited, or for `limit`; returns whether it has exited.
    #[must_use]
    pub fn wait(&self, limit: Duration) -> bool {
        let limit = Timespec::try_from(limit).ok();
        let mut waited = [PollFd::new(&self.descriptor, PollFlags::IN)];
        matches!(poll(&mut waited, limit.as_ref()), Ok(ready) if ready > 0)
    }

    /// Whether it runs at all: a zombie does not.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.wait(Duration::ZERO)
    }

    /// The value of a variable in the environment it was started with.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        let environment = read_proc_file(self.pid(), "environ").ok()?;
        let mut entries = environment.split(|byte| *byte == 0);
        let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    /// The command line as text.
    #[must_use]
    pub fn command_line(&self) -> String {
        let bytes = read_proc_file(self.pid(), "cmdline").unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).trim_end_matches('\0').replace('\0', " ");
        text.chars().take(120).collect()
    }
}
