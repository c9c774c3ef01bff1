use std::fs::File;
use std::io::Write;

use agency_model::{Event, EventLine};
use tempfile::TempDir;
use ulid::Ulid;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(20);

struct Run {
    _directory: TempDir,
    feeds: RunFeeds,
    id: RunId,
    log: File,
    written: u64,
}

impl Run {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::new(directory.path().join("agency"));
        let id = RunId::from_ulid(Ulid::generate());
        std::fs::create_dir_all(home.run(&id).path()).unwrap();
        let log = File::create(home.run(&id).events()).unwrap();
        Self { _directory: directory, feeds: RunFeeds::new(home).unwrap(), id, log, written: 0 }
    }

    fn write(&mut self, events: u64) {
        let mut lines = String::new();
        for _ in 0..events {
            self.written += 1;
            let event = Event::Notice { message: "x".repeat(100) };
            let line = EventLine { seq: self.written, at: jiff::Timestamp::UNIX_EPOCH, attempt: 1, event };
            lines += &(serde_json::to_string(&line).unwrap() + "\n");
        }
        self.log.write_all(lines.as_bytes()).unwrap();
    }

    fn reader(&self, after: u64) -> FeedReader {
        self.feeds.events(&self.id, after).unwrap()
    }
}

/// The numbers of the next events, up to this one.
fn numbers(reader: &mut FeedReader, last: u64) -> Vec<u64> {
    let mut seen: Vec<u64> = vec![];
    while seen.last().is_none_or(|seen| *seen < last) {
        let events = reader.next(TIMEOUT).unwrap();
        assert!(!events.is_empty(), "{seen:?}");
        seen.extend(events.iter().map(|event| event.event.seq));
    }
    seen
}

#[test]
fn readers_get_everything_after_their_number_whenever_they_come() {
    let mut run = Run::new();
    run.write(3);
    let (mut first, mut late) = (run.reader(0), run.reader(2));
    assert_eq!(numbers(&mut first, 3), [1, 2, 3]);
    run.write(2);
    assert_eq!(numbers(&mut first, 5), [4, 5]);
    assert_eq!(numbers(&mut late, 5), [3, 4, 5]);
    assert!(first.next(Duration::ZERO).unwrap().is_empty());
    assert_eq!(numbers(&mut run.reader(4), 5), [5]);
}

#[test]
fn an_event_is_read_once_for_all_readers() {
    let mut run = Run::new();
    let (mut one, mut two) = (run.reader(0), run.reader(0));
    assert!(Arc::ptr_eq(&one.feed, &two.feed));
    run.write(1);
    let (one, two) = (one.next(TIMEOUT).unwrap(), two.next(TIMEOUT).unwrap());
    assert!(Arc::ptr_eq(&one[0], &two[0]));
}

#[test]
fn a_reader_that_falls_behind_catches_up_and_misses_nothing() {
    let mut run = Run::new();
    run.write(5);
    let (mut slow, mut quick) = (run.reader(0), run.reader(0));
    let flood = 5 * QUEUE_CAPACITY as u64;
    let mut expected = 5;
    for _ in 0..3 {
        run.write(flood);
        expected += flood;
        let before = expected - flood;
        let seen = numbers(&mut quick, expected);
        assert_eq!(seen.last(), Some(&expected));
        assert!(seen.is_sorted() && seen.len() as u64 >= flood, "{before}");
    }
    assert_eq!(numbers(&mut slow, expected), (1..=expected).collect::<Vec<_>>());
}

#[test]
fn a_feed_ends_with_its_last_reader() {
    let mut run = Run::new();
    run.write(1);
    let reader = run.reader(0);
    let feed = Arc::downgrade(&reader.feed);
    drop(reader);
    // The reading thread may hold it for a moment.
    let begun = Instant::now();
    while feed.upgrade().is_some() && begun.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    assert!(feed.upgrade().is_none());
    assert_eq!(numbers(&mut run.reader(0), 1), [1]);
}
