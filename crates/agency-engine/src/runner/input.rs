//! What a program is still to read.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::{InputClosed, StdinPlan};

/// The writing end of a program's input.
pub(super) struct ProgramInput {
    writer: Option<Writer>,
    waiting: VecDeque<u8>,
    close_when_empty: bool,
}

pub(super) type Writer = Box<dyn AsyncWrite + Unpin + Send>;

impl ProgramInput {
    pub(super) fn new(writer: Option<Writer>, plan: &StdinPlan) -> Self {
        let (text, close_when_empty) = match plan {
            StdinPlan::Text(text) => (text.as_str(), true),
            StdinPlan::Keyboard | StdinPlan::Open => ("", false),
        };
        Self { writer, waiting: text.bytes().collect(), close_when_empty }
    }

    /// Whether there is anything to write to, now or later.
    pub(super) const fn is_open(&self) -> bool {
        self.writer.is_some()
    }

    /// Writes at once what fits; the rest follows while the runner waits for events. Fails if the program closed its input.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), InputClosed> {
        let writer = self.writer.as_mut().filter(|_| !self.close_when_empty).ok_or(InputClosed)?;
        let mut context = Context::from_waker(Waker::noop());
        let written = match self.waiting.is_empty().then(|| Pin::new(writer).poll_write(&mut context, bytes)) {
            Some(Poll::Ready(Ok(length))) => length,
            Some(Poll::Ready(Err(_))) => {
                self.writer = None;
                return Err(InputClosed);
            }
            Some(Poll::Pending) | None => 0,
        };
        self.waiting.extend(bytes.iter().skip(written));
        Ok(())
    }

    pub(super) fn close(&mut self) {
        self.close_when_empty = true;
    }

    /// Writes some of what waits; for ever if there is nothing to do.
    pub(super) async fn write(&mut self) {
        let Some(writer) = &mut self.writer else { return };
        let (first, _) = self.waiting.as_slices();
        if first.is_empty() {
            if self.close_when_empty {
                self.writer = None;
                return;
            }
            return std::future::pending().await;
        }
        match writer.write(first).await {
            Ok(length) => drop(self.waiting.drain(..length)),
            // The program closed its input, so the rest is dropped.
            Err(_) => {
                self.writer = None;
                self.waiting.clear();
            }
        }
    }
}
