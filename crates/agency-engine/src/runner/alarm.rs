//! Waits for a point in time without the clock of a runtime.
//!
//! The one rule: it works wherever it is polled, so that a [`Listener`](super::Listener) never panics for want of a
//! runtime. A thread is started when a wait really has to wait, and ends with the wait.

use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

/// Is ready at a point in time.
pub(super) struct Alarm {
    deadline: Instant,
    /// Tells the thread who is to be woken; the thread ends when it is dropped.
    wakers: Option<Sender<Waker>>,
}

impl Alarm {
    pub(super) const fn at(deadline: Instant) -> Self {
        Self { deadline, wakers: None }
    }
}

impl Future for Alarm {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline {
            return Poll::Ready(());
        }
        let (deadline, waker) = (self.deadline, context.waker().clone());
        let wakers = self.wakers.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let thread = std::thread::Builder::new().name("alarm".to_owned());
            // Without a thread the receiver is gone, and the task polls until the time has come.
            drop(thread.spawn(move || wake_at(deadline, &receiver)));
            sender
        });
        if wakers.send(waker).is_err() {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

/// Wakes the last of the wakers at the deadline, and ends earlier when the wait does.
fn wake_at(deadline: Instant, wakers: &Receiver<Waker>) {
    let mut last: Option<Waker> = None;
    loop {
        match wakers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(waker) => last = Some(waker),
            Err(RecvTimeoutError::Timeout) => {
                last.inspect(Waker::wake_by_ref);
                return;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
