//! `history.ndjson`: the facts of a session, each on disk before anything follows from it.
//!
//! The one rule: only who holds the lock of the session appends. A fact is one line, written by one call: a reader, or
//! whoever comes after a crash, sees all of it or a torn end that is no fact.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agency_model::workflow::{Entry, Fact};

use super::SessionError;
use crate::home::{HomeError, open_for_append};
use crate::store::now;

/// Appends facts.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    last: u64,
}

impl Journal {
    /// Goes on after the last whole fact; a torn one is taken away.
    pub fn open(path: &Path) -> Result<(Self, Vec<Entry>), SessionError> {
        let (entries, whole) = read(path)?;
        let file = open_for_append(path)?;
        let length = file.metadata().map_err(|source| HomeError::new("look at", path, source))?.len();
        if length > whole {
            let cut = OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(whole));
            cut.map_err(|source| HomeError::new("shorten", path, source))?;
        }
        let last = entries.last().map_or(0, |entry| entry.seq);
        Ok((Self { file, path: path.to_owned(), last }, entries))
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

    /// Stores a fact.
    pub fn append(&mut self, fact: Fact) -> Result<Entry, SessionError> {
        let entry = Entry { seq: self.last + 1, at: now(), fact };
        let problem = |source| HomeError::new("write", &self.path, source);
        let mut line = serde_json::to_vec(&entry).map_err(|error| problem(io::Error::other(error)))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(problem)?;
        if must_outlive_the_machine(&entry.fact) {
            self.file.sync_data().map_err(problem)?;
        }
        self.last = entry.seq;
        Ok(entry)
    }
}

/// Whether a power cut must not take it. A script that ran is run again then; what an agent did, what a person said and
/// where a session stands is dearer than the moment that a disk needs.
const fn must_outlive_the_machine(fact: &Fact) -> bool {
    match fact {
        Fact::StepStarted { run_id, .. } => run_id.is_some(),
        Fact::StepEnded { .. }
        | Fact::RoundStarted { .. }
        | Fact::StepSkipped { .. }
        | Fact::StepAsked { .. }
        | Fact::MergeBlocked { .. }
        | Fact::StepInterrupted { .. }
        | Fact::StepTimedOut { .. } => false,
        Fact::SessionStarted { .. }
        | Fact::StepAnswered { .. }
        | Fact::MergeAnswered { .. }
        | Fact::CompletionAsked { .. }
        | Fact::SessionTimedOut
        | Fact::CancelAsked
        | Fact::SessionBroken { .. }
        | Fact::RetryAsked { .. }
        | Fact::SessionEnded { .. } => true,
    }
}

/// Every whole fact, and where the last one ends.
pub(super) fn read(path: &Path) -> Result<(Vec<Entry>, u64), SessionError> {
    let bytes = match std::fs::read(path) {
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

    #[test]
    fn a_fact_that_is_not_understood_is_an_error_with_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history.ndjson");
        std::fs::write(&path, "{\"seq\":1,\"at\":\"2026-01-01T00:00:00Z\",\"fact\":\"step_blessed\"}\n").unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("step_blessed"), "{error}");
    }
}
