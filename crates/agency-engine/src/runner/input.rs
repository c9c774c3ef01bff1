//! What a program is still to read.

use std::collections::VecDeque;

use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::StdinPlan;

/// The writing end of a program's input.
pub(super) struct Input {
    writer: Option<Writer>,
    waiting: VecDeque<u8>,
    close_when_empty: bool,
}

pub(super) type Writer = Box<dyn AsyncWrite + Unpin + Send>;

impl Input {
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

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.writer.is_some() && !self.close_when_empty {
            self.waiting.extend(bytes);
        }
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
            // The program closed its input; it does not want the rest.
            Err(_) => {
                self.writer = None;
                self.waiting.clear();
            }
        }
    }
}
