//! One stream of a program, read into one buffer.

use tokio::io::{AsyncRead, AsyncReadExt};

use super::{RunnerEvent, Stream};

/// One read takes at most this much of a pipe; the kernel's pipe is made as large.
pub(super) const READ_BYTES: usize = 1024 * 1024;

/// The reading end of a program's stream.
pub(super) struct Output {
    stream: Stream,
    reader: Box<dyn AsyncRead + Unpin + Send>,
    buffer: Vec<u8>,
    open: bool,
}

impl Output {
    pub(super) fn new(stream: Stream, reader: impl AsyncRead + Unpin + Send + 'static) -> Self {
        // Zeroed memory that is never touched costs nothing.
        Self { stream, reader: Box::new(reader), buffer: vec![0; READ_BYTES], open: true }
    }

    pub(super) fn closed(stream: Stream) -> Self {
        Self { stream, reader: Box::new(tokio::io::empty()), buffer: vec![], open: false }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.open
    }

    /// The first bytes of the last read.
    pub(super) fn written(&self, length: usize) -> &[u8] {
        self.buffer.get(..length).unwrap_or_default()
    }

    /// Reads once. A terminal ends with EIO when its last program closed it.
    pub(super) async fn read(&mut self) -> RunnerEvent {
        match self.reader.read(&mut self.buffer).await {
            Ok(length) if length > 0 => RunnerEvent::Wrote(self.stream, length),
            Ok(_) | Err(_) => {
                self.open = false;
                RunnerEvent::Closed
            }
        }
    }
}
