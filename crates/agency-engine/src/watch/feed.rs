//! The events of runs for any number of readers: each file is read and parsed once, however many look at it.
//!
//! The one rule: a slow reader holds up neither the others nor the run. What does not fit into its queue it reads from
//! the file itself, so that it misses nothing.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use agency_model::RunId;

use super::event_reader::{EventReader, ReadEvent};
use super::hub::{Subscription, subscribe};
use crate::home::{Home, HomeError};
use crate::watch::Tail;

/// How many events wait for a reader before it reads the file itself.
const QUEUE_CAPACITY: usize = 1024;
/// The kernel reports no changes on some file systems, so files are also read at this interval.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The events of all runs of a home. One thread reads for all readers; it ends with the last of them.
#[derive(Debug)]
pub struct RunFeeds {
    home: Home,
    feeds: Arc<Mutex<HashMap<RunId, Weak<Feed>>>>,
    changed: Sender<RunId>,
}

/// One run that has readers.
#[derive(Debug)]
struct Feed {
    path: PathBuf,
    state: Mutex<FeedState>,
    _subscription: Subscription,
}

#[derive(Debug)]
struct FeedState {
    tail: Tail,
    reader: EventReader,
    /// How many events were read.
    count: u64,
    queues: Vec<SyncSender<Arc<ReadEvent>>>,
}

/// A reader of the events of one run.
#[derive(Debug)]
pub struct FeedReader {
    feed: Arc<Feed>,
    after: u64,
    queue: Receiver<Arc<ReadEvent>>,
    /// How many events of the file were handed out or passed over.
    seen: u64,
    own: OwnReading,
}

/// How far a reader has read the file itself.
#[derive(Debug)]
struct OwnReading {
    tail: Tail,
    reader: EventReader,
    count: u64,
    /// It is done when it has read so many; the rest is in the queue.
    until: u64,
}

impl RunFeeds {
    /// The runs of this home.
    pub fn new(home: Home) -> io::Result<Self> {
        let (changed, changes) = channel();
        let feeds = Arc::new(Mutex::new(HashMap::new()));
        let read = Arc::downgrade(&feeds);
        std::thread::Builder::new().name("run feeds".to_owned()).spawn(move || read_changes(&changes, &read))?;
        Ok(Self { home, feeds, changed })
    }

    /// The events of a run after the one of this number, from the beginning of the run on or from now on.
    pub fn events(&self, id: &RunId, after: u64) -> Result<FeedReader, HomeError> {
        let run = self.home.run(id);
        let path = run.events();
        let unreadable = |source| HomeError::new("read", &path, source);
        let mut feeds = lock(&self.feeds);
        let feed = match feeds.get(id).and_then(Weak::upgrade) {
            Some(feed) => feed,
            None => {
                let (changed, of_run) = (self.changed.clone(), id.clone());
                let subscription = subscribe(&[run.path()], move |_| {
                    // Without a receiver there are no readers any more.
                    let _ = changed.send(of_run.clone());
                })?;
                let tail = Tail::at(&path, 0).map_err(unreadable)?;
                let state = FeedState { tail, reader: EventReader::default(), count: 0, queues: vec![] };
                let feed = Arc::new(Feed { path: path.clone(), state: Mutex::new(state), _subscription: subscription });
                feeds.retain(|_, feed| feed.strong_count() > 0);
                feeds.insert(id.clone(), Arc::downgrade(&feed));
                feed
            }
        };
        drop(feeds);
        let (queue, until) = feed.join().map_err(unreadable)?;
        let tail = Tail::at(&feed.path, 0).map_err(unreadable)?;
        let own = OwnReading { tail, reader: EventReader::default(), count: 0, until };
        Ok(FeedReader { feed, after, queue, seen: 0, own })
    }
}

/// Reads what is new of each run that changed, and now and then of all.
fn read_changes(changes: &Receiver<RunId>, feeds: &Weak<Mutex<HashMap<RunId, Weak<Feed>>>>) {
    loop {
        let changed = match changes.recv_timeout(POLL_INTERVAL) {
            Ok(id) => Some(std::iter::once(id).chain(changes.try_iter()).collect::<Vec<_>>()),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let Some(feeds) = feeds.upgrade() else { return };
        let alive: Vec<Arc<Feed>> = {
            let feeds = lock(&feeds);
            let wanted = |id: &RunId| changed.as_ref().is_none_or(|changed| changed.contains(id));
            feeds.iter().filter(|(id, _)| wanted(id)).filter_map(|(_, feed)| feed.upgrade()).collect()
        };
        for feed in alive {
            // A file that cannot be read now is read at the next change; the readers notice it by themselves.
            let _ = lock(&feed.state).read();
        }
    }
}

impl Feed {
    /// A queue for what comes from now on, and how many events came before.
    fn join(&self) -> io::Result<(Receiver<Arc<ReadEvent>>, u64)> {
        let (sender, queue) = sync_channel(QUEUE_CAPACITY);
        let mut state = lock(&self.state);
        state.read()?;
        state.queues.push(sender);
        Ok((queue, state.count))
    }
}

impl FeedState {
    fn read(&mut self) -> io::Result<()> {
        let Self { tail, reader, count, queues } = self;
        tail.read(|piece| {
            for event in reader.feed(piece) {
                *count += 1;
                let event = Arc::new(event);
                // A queue that is full ends here: its reader reads the file until it has caught up.
                queues.retain(|queue| queue.try_send(Arc::clone(&event)).is_ok());
            }
            Ok(())
        })
    }
}

impl FeedReader {
    /// The next events, at least one, waiting for them at most `limit`; none if the limit passed.
    pub fn next(&mut self, limit: Duration) -> io::Result<Vec<Arc<ReadEvent>>> {
        let deadline = Instant::now().checked_add(limit);
        loop {
            let mut events = VecDeque::new();
            if self.own.count < self.own.until {
                events.extend(self.read_file()?);
            } else {
                let left = deadline.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
                match self.queue.recv_timeout(left) {
                    Ok(event) => events.extend(std::iter::once(event).chain(self.queue.try_iter())),
                    Err(RecvTimeoutError::Timeout) => return Ok(vec![]),
                    Err(RecvTimeoutError::Disconnected) => self.catch_up()?,
                }
                self.seen += events.len() as u64;
            }
            events.retain(|event| event.event.seq > self.after);
            if !events.is_empty() {
                return Ok(events.into());
            }
        }
    }

    /// Begins to read the file, after a queue that was full, from the first event that was not in it.
    fn catch_up(&mut self) -> io::Result<()> {
        (self.queue, self.own.until) = self.feed.join()?;
        if self.own.count > self.seen {
            let tail = Tail::at(&self.feed.path, 0)?;
            self.own = OwnReading { tail, reader: EventReader::default(), count: 0, until: self.own.until };
        }
        Ok(())
    }

    /// Some of what the queue does not hold.
    fn read_file(&mut self) -> io::Result<Vec<Arc<ReadEvent>>> {
        let OwnReading { tail, reader, count, until } = &mut self.own;
        let mut buffer = vec![];
        let piece = tail.read_piece(&mut buffer)?;
        if piece.is_empty() {
            // The file was cut since: there is nothing left to catch up with.
            *count = *until;
            self.seen = self.seen.max(*until);
            return Ok(vec![]);
        }
        let mut events = vec![];
        for event in reader.feed(piece) {
            *count += 1;
            if (self.seen + 1..=*until).contains(count) {
                self.seen = *count;
                events.push(Arc::new(event));
            }
        }
        Ok(events)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
