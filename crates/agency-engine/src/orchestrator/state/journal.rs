//! `history.ndjson`: the facts of a session, each on disk before anything follows from it.
//!
//! The one rule: only the process that holds the lock of the session appends. A fact is one line, written by one call: a
//! reader, also after a crash, sees all of it or a torn end that is not a fact. A power cut takes no fact that something
//! outside of the session follows from, and of the ends of steps at most the last.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use agency_model::workflow::{ClockReading, Fact, HistoryEntry};
use tracing::info;

use super::SessionError;
use crate::home::{HomeError, open_for_append, read_whole, sync_directory};
use crate::store::now;
use crate::variant_name::variant_name;

/// Appends facts.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    last: u64,
    /// The sync of the last end of a step.
    syncing: Option<JoinHandle<io::Result<()>>>,
}

/// When a fact has to be safe from a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durable {
    /// Before anything follows from it.
    AtOnce,
    /// Before another step ends: a disk needs as long as a short command, so it works beside the next one.
    Beside,
    /// With a later fact.
    Later,
}

impl Journal {
    /// Continues after the last whole fact; a torn one is taken away.
    pub fn open(path: &Path) -> Result<(Self, Vec<HistoryEntry>), SessionError> {
        let (entries, whole) = read(path)?;
        let file = open_for_append(path)?;
        let length = file.metadata().map_err(|source| HomeError::new("look at", path, source))?.len();
        if length > whole {
            let cut = OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(whole));
            cut.map_err(|source| HomeError::new("shorten", path, source))?;
        }
        let last = entries.last().map_or(0, |entry| entry.seq);
        Ok((Self { file, path: path.to_owned(), last, syncing: None }, entries))
    }

    /// How many bytes there are.
    pub fn length(&self) -> Result<u64, SessionError> {
        let found = self.file.metadata().map_err(|source| HomeError::new("look at", &self.path, source))?;
        Ok(found.len())
    }

    /// Takes back what was stored after a length, because nothing followed from it.
    pub fn shorten(self, length: u64) -> Result<(), SessionError> {
        let file = OpenOptions::new().write(true).open(&self.path);
        let shortened = file.and_then(|file| file.set_len(length).and_then(|()| file.sync_data()));
        shortened.map_err(|source| HomeError::new("shorten", &self.path, source).into())
    }

    /// Stores a fact that no driver stores.
    pub fn append(&mut self, fact: Fact) -> Result<HistoryEntry, SessionError> {
        self.append_with_clock(fact, None)
    }

    /// Stores a fact with the time of the driver's clock.
    pub fn append_with_clock(&mut self, fact: Fact, clock: Option<ClockReading>) -> Result<HistoryEntry, SessionError> {
        let entry = HistoryEntry { seq: self.last + 1, at: now(), clock, fact };
        let path = self.path.clone();
        let problem = |source| HomeError::new("write", &path, source);
        let mut line = serde_json::to_vec(&entry).map_err(|error| problem(io::Error::other(error)))?;
        line.push(b'\n');
        let durable = durable(&entry.fact);
        if durable != Durable::Later {
            self.finish_sync().map_err(problem)?;
        }
        self.file.write_all(&line).map_err(problem)?;
        match durable {
            Durable::AtOnce => self.file.sync_data().map_err(problem)?,
            Durable::Beside => self.begin_sync().map_err(problem)?,
            Durable::Later => {}
        }
        if entry.seq == 1 {
            // The file is new, and so are the directories that name it.
            self.path.ancestors().skip(1).take(2).try_for_each(sync_directory).map_err(problem)?;
        }
        self.last = entry.seq;
        let session = self.path.parent().and_then(Path::file_name);
        info!(?session, seq = entry.seq, fact = %variant_name(&entry.fact), "workflow fact stored");
        Ok(entry)
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        let file = self.file.try_clone()?;
        let syncing = thread::Builder::new().name("journal".to_owned()).spawn(move || file.sync_data());
        match syncing {
            Ok(syncing) => self.syncing = Some(syncing),
            // If no thread can be started, this one waits.
            Err(_) => self.file.sync_data()?,
        }
        Ok(())
    }

    fn finish_sync(&mut self) -> io::Result<()> {
        match self.syncing.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(synced)) => synced,
            Some(Err(_)) => self.file.sync_data(),
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // The fact is written; if it cannot be synced, it is as safe as any other file.
        let _ = self.finish_sync();
    }
}

/// What ran to its end is not run again, what a user answered is not asked again. The others follow from those, or from a
/// step that has not ended and is begun again anyway.
const fn durable(fact: &Fact) -> Durable {
    match fact {
        Fact::StepEnded { .. } => Durable::Beside,
        Fact::StepStarted { run_id: None, .. }
        | Fact::RoundStarted { .. }
        | Fact::StepSkipped { .. }
        | Fact::StepAsked { .. }
        | Fact::MergeBlocked { .. }
        | Fact::StepInterrupted { .. }
        | Fact::StepTimedOut { .. } => Durable::Later,
        Fact::StepStarted { run_id: Some(_), .. }
        | Fact::SessionStarted { .. }
        | Fact::StepAnswered { .. }
        | Fact::MergeAnswered { .. }
        | Fact::CompletionAsked { .. }
        | Fact::SessionTimedOut
        | Fact::CancelAsked
        | Fact::SessionBroken { .. }
        | Fact::RetryAsked { .. }
        | Fact::SessionEnded { .. } => Durable::AtOnce,
    }
}

/// Every whole fact, and where the last one ends.
pub(super) fn read(path: &Path) -> Result<(Vec<HistoryEntry>, u64), SessionError> {
    let bytes = match read_whole(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => vec![],
        Err(source) => return Err(HomeError::new("read", path, source).into()),
    };
    let mut entries = vec![];
    let mut whole = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let entry = serde_json::from_slice(line).map_err(|error| SessionError::BadHistory {
            path: path.to_owned(),
            line: entries.len() + 1,
            why: error.to_string(),
        })?;
        entries.push(entry);
        whole += line.len() as u64;
    }
    Ok((entries, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancel() -> Fact {
        Fact::CancelAsked
    }

    // proves W9
    #[test]
    fn a_torn_end_is_no_fact_and_the_next_one_takes_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history.ndjson");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        journal.append(cancel()).unwrap();
        journal.append(cancel()).unwrap();
        drop(journal);
        let mut torn = std::fs::read(&path).unwrap();
        torn.truncate(torn.len() - 5);
        std::fs::write(&path, &torn).unwrap();
        assert_eq!(read(&path).unwrap().0.len(), 1);
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert_eq!(before.len(), 1);
        assert_eq!(journal.append(Fact::SessionTimedOut).unwrap().seq, 2);
        let (entries, _) = read(&path).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(entries[1].fact, Fact::SessionTimedOut);
    }

    // After a power cut nothing that ended is run again. What is synced takes all lines before it with it.
    #[test]
    fn the_end_of_a_step_outlives_the_machine() {
        let path = agency_model::workflow::StepPath::new("a");
        let ended = |result| Fact::StepEnded { path: path.clone(), attempt: 1, result };
        let started = Fact::StepStarted { path: path.clone(), attempt: 1, run_id: None };
        let directory = tempfile::tempdir().unwrap();
        let (mut journal, _) = Journal::open(&directory.path().join("history.ndjson")).unwrap();
        for (fact, is_syncing) in [
            (started.clone(), false),
            (ended(agency_model::workflow::StepResult::success("")), true),
            // Another step begins meanwhile, but none ends.
            (started, true),
            (cancel(), false),
        ] {
            journal.append(fact.clone()).unwrap();
            assert_eq!(journal.syncing.is_some(), is_syncing, "{fact:?}");
        }
    }

    #[test]
    fn a_fact_that_is_not_understood_is_an_error_with_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history.ndjson");
        std::fs::write(&path, "{\"seq\":1,\"at\":\"2026-01-01T00:00:00Z\",\"fact\":\"step_blessed\"}\n").unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("step_blessed"), "{error}");
    }
}
