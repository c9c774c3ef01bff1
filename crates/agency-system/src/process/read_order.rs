//! Which of two streams is read first: the one that became ready first.
//!
//! The kernel lists what is ready in the order in which it became ready; the first entry is the answer. A terminal is
//! ready some time after it was written to, so the order of writes less than about a millisecond apart is not defined.
//! What a program writes to both streams in turn before either is read cannot be put in order: each is a queue of its own.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

const SECOND: u64 = 1;

/// One of two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFirst {
    /// The first one.
    First,
    /// The second one.
    Second,
}

/// Two streams that are both open.
pub struct ReadOrder {
    ready: AsyncFd<OwnedFd>,
}

impl ReadOrder {
    /// Watches two streams, which nothing has been written to yet: what is ready when it is added has no order.
    pub fn of(first: impl AsFd, second: impl AsFd) -> io::Result<Self> {
        let ready = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&ready, first, EventData::new_u64(0), EventFlags::IN)?;
        epoll::add(&ready, second, EventData::new_u64(SECOND), EventFlags::IN)?;
        // SAFETY: the descriptor is open, owned by what is returned, and closed only when that is dropped.
        let ready = unsafe { AsyncFd::register_with_interest(ready, Interest::READABLE) }.map_err(io::Error::from)?;
        Ok(Self { ready })
    }

    /// Waits until one of the streams can be read, and names the one that could be first.
    pub async fn next(&self) -> ReadFirst {
        loop {
            let Ok(mut guard) = self.ready.readable().await else {
                // The runtime is shutting down; reading reports it.
                return ReadFirst::First;
            };
            match first_ready(self.ready.get_ref()) {
                Some(stream) => return stream,
                None => guard.clear_ready(),
            }
        }
    }
}

fn first_ready(ready: &OwnedFd) -> Option<ReadFirst> {
    let mut events = [Event { flags: EventFlags::empty(), data: EventData::new_u64(0) }];
    let count = epoll::wait(ready, &mut events[..], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap_or(0);
    (count > 0).then(|| if events[0].data.u64() == SECOND { ReadFirst::Second } else { ReadFirst::First })
}
