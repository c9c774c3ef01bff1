//! Reads the agent's stream: at once while little comes, and in a thread while much comes, so that the logs do not wait
//! for the parser.
//!
//! The one rule: items come out in the order of the bytes, wherever these were read.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use agency_adapters::{Channel, StreamItem};
use tokio::sync::Notify;

/// A smaller piece is read at once: to hand it over would take as long.
const MIN_THREAD_BYTES: usize = 64 * 1024;
/// How far the logs may be ahead of the parser.
const MAX_AHEAD_BYTES: usize = 16 * 1024 * 1024;
/// How many buffers are kept to be filled again.
const MAX_SPARE_BUFFERS: usize = 4;

/// The parser of one agent process, and the pieces that it has not read yet.
pub(super) struct StreamReader {
    channel: Arc<Mutex<Channel>>,
    thread: Option<ReaderThread>,
    /// The pieces whose items were not taken yet, and their bytes.
    pieces: usize,
    ahead: usize,
    spare: Vec<Vec<u8>>,
    /// Whether a piece was handed over since the last [`Self::release_memory`].
    was_ahead: bool,
}

struct ReaderThread {
    pieces: Sender<Vec<u8>>,
    read: Receiver<ReadPiece>,
    notify: Arc<Notify>,
}

struct ReadPiece {
    items: Vec<StreamItem>,
    piece: Vec<u8>,
}

impl StreamReader {
    pub(super) fn new(channel: Channel) -> Self {
        Self {
            channel: Arc::new(Mutex::new(channel)),
            thread: None,
            pieces: 0,
            ahead: 0,
            spare: vec![],
            was_ahead: false,
        }
    }

    /// The parser itself, which may have read more than was taken.
    pub(super) fn channel(&self) -> MutexGuard<'_, Channel> {
        lock(&self.channel)
    }

    /// Reads a piece. Its items are returned, or come from [`Self::next`] after those of the pieces before.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Option<Vec<StreamItem>> {
        if self.pieces == 0 && bytes.len() < MIN_THREAD_BYTES {
            return Some(self.channel().feed(bytes));
        }
        let mut piece = self.spare.pop().unwrap_or_default();
        piece.clear();
        piece.extend_from_slice(bytes);
        if self.thread.is_none() {
            self.thread = ReaderThread::start(Arc::clone(&self.channel));
        }
        let handed_over = self.thread.as_ref().is_some_and(|thread| thread.pieces.send(piece).is_ok());
        if !handed_over {
            // No thread could be started, so nothing is ahead.
            return Some(self.channel().feed(bytes));
        }
        self.was_ahead = true;
        self.pieces += 1;
        self.ahead += bytes.len();
        None
    }

    /// Whether another piece may be read.
    pub(super) const fn keeps_up(&self) -> bool {
        self.ahead < MAX_AHEAD_BYTES
    }

    /// Waits for the items of the next piece. Dropping this before it is ready loses nothing.
    pub(super) async fn next(&mut self) -> Vec<StreamItem> {
        loop {
            let Some(thread) = self.thread.as_ref().filter(|_| self.pieces > 0) else {
                return std::future::pending().await;
            };
            match thread.read.try_recv() {
                Ok(read) => return self.take(read),
                Err(_) => thread.notify.notified().await,
            }
        }
    }

    /// The items of the next piece that is still being read; `None` if there is none.
    pub(super) fn finish_next(&mut self) -> Option<Vec<StreamItem>> {
        let thread = self.thread.as_ref().filter(|_| self.pieces > 0)?;
        let read = thread.read.recv().ok()?;
        Some(self.take(read))
    }

    fn take(&mut self, ReadPiece { items, piece }: ReadPiece) -> Vec<StreamItem> {
        self.pieces -= 1;
        self.ahead -= piece.len();
        if self.spare.len() < MAX_SPARE_BUFFERS {
            self.spare.push(piece);
        }
        items
    }

    /// Gives back the buffers if none was needed since the last call; `false` if they were. What an idle supervisor keeps
    /// is kept for days, and a buffer that is given back after every piece is memory that the kernel clears for the next.
    pub(super) fn release_memory(&mut self) -> bool {
        let needed = std::mem::take(&mut self.was_ahead) || self.pieces > 0;
        if !needed {
            self.spare = vec![];
        }
        !needed
    }
}

impl ReaderThread {
    /// `None` if the system has no more threads.
    fn start(parser: Arc<Mutex<Channel>>) -> Option<Self> {
        let (pieces, waiting) = channel::<Vec<u8>>();
        let (sender, read) = channel();
        let notify = Arc::new(Notify::new());
        let notified = Arc::clone(&notify);
        let work = move || {
            for piece in waiting {
                let items = lock(&parser).feed(&piece);
                if sender.send(ReadPiece { items, piece }).is_err() {
                    return;
                }
                notified.notify_one();
            }
        };
        thread::Builder::new().name("parser".to_owned()).spawn(work).ok()?;
        Some(Self { pieces, read, notify })
    }
}

fn lock(channel: &Mutex<Channel>) -> MutexGuard<'_, Channel> {
    channel.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use agency_adapters::StreamFormat;
    use agency_model::Event;

    use super::*;

    fn texts(items: Vec<StreamItem>) -> impl Iterator<Item = usize> {
        items.into_iter().filter_map(|item| {
            let StreamItem::Event(Event::Output { text, .. }) = item else { return None };
            Some(text.trim_end_matches('.').parse().unwrap())
        })
    }

    /// A line of this number, with so many dots after it.
    fn line(number: usize, dots: usize) -> Vec<u8> {
        let text = format!("{number}{}", ".".repeat(dots));
        let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        format!("{{\"type\":\"assistant\",\"message\":{{\"content\":{content}}}}}\n").into_bytes()
    }

    #[tokio::test]
    async fn items_come_in_the_order_of_the_bytes_however_large_the_pieces_are() {
        let mut reader = StreamReader::new(StreamFormat::Claude.parser().unwrap());
        let mut found = vec![];
        let mut was_ahead = false;
        for number in 0..60 {
            let dots = if number % 3 == 0 { MIN_THREAD_BYTES } else { 1 };
            found.extend(reader.feed(&line(number, dots)).into_iter().flat_map(texts));
            was_ahead |= reader.pieces > 1;
            if number % 7 == 0 && reader.pieces > 0 {
                found.extend(texts(reader.next().await));
            }
        }
        while let Some(items) = reader.finish_next() {
            found.extend(texts(items));
        }
        assert!(was_ahead);
        assert_eq!(found, (0..60).collect::<Vec<_>>());
        assert_eq!((reader.pieces, reader.ahead), (0, 0));
        assert!((1..=MAX_SPARE_BUFFERS).contains(&reader.spare.len()));
        assert!(!reader.release_memory(), "it was needed a moment ago");
        assert!(reader.release_memory() && reader.spare.is_empty());
    }

    #[test]
    fn no_more_than_the_limit_is_ahead() {
        let mut reader = StreamReader::new(StreamFormat::Claude.parser().unwrap());
        let piece = vec![b'x'; 1024 * 1024];
        let mut handed_over = 0;
        while reader.keeps_up() {
            assert!(reader.feed(&piece).is_none());
            handed_over += 1;
        }
        assert_eq!(handed_over * piece.len(), MAX_AHEAD_BYTES);
        assert!(reader.finish_next().is_some());
        assert!(reader.keeps_up());
    }

    #[test]
    fn little_is_read_at_once_and_needs_no_thread() {
        let mut reader = StreamReader::new(StreamFormat::Claude.parser().unwrap());
        assert_eq!(texts(reader.feed(&line(7, 1)).unwrap()).collect::<Vec<_>>(), [7]);
        assert!(reader.thread.is_none() && reader.finish_next().is_none());
    }
}
