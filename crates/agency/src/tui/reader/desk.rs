//! What the reader is to do: put there by others, taken by its thread, which sleeps until there is something.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::tui::detail::{PageRequest, Subject};

/// How long there is nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rest {
    /// At most so long.
    pub(super) limit: Option<Duration>,
    /// Whether it does not matter before that what changes in the run's directory.
    pub(super) deaf: bool,
}

impl Rest {
    pub(super) const UNTIL_TOUCHED: Self = Self { limit: None, deaf: false };
}

/// What is to be done.
#[derive(Debug, Default, Clone)]
pub(super) struct Orders {
    /// What is to be read; it stays until another comes.
    pub(super) subject: Option<Subject>,
    pub(super) asks: Vec<PageRequest>,
    /// Whether something changed.
    pub(super) touched: bool,
    pub(super) closed: bool,
    /// Whether the thread is not to be woken by changes.
    deaf: bool,
}

#[derive(Debug)]
pub(super) struct Desk {
    orders: Mutex<Orders>,
    ring: UnixStream,
    hear: UnixStream,
}

impl Desk {
    pub(super) fn new() -> io::Result<Self> {
        let (ring, hear) = UnixStream::pair()?;
        ring.set_nonblocking(true)?;
        hear.set_nonblocking(true)?;
        Ok(Self { orders: Mutex::default(), ring, hear })
    }

    /// Changes what is to be done, and wakes the thread.
    pub(super) fn put(&self, change: impl FnOnce(&mut Orders)) {
        change(&mut self.orders.lock().unwrap_or_else(PoisonError::into_inner));
        // A full wire rings already.
        let _ = (&self.ring).write(&[0]);
    }

    /// Says that something changed.
    pub(super) fn touch(&self) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut orders.touched, true) && !orders.deaf {
            let _ = (&self.ring).write(&[0]);
        }
    }

    /// What is to be done now.
    pub(super) fn take(&self) -> Orders {
        let mut rings = [0; 256];
        while matches!((&self.hear).read(&mut rings), Ok(length) if length == rings.len()) {}
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let asks = std::mem::take(&mut orders.asks);
        let touched = std::mem::take(&mut orders.touched);
        Orders { asks, touched, subject: orders.subject.clone(), closed: orders.closed, deaf: false }
    }

    /// Sleeps until somebody rings, something can be read from `also`, or the time is over.
    pub(super) fn wait(&self, rest: Rest, also: Option<BorrowedFd<'_>>) {
        {
            let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
            orders.deaf = rest.deaf;
            // What came between the look and the rest.
            if orders.touched && !rest.deaf {
                return;
            }
        }
        let mut waited = vec![PollFd::from_borrowed_fd(self.hear.as_fd(), PollFlags::IN)];
        waited.extend(also.map(|also| PollFd::from_borrowed_fd(also, PollFlags::IN)));
        let limit = rest.limit.and_then(|limit| Timespec::try_from(limit).ok());
        // Whoever wakes up too early looks, and sleeps again.
        let _ = rustix::event::poll(&mut waited, limit.as_ref());
    }
}
