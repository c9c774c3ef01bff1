//! The channel from background threads to the main thread, which sleeps until a key is pressed or an event arrives.
//!
//! The one rule: while the main thread is busy, perhaps for an hour in an agent's terminal, events do not accumulate.
//! Threads that report continuously block when the queue is full.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::input::BackgroundEvent;
use super::mailbox::Mailbox;

/// How many reports may be queued.
const QUEUE_CAPACITY: usize = 16;

/// What was sent and not received yet.
#[derive(Debug, Default)]
struct Queue {
    events: Vec<BackgroundEvent>,
    /// Events of threads that report continuously; at most [`QUEUE_CAPACITY`].
    reports: Vec<BackgroundEvent>,
    /// Whether the receiver is gone.
    closed: bool,
}

/// The sending end.
#[derive(Debug, Clone)]
pub(super) struct EventSender(Arc<Mailbox<Queue>>);

/// The receiving end; senders notice when it is dropped.
#[derive(Debug)]
pub(super) struct EventReceiver(Arc<Mailbox<Queue>>);

/// Creates a channel.
pub(super) fn channel() -> io::Result<(EventSender, EventReceiver)> {
    let queue = Arc::new(Mailbox::new(Queue::default())?);
    Ok((EventSender(Arc::clone(&queue)), EventReceiver(queue)))
}

impl EventSender {
    /// Sends an event that occurs once. Never blocks.
    pub(super) fn send(&self, event: BackgroundEvent) {
        self.0.change(|queue| queue.events.push(event));
    }

    /// Sends an event of a thread that reports continuously; blocks while the queue is full. False if the receiver is gone.
    pub(super) fn report(&self, event: BackgroundEvent) -> bool {
        let ready = |queue: &Queue| queue.closed || queue.reports.len() < QUEUE_CAPACITY;
        self.0.change_when(ready, |queue| {
            if !queue.closed {
                queue.reports.push(event);
            }
            !queue.closed
        })
    }

    /// A stream that wakes the receiver; for signal handlers.
    pub(super) fn wake_stream(&self) -> io::Result<UnixStream> {
        self.0.wake_stream()
    }
}

impl EventReceiver {
    /// Takes everything that was sent.
    pub(super) fn drain(&mut self) -> Vec<BackgroundEvent> {
        self.0.take(|queue| {
            let mut events = std::mem::take(&mut queue.events);
            events.append(&mut queue.reports);
            events
        })
    }
}

impl AsFd for EventReceiver {
    /// Readable while something can be received.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Drop for EventReceiver {
    fn drop(&mut self) {
        self.0.take(|queue| queue.closed = true);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, RecvTimeoutError};
    use std::time::Duration;

    use super::*;

    /// Sends this many reports, and returns a receiver of the numbers of those that were accepted.
    fn reporter(sender: EventSender, count: usize) -> Receiver<usize> {
        let (progress, accepted) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for number in 0..count {
                if !sender.report(BackgroundEvent::Said(number.to_string())) {
                    return;
                }
                let _ = progress.send(number);
            }
        });
        accepted
    }

    fn texts(receiver: &mut EventReceiver) -> Vec<String> {
        let text = |event| if let BackgroundEvent::Said(text) = event { Some(text) } else { None };
        receiver.drain().into_iter().filter_map(text).collect()
    }

    #[test]
    fn reports_wait_while_the_queue_is_full_and_none_is_lost() {
        let (sender, mut receiver) = channel().unwrap();
        let accepted = reporter(sender.clone(), 5 * QUEUE_CAPACITY);
        for number in 0..QUEUE_CAPACITY {
            assert_eq!(accepted.recv_timeout(Duration::from_secs(20)), Ok(number));
        }
        // An event that occurs once is accepted all the same.
        sender.send(BackgroundEvent::Said("once".to_owned()));
        assert_eq!(accepted.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        let mut all = texts(&mut receiver);
        assert_eq!(all.remove(0), "once");
        while all.len() < 5 * QUEUE_CAPACITY {
            assert!(accepted.recv_timeout(Duration::from_secs(20)).is_ok(), "{all:?}");
            all.extend(texts(&mut receiver));
        }
        assert_eq!(all, (0..5 * QUEUE_CAPACITY).map(|number| number.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn a_blocked_sender_returns_when_the_receiver_is_dropped() {
        let (sender, receiver) = channel().unwrap();
        let accepted = reporter(sender, 5 * QUEUE_CAPACITY);
        for number in 0..QUEUE_CAPACITY {
            assert_eq!(accepted.recv_timeout(Duration::from_secs(20)), Ok(number));
        }
        drop(receiver);
        assert_eq!(accepted.recv_timeout(Duration::from_secs(20)), Err(RecvTimeoutError::Disconnected));
    }
}
