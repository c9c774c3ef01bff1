//! Reading what a run writes while it writes it: logs and events by cursor.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use agency_model::{EventLine, RunId};

use crate::agency::Agency;
use crate::home::{HomeError, open_to_read};
use crate::watch::{DirectoryWatch, WaitError};

/// One read takes at most this much.
const READ_BYTES: usize = 256 * 1024;

/// A file that may still grow, and how far it has been read.
#[derive(Debug)]
pub struct Cursor {
    path: PathBuf,
    file: Option<File>,
}

impl Cursor {
    /// Begins at `offset` of a file that need not exist yet.
    pub fn at(path: &Path, offset: u64) -> io::Result<Self> {
        let mut cursor = Self { path: path.to_owned(), file: None };
        if let Some(file) = cursor.open()? {
            file.seek(SeekFrom::Start(offset))?;
        }
        Ok(cursor)
    }

    /// What is there now and was not read yet, in pieces.
    pub fn read(&mut self, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let Some(file) = self.open()? else { return Ok(()) };
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(()),
                length => each(buffer.get(..length).unwrap_or_default())?,
            }
        }
    }

    fn open(&mut self) -> io::Result<Option<&mut File>> {
        if self.file.is_none() {
            self.file = match open_to_read(&self.path) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
        }
        Ok(self.file.as_mut())
    }
}

/// An event, and the line it was read from: a newer version may have written more than we know.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadEvent {
    /// What we understand of it.
    pub event: EventLine,
    /// What stands in the file.
    pub line: String,
}

/// Turns the bytes of `events.ndjson` into events, whatever pieces they come in.
#[derive(Debug, Default)]
pub struct EventReader {
    half: Vec<u8>,
    seq: u64,
}

impl EventReader {
    /// The events that are complete with these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ReadEvent> {
        self.half.extend_from_slice(bytes);
        let mut events = vec![];
        while let Some(end) = self.half.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.half.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let event = EventLine::read(text, self.seq);
            self.seq = event.seq;
            events.push(ReadEvent { event, line: text.to_owned() });
        }
        events
    }
}

/// How much of the end of a log is looked at first; each further look takes eight times as much.
const FIRST_WINDOW_BYTES: u64 = 256 * 1024;

impl Agency {
    /// The last event of a run that `find` recognises, searched from the end: a log may be long.
    pub fn last_event<T>(&self, id: &RunId, find: impl Fn(EventLine) -> Option<T>) -> Result<Option<T>, HomeError> {
        let path = self.home.run(id).events();
        let search = || -> io::Result<Option<T>> {
            let mut file = open_to_read(&path)?;
            let length = file.seek(SeekFrom::End(0))?;
            let mut window = FIRST_WINDOW_BYTES;
            loop {
                let start = length.saturating_sub(window);
                file.seek(SeekFrom::Start(start))?;
                let mut bytes = vec![];
                Read::by_ref(&mut file).take(length - start).read_to_end(&mut bytes)?;
                let text = String::from_utf8_lossy(&bytes);
                // The first line may have lost its beginning.
                let whole = if start == 0 { &*text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
                let found = whole.lines().rev().find_map(|line| find(EventLine::read(line, 0)));
                if found.is_some() || start == 0 {
                    return Ok(found);
                }
                window *= 8;
            }
        };
        search().map_err(|source| HomeError::new("read", &path, source))
    }

    /// Hands every piece of a file of the run to `each`, and waits for more until the run is over and all is read.
    pub fn follow(
        &mut self,
        id: &RunId,
        cursor: &mut Cursor,
        each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        self.follow_while(|| true, id, cursor, each)
    }

    /// The same for somebody who may leave before: within half a second after `stays` says no.
    pub(crate) fn follow_while(
        &mut self,
        stays: impl Fn() -> bool,
        id: &RunId,
        cursor: &mut Cursor,
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), WaitError> {
        let path = cursor.path.clone();
        let problem = |source| WaitError::Home(HomeError::new("read", &path, source));
        // The end of the run is told in its own directory, wherever the file lies.
        let run = self.home.run(id);
        let watch = DirectoryWatch::begin(&[run.path(), path.parent().unwrap_or(&path)])?;
        let mut found = false;
        while stays() {
            let row = match self.fresh_row(id) {
                Ok(row) => row,
                // The database was lost since; `agency reconcile` brings the row back.
                Err(error) if found && error.is_lost_row() => {
                    watch.wait(std::time::Duration::MAX);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            found = true;
            // The state is read first: what was written before the end is read after it.
            let over = row.state.is_terminal() || self.settle(&row)?.is_some();
            cursor.read(&mut each).map_err(problem)?;
            if over {
                return cursor.read(&mut each).map_err(problem);
            }
            watch.wait(std::time::Duration::MAX);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(cuts in proptest::collection::vec(0_usize..400, 0..8), junk in ".{0,40}") {
            let good = r#"{"seq":1,"at":"2026-01-01T00:00:00Z","attempt":0,"type":"state_change","to":"queued"}"#;
            let text = format!("{good}\n{junk}\n{good}\nhalf");
            let whole = EventReader::default().feed(text.as_bytes());
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut reader = EventReader::default();
            let mut pieces = vec![];
            let mut start = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                pieces.extend(reader.feed(&text.as_bytes()[start..cut]));
                start = cut;
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
