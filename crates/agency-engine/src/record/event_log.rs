//! `events.ndjson`: the numbered events of a run, appended by the owner of the run.

use std::io::{self, Write};
use std::path::Path;

use agency_model::{Event, EventLine, WorkEvent};
use agency_system::growing_file::GrowingFile;

use crate::home::{HomeError, open_for_append};
use crate::store::now;
use crate::watch::{find_last_line, last_bytes};

/// How many bytes wait in memory while the disk is full.
const MAX_WAITING_BYTES: usize = 256 * 1024;

/// Appends events; the owner of the run's lock is the only writer.
#[derive(Debug)]
pub struct EventLog {
    file: GrowingFile,
    next_seq: u64,
    tells_the_end: bool,
    /// Whole lines, but for the first, of which the beginning may be written.
    waiting: Vec<u8>,
    /// Whether the disk did not take the last ones.
    stuck: bool,
    /// Whether more events follow at once.
    holding: bool,
}

impl EventLog {
    /// Opens the log and continues after its last event.
    pub fn open(path: &Path) -> Result<Self, HomeError> {
        let mut file = GrowingFile::new(open_for_append(path)?);
        let last = last_line(path).map_err(|source| HomeError::new("read", path, source))?;
        if last.torn {
            // Our predecessor died in mid-line: its half stays, and ours begins on a line of its own.
            file.write_all(b"\n").map_err(|source| HomeError::new("write", path, source))?;
        }
        Ok(Self {
            file,
            next_seq: last.seq + 1,
            tells_the_end: last.tells_the_end,
            waiting: vec![],
            stuck: false,
            holding: false,
        })
    }

    /// Whether the end of the run was already in the log when it was opened.
    #[must_use]
    pub const fn tells_the_end(&self) -> bool {
        self.tells_the_end
    }

    /// Appends one event, and returns its number. While the disk is full, events wait in memory; what does not fit there is lost.
    pub fn append(&mut self, attempt: u32, event: Event) -> u64 {
        let seq = self.next_seq;
        let line = EventLine { seq, at: now(), attempt, event };
        self.next_seq += 1;
        let before = self.waiting.len();
        let whole = serde_json::to_writer(&mut self.waiting, &line).is_ok();
        self.waiting.push(b'\n');
        if !whole || (self.stuck && self.waiting.len() > MAX_WAITING_BYTES) {
            self.waiting.truncate(before);
        }
        if !self.holding {
            self.flush();
        }
        seq
    }

    /// The number of the last event.
    #[must_use]
    pub const fn last_seq(&self) -> u64 {
        self.next_seq.saturating_sub(1)
    }

    /// Whether the disk did not take everything.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Keeps what is appended until [`Self::release`]: a flood of events is not a flood of writes.
    pub fn hold(&mut self) {
        self.holding = true;
    }

    /// Ends [`Self::hold`].
    pub fn release(&mut self) {
        self.holding = false;
        self.flush();
    }

    /// Writes what is waiting, as far as the disk takes it.
    pub fn flush(&mut self) {
        let mut written = 0;
        while let Some(rest) = self.waiting.get(written..).filter(|rest| !rest.is_empty()) {
            match self.file.write(rest) {
                Ok(0) => break,
                Ok(length) => written += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.waiting.drain(..written);
        // In a flood the next lines need the room again.
        if written <= MAX_KEPT_CAPACITY {
            self.waiting.shrink_to(MAX_KEPT_CAPACITY);
        }
        self.stuck = !self.waiting.is_empty();
    }
}

/// A buffer that grew beyond this is given back when less is written.
const MAX_KEPT_CAPACITY: usize = 64 * 1024;

struct LastLine {
    seq: u64,
    tells_the_end: bool,
    torn: bool,
}

fn last_line(path: &Path) -> io::Result<LastLine> {
    let torn = last_bytes(path, 0, 1)?.last().is_some_and(|byte| *byte != b'\n');
    let last = find_last_line(path, |line| serde_json::from_str::<Numbered>(line).ok())?.unwrap_or_default();
    let tells_the_end = match last.kind.as_str() {
        "completed" => true,
        // What happens to the work of a finished run comes after its end.
        kind if is_of_work(kind) => find_last_line(path, |line| {
            let kind = serde_json::from_str::<Numbered>(line).ok()?.kind;
            (!is_of_work(&kind)).then_some(kind == "completed")
        })?
        .unwrap_or(false),
        _ => false,
    };
    Ok(LastLine { seq: last.seq, tells_the_end, torn })
}

/// Whether events of this type may follow the end of a run.
fn is_of_work(kind: &str) -> bool {
    WorkEvent::TYPES.contains(&kind)
}

#[derive(Default, serde::Deserialize)]
struct Numbered {
    seq: u64,
    #[serde(rename = "type", default)]
    kind: String,
}

#[cfg(test)]
mod tests {
    use agency_model::run::{Reason, State};

    use super::*;

    #[test]
    fn the_end_is_found_behind_what_happened_to_the_work_later() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.ndjson");
        let landing = || Event::Work(WorkEvent::Landing { target: "main".into(), strategy: "merge".into() });
        let mut log = EventLog::open(&path).unwrap();
        log.append(1, landing());
        drop(log);
        assert!(!EventLog::open(&path).unwrap().tells_the_end());
        let mut log = EventLog::open(&path).unwrap();
        let (state, reason) = (State::Completed, Reason::Exited);
        log.append(1, Event::Completed { state, exit_code: Some(0), reason, error: None });
        log.append(1, landing());
        drop(log);
        assert!(EventLog::open(&path).unwrap().tells_the_end());
    }

    #[test]
    fn numbers_go_on_after_a_torn_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.ndjson");
        let notice = |text: &str| Event::Notice { message: text.to_owned() };
        let mut log = EventLog::open(&path).unwrap();
        log.append(0, notice("one"));
        log.append(1, notice("two"));
        drop(log);
        open_for_append(&path).unwrap().write_all(b"{\"seq\":3,\"at\"").unwrap();
        EventLog::open(&path).unwrap().append(1, notice("three"));
        let text = std::fs::read_to_string(&path).unwrap();
        let seqs: Vec<u64> = text.lines().map(|line| EventLine::read(line, 2).seq).collect();
        assert_eq!(seqs, [1, 2, 3, 3]);
        assert!(text.ends_with("\"message\":\"three\"}\n"));
    }
}
