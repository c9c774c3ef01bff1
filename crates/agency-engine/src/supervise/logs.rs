//! The three logs, byte for byte.
//!
//! A full disk never stops the agent: what could not be written is counted and reported.

use std::fs::File;
use std::io::{self, Write};

use agency_model::LogOffsets;

use crate::home::{HomeError, RunDirectory, open_for_append};
use crate::runner::Stream;

/// The open logs of a run.
#[derive(Debug)]
pub(super) struct Logs {
    stdout: LogFile,
    stderr: LogFile,
    combined: LogFile,
}

impl Logs {
    pub(super) fn open(directory: &RunDirectory) -> Result<Self, HomeError> {
        Ok(Self {
            stdout: LogFile::new("runner.stdout.log", open_for_append(&directory.stdout_log())?),
            stderr: LogFile::new("runner.stderr.log", open_for_append(&directory.stderr_log())?),
            combined: LogFile::new("runner.log", open_for_append(&directory.combined_log())?),
        })
    }

    /// How long they are.
    pub(super) fn lengths(&self) -> LogOffsets {
        LogOffsets { stdout: self.stdout.length(), stderr: self.stderr.length(), combined: self.combined.length() }
    }

    /// Appends to the stream's own log and to the combined one; returns what is worth an event.
    pub(super) fn write(&mut self, stream: Stream, bytes: &[u8]) -> Vec<String> {
        let own = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let mut news = vec![];
        news.extend(own.write(bytes));
        news.extend(self.combined.write(bytes));
        news
    }

    /// What was lost in a gap that has not ended.
    pub(super) fn losses(&self) -> Vec<String> {
        [&self.stdout, &self.stderr, &self.combined].into_iter().filter_map(LogFile::loss).collect()
    }
}

#[derive(Debug)]
struct LogFile {
    name: &'static str,
    file: File,
    lost: u64,
}

impl LogFile {
    const fn new(name: &'static str, file: File) -> Self {
        Self { name, file, lost: 0 }
    }

    /// A file whose length is not known is read from its beginning.
    fn length(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    fn loss(&self) -> Option<String> {
        (self.lost > 0).then(|| format!("{} bytes of {} were lost", self.lost, self.name))
    }

    fn write(&mut self, bytes: &[u8]) -> Option<String> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let first = self.lost == 0;
                    self.lost += rest.len() as u64;
                    return first.then(|| format!("{} cannot be written: {error}; the agent continues", self.name));
                }
            }
        }
        let over = self.loss().map(|loss| format!("{loss}; it is written again from here on"));
        self.lost = 0;
        over
    }
}
