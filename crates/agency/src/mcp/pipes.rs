//! Standard input and output as a stream for the server.
//!
//! Both are read and written by threads of their own, which end with the process: a client that neither writes nor reads
//! does not keep the process from ending.

use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::Client;

/// How much may wait in each direction.
const PIPE_BUFFER_BYTES: usize = 64 * 1024;
/// How long the last answer may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The streams of one client.
pub(super) struct Pipes {
    /// What the server talks through.
    pub(super) stream: DuplexStream,
    /// The thread that writes the output of the server.
    pub(super) writer: Writer,
}

/// The thread that writes.
pub(super) struct Writer {
    ended: mpsc::Receiver<()>,
}

impl Pipes {
    /// Begins to read and to write, and to note whether the client is there.
    pub(super) fn open(handle: &Handle, presence: &watch::Sender<Client>) -> io::Result<Self> {
        let (stream, far_end) = tokio::io::duplex(PIPE_BUFFER_BYTES);
        let (said, heard) = tokio::io::split(far_end);
        let (handle_too, presence_too) = (handle.clone(), presence.clone());
        let (end, ended) = mpsc::channel::<()>();
        std::thread::Builder::new().name("mcp-out".to_owned()).spawn(move || {
            write(&handle_too, said, &presence_too);
            drop(end);
        })?;
        let (handle, presence) = (handle.clone(), presence.clone());
        std::thread::Builder::new().name("mcp-in".to_owned()).spawn(move || read(&handle, heard, &presence))?;
        Ok(Self { stream, writer: Writer { ended } })
    }
}

impl Writer {
    /// Waits until all is written that the server said, if the client reads it.
    pub(super) fn finish(self) {
        // Nothing is ever sent: the end of the thread is the news.
        let _ = self.ended.recv_timeout(LAST_WORDS);
    }
}

fn read(handle: &Handle, mut heard: WriteHalf<DuplexStream>, presence: &watch::Sender<Client>) {
    let mut stdin = io::stdin().lock();
    let mut piece = vec![0; PIPE_BUFFER_BYTES];
    loop {
        match stdin.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => {
                let piece = piece.get(..length).unwrap_or_default();
                if handle.block_on(heard.write_all(piece)).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    presence.send_if_modified(|client| {
        let was_here = *client == Client::Listening;
        if was_here {
            *client = Client::Leaving;
        }
        was_here
    });
    // This wakes the server at the end of input, unless it has ended before.
    let _ = handle.block_on(heard.shutdown());
}

fn write(handle: &Handle, mut said: ReadHalf<DuplexStream>, presence: &watch::Sender<Client>) {
    let mut stdout = io::stdout().lock();
    let mut piece = vec![0; PIPE_BUFFER_BYTES];
    while let Ok(length @ 1..) = handle.block_on(said.read(&mut piece)) {
        let piece = piece.get(..length).unwrap_or_default();
        if stdout.write_all(piece).and_then(|()| stdout.flush()).is_err() {
            presence.send_replace(Client::Gone);
            return;
        }
    }
}
