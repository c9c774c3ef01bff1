//! A value that one thread waits for and others change: the one way in which threads of the screen wake each other.
//!
//! The one rule: a change and its wake-up cannot be separated, so a waiting thread never sleeps over a change.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

/// A value with a wake-up for the thread that waits for it.
#[derive(Debug)]
pub(super) struct Mailbox<T> {
    value: Mutex<T>,
    /// Signalled when the waiting thread has taken something.
    taken: Condvar,
    wake: UnixStream,
    woken: UnixStream,
}

/// Whether a change wakes the waiting thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    Yes,
    No,
}

impl<T> Mailbox<T> {
    pub(super) fn new(value: T) -> io::Result<Self> {
        let (wake, woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        Ok(Self { value: Mutex::new(value), taken: Condvar::new(), wake, woken })
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the value and wakes the waiting thread.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.wake();
        result
    }

    /// Changes the value, and wakes the waiting thread if the change says so.
    pub(super) fn change_and(&self, change: impl FnOnce(&mut T) -> Wake) {
        if change(&mut self.lock()) == Wake::Yes {
            self.wake();
        }
    }

    /// Changes the value as soon as `ready` holds, and wakes the waiting thread.
    pub(super) fn change_when<R>(&self, ready: impl Fn(&T) -> bool, change: impl FnOnce(&mut T) -> R) -> R {
        let waited = self.taken.wait_while(self.lock(), |value| !ready(value));
        let result = change(&mut waited.unwrap_or_else(PoisonError::into_inner));
        self.wake();
        result
    }

    /// Wakes the waiting thread without a change. If the stream is full, a wake-up is already pending.
    pub(super) fn wake(&self) {
        let _ = (&self.wake).write(&[0]);
    }

    /// A stream that wakes the waiting thread when something is written to it; for signal handlers.
    pub(super) fn wake_stream(&self) -> io::Result<UnixStream> {
        self.wake.try_clone()
    }

    /// Clears the wake-ups, then reads and changes the value.
    pub(super) fn take<R>(&self, take: impl FnOnce(&mut T) -> R) -> R {
        let mut bytes = [0; 256];
        while matches!((&self.woken).read(&mut bytes), Ok(length) if length == bytes.len()) {}
        let result = take(&mut self.lock());
        self.taken.notify_all();
        result
    }

    /// Sleeps until a wake-up, until `also` can be read, or until the limit. May return early.
    pub(super) fn wait(&self, limit: Option<Duration>, also: Option<BorrowedFd<'_>>) {
        let mut polled = vec![PollFd::from_borrowed_fd(self.woken.as_fd(), PollFlags::IN)];
        polled.extend(also.map(|also| PollFd::from_borrowed_fd(also, PollFlags::IN)));
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let _ = rustix::event::poll(&mut polled, limit.as_ref());
    }
}

impl<T> AsFd for Mailbox<T> {
    /// Readable while a wake-up is pending.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }
}
