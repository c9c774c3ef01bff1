//! Viewers of the agent's screen: each gets a copy that may lag and never holds up the agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::control::ControlMessage;

/// How many chunks of output may wait for a slow viewer before it is given the whole screen anew.
const MAX_QUEUED_CHUNKS: usize = 256;
/// How long viewers get to take what they have not read when the run has finished.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// What a viewer may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewMode {
    /// With a terminal of their own, whose size the agent's takes.
    Attached,
    /// Without any effect on the agent.
    Watching,
}

/// A viewer.
#[derive(Debug)]
pub(super) struct Viewer {
    pub(super) mode: ViewMode,
    output: mpsc::Sender<Vec<u8>>,
    behind: Arc<AtomicBool>,
    forwarding: JoinHandle<()>,
}

impl Viewer {
    /// A viewer at the other end of a stream.
    pub(super) fn new(mode: ViewMode, stream: OwnedWriteHalf, to_supervisor: mpsc::Sender<ControlMessage>) -> Self {
        let (output, chunks) = mpsc::channel(MAX_QUEUED_CHUNKS);
        let behind = Arc::new(AtomicBool::new(false));
        let forwarding = tokio::spawn(forward(chunks, stream, behind.clone(), to_supervisor));
        Self { mode, output, behind, forwarding }
    }

    /// Offers output without ever waiting; `false` if the viewer is gone. One that fell behind gets nothing more until
    /// it has caught up, and then the whole screen.
    pub(super) fn try_send(&self, bytes: &[u8], whole_screen: impl FnOnce() -> Vec<u8>) -> bool {
        if !self.behind.load(Ordering::SeqCst) {
            match self.output.try_send(bytes.to_vec()) {
                Ok(()) => return true,
                Err(mpsc::error::TrySendError::Closed(_)) => return false,
                Err(mpsc::error::TrySendError::Full(_)) => self.behind.store(true, Ordering::SeqCst),
            }
        }
        self.catch_up(whole_screen)
    }

    /// Gives the whole screen to a viewer that fell behind and has read all it was given; `false` if it is gone.
    pub(super) fn catch_up(&self, whole_screen: impl FnOnce() -> Vec<u8>) -> bool {
        if self.behind.load(Ordering::SeqCst) && self.output.capacity() == MAX_QUEUED_CHUNKS {
            self.behind.store(false, Ordering::SeqCst);
            return self.output.try_send(whole_screen()).is_ok();
        }
        !self.output.is_closed()
    }
}

/// Lets the viewers of a run that is over read what they were given, and closes their streams.
pub(super) async fn drain_viewers(viewers: Vec<Viewer>) {
    let until = Instant::now() + DRAIN_TIMEOUT;
    for Viewer { output, forwarding, .. } in viewers {
        drop(output);
        // One that does not read must not keep the supervisor.
        let _ = timeout_at(until, forwarding).await;
    }
}

/// Passes output on until the supervisor drops the viewer, and then closes the stream.
async fn forward(
    mut chunks: mpsc::Receiver<Vec<u8>>,
    mut stream: OwnedWriteHalf,
    behind: Arc<AtomicBool>,
    to_supervisor: mpsc::Sender<ControlMessage>,
) {
    while let Some(chunk) = chunks.recv().await {
        if stream.write_all(&chunk).await.is_err() {
            return;
        }
        // The agent may write nothing more, which would wake the supervisor.
        if chunks.is_empty() && behind.load(Ordering::SeqCst) {
            let _ = to_supervisor.send(ControlMessage::CaughtUp).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn one_that_fell_behind_gets_the_whole_screen_though_the_agent_is_silent() {
        block_on(async {
            let (mut theirs, ours) = UnixStream::pair().unwrap();
            let (to_supervisor, mut control) = mpsc::channel(8);
            let viewer = Viewer::new(ViewMode::Watching, ours.into_split().1, to_supervisor);
            let chunk = vec![b'x'; 16 * 1024];
            // More than the stream and the backlog hold together.
            for _ in 0..2 * MAX_QUEUED_CHUNKS {
                assert!(viewer.try_send(&chunk, Vec::new));
                tokio::task::yield_now().await;
            }
            assert!(viewer.behind.load(Ordering::SeqCst));
            let reading = tokio::spawn(async move {
                let mut read = vec![];
                theirs.read_to_end(&mut read).await.unwrap();
                read
            });
            let message = tokio::time::timeout(Duration::from_secs(20), control.recv()).await.unwrap();
            assert!(matches!(message, Some(ControlMessage::CaughtUp)), "{message:?}");
            assert!(viewer.catch_up(|| b"whole".to_vec()));
            assert!(viewer.try_send(b" and more", Vec::new));
            drain_viewers(vec![viewer]).await;
            let read = reading.await.unwrap();
            assert!(read.ends_with(b"xwhole and more"), "{:?}", read.get(read.len() - 40..));
            assert!(read.len() < 2 * MAX_QUEUED_CHUNKS * chunk.len(), "nothing was left out");
        });
    }

    #[test]
    fn one_that_does_not_read_is_not_waited_for() {
        block_on(async {
            let (_theirs, ours) = UnixStream::pair().unwrap();
            let viewer = Viewer::new(ViewMode::Attached, ours.into_split().1, mpsc::channel(8).0);
            for _ in 0..MAX_QUEUED_CHUNKS {
                viewer.try_send(&[b'x'; 16 * 1024], Vec::new);
            }
            tokio::time::timeout(Duration::from_secs(20), drain_viewers(vec![viewer])).await.unwrap();
        });
    }

    #[test]
    fn one_that_left_is_noticed() {
        block_on(async {
            let (theirs, ours) = UnixStream::pair().unwrap();
            let viewer = Viewer::new(ViewMode::Watching, ours.into_split().1, mpsc::channel(8).0);
            drop(theirs);
            while viewer.try_send(b"anybody?", Vec::new) {
                tokio::task::yield_now().await;
            }
            assert!(!viewer.catch_up(Vec::new));
        });
    }
}
