//! Panics of a runner that a program made itself: they end the attempt, and their text is its error.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use crate::runner::{ProcessRunner, RunnerEvent};

/// What a panic said.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it gave no reason".to_owned())
}

/// The next event of a runner, or what it said when it panicked.
pub(super) async fn next_of(runner: &mut dyn ProcessRunner) -> Result<RunnerEvent, String> {
    // In a future of our own, so that a panic of the call itself is one of the first poll.
    let mut next = std::pin::pin!(async { runner.next().await });
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| next.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_message(&*panic))),
    })
    .await
}
