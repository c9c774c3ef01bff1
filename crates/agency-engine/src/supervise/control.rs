//! `control.sock`: notifications of requests, and the connections of `agency attach`.
//!
//! A request itself is a row in the database; the wake frame only announces it. A viewer gets
//! the agent's terminal as raw bytes and sends frames: one byte of kind, four of length, content.
//! A watcher gets the same bytes, and before them and at each change the size of that terminal.

use std::io;

use agency_system::process::TerminalSize;
use rustix::process::geteuid;
use tokio::io::AsyncReadExt;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::viewer::{ViewMode, Viewer};
use crate::wire::{ATTACH, ClientVersion, INPUT, MAX_FRAME_BYTES, RESIZE, VERSION, WAIT, WAKE, WATCH};

/// What comes in by the socket.
#[derive(Debug)]
pub(super) enum ControlMessage {
    Wake,
    Attached {
        viewer: Viewer,
        size: TerminalSize,
    },
    Watched(Viewer),
    /// A viewer that fell behind has read all that it was given.
    CaughtUp,
    Input(Vec<u8>),
    Resized(TerminalSize),
    Waiting(Waiter),
    /// Something that the user should know.
    Notice(String),
}

/// A client that waits for the state to change: dropping this wakes it.
#[derive(Debug)]
pub(super) struct Waiter {
    _stream: OwnedWriteHalf,
}

/// The socket, served by a task, and what came in by it or from a thread of the supervisor.
#[derive(Debug)]
pub(super) struct ControlServer {
    task: JoinHandle<()>,
    messages: mpsc::Receiver<ControlMessage>,
}

impl ControlServer {
    /// Starts to serve the socket. The sender is for threads.
    pub(super) fn start(listener: UnixListener) -> (Self, mpsc::Sender<ControlMessage>) {
        let (sender, messages) = mpsc::channel(64);
        (Self { task: tokio::spawn(serve(listener, sender.clone())), messages }, sender)
    }

    /// The next message; none if the socket was closed. Dropping this before it is ready loses nothing.
    pub(super) async fn next(&mut self) -> Option<ControlMessage> {
        self.messages.recv().await
    }

    /// Closes the socket and its connections, so that what waits there continues, also what has just connected: an agent
    /// that exits at once is faster than the command that waits for it. Viewers keep their connections.
    pub(super) async fn close(&mut self) {
        self.messages.close();
        self.task.abort();
        // It was aborted, so this is an error.
        let _ = (&mut self.task).await;
        // The tasks of the connections were aborted with it, and end when it is their turn.
        tokio::task::yield_now().await;
        while self.messages.try_recv().is_ok() {}
    }
}

async fn serve(listener: UnixListener, to_supervisor: mpsc::Sender<ControlMessage>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted
                    && stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
                {
                    connections.spawn(serve_connection(stream, to_supervisor.clone()));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(stream: UnixStream, to_supervisor: mpsc::Sender<ControlMessage>) {
    let (mut reader, writer) = stream.into_split();
    let mut writer = Some(writer);
    let mut client = ClientVersion::default();
    while let Ok((kind, content)) = read_frame(&mut reader).await {
        let message = match kind {
            WAKE => Some(ControlMessage::Wake),
            INPUT => Some(ControlMessage::Input(content)),
            RESIZE => size_of(&content).map(ControlMessage::Resized),
            ATTACH => writer.take().map(|writer| ControlMessage::Attached {
                viewer: Viewer::new(ViewMode::Attached, writer, to_supervisor.clone()),
                size: size_of(&content).unwrap_or(TerminalSize::UNSEEN),
            }),
            WATCH => writer
                .take()
                .map(|writer| ControlMessage::Watched(Viewer::new(ViewMode::Watching, writer, to_supervisor.clone()))),
            WAIT => writer.take().map(|stream| ControlMessage::Waiting(Waiter { _stream: stream })),
            VERSION => {
                client = ClientVersion::read(&content);
                None
            }
            _ if client.may_be_newer() => None,
            // The bytes are not frames.
            _ => return,
        };
        if let Some(message) = message
            && to_supervisor.send(message).await.is_err()
        {
            return;
        }
    }
}

async fn read_frame(reader: &mut OwnedReadHalf) -> io::Result<(u8, Vec<u8>)> {
    let kind = reader.read_u8().await?;
    let length = reader.read_u32().await?;
    if length > MAX_FRAME_BYTES {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut content = vec![0; length as usize];
    reader.read_exact(&mut content).await?;
    Ok((kind, content))
}

fn size_of(content: &[u8]) -> Option<TerminalSize> {
    let [a, b, c, d] = content else { return None };
    TerminalSize::new(u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d]))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// The messages that a connection with these bytes becomes, by name.
    async fn heard(bytes: &[u8]) -> Vec<String> {
        let (mut client, ours) = UnixStream::pair().unwrap();
        let (sender, mut messages) = mpsc::channel(16);
        client.write_all(bytes).await.unwrap();
        client.shutdown().await.unwrap();
        serve_connection(ours, sender).await;
        let mut heard = vec![];
        while let Some(message) = messages.recv().await {
            heard.push(match message {
                ControlMessage::Wake => "wake".to_owned(),
                ControlMessage::Attached { size, .. } => format!("attached {}x{}", size.rows, size.columns),
                ControlMessage::Watched(_) => "watched".to_owned(),
                ControlMessage::CaughtUp => "caught up".to_owned(),
                ControlMessage::Input(bytes) => format!("input {}", bytes.escape_ascii()),
                ControlMessage::Resized(size) => format!("resized {}x{}", size.rows, size.columns),
                ControlMessage::Waiting(_) => "waiting".to_owned(),
                ControlMessage::Notice(notice) => notice,
            });
        }
        heard
    }

    /// Recorded from the clients of the version before [`VERSION`], which name none.
    const RECORDED: [(&[u8], &[&str]); 4] = [
        (&[0, 0, 0, 0, 0], &["wake"]),
        (&[4, 0, 0, 0, 0], &["waiting"]),
        (&[5, 0, 0, 0, 0], &["watched"]),
        (
            &[1, 0, 0, 0, 4, 0, 24, 0, 80, 2, 0, 0, 0, 1, b'x', 3, 0, 0, 0, 4, 0, 25, 0, 81],
            &["attached 24x80", "input x", "resized 25x81"],
        ),
    ];

    #[tokio::test]
    async fn clients_with_and_without_a_version_are_understood() {
        for (recorded, expected) in RECORDED {
            assert_eq!(heard(recorded).await, expected, "{recorded:?}");
            let versioned = [&[6, 0, 0, 0, 1, 7], recorded].concat();
            assert_eq!(heard(&versioned).await, expected, "{versioned:?}");
        }
    }

    #[tokio::test]
    async fn what_waits_continues_when_the_server_closes_whether_it_was_accepted_or_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("control.sock");
        let (mut server, _sender) = ControlServer::start(UnixListener::bind(&path).unwrap());
        let wait = || {
            let mut client = std::os::unix::net::UnixStream::connect(&path).unwrap();
            std::io::Write::write_all(&mut client, &[WAIT, 0, 0, 0, 0]).unwrap();
            client
        };
        let accepted = wait();
        let Some(ControlMessage::Waiting(waiter)) = server.next().await else { panic!("it waits") };
        drop(waiter);
        let (silent, late) = (std::os::unix::net::UnixStream::connect(&path).unwrap(), wait());
        server.close().await;
        for mut client in [accepted, silent, late] {
            client.set_nonblocking(true).unwrap();
            // The end of the stream, or that it was closed before it was read.
            let read = std::io::Read::read(&mut client, &mut [0]).map_err(|error| error.kind());
            assert!(matches!(read, Ok(0) | Err(io::ErrorKind::ConnectionReset)), "{read:?}");
        }
    }

    #[tokio::test]
    async fn an_unknown_kind_is_skipped_unless_the_version_of_the_client_does_not_have_it() {
        let unknown = [99, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0];
        assert_eq!(heard(&unknown).await, ["wake"]);
        assert_eq!(heard(&[&[6, 0, 0, 0, 1, u8::MAX][..], &unknown].concat()).await, ["wake"]);
        assert_eq!(heard(&[&[6, 0, 0, 0, 1, 7][..], &unknown].concat()).await, [""; 0]);
    }
}
