//! The three logs, byte for byte.
//!
//! A full disk never stops the agent: what could not be written is counted and reported.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use agency_model::LogOffsets;
use agency_system::growing_file::GrowingFile;

use crate::home::{HomeError, RunDirectory, open_for_append};
use crate::runner::Stream;

/// A smaller piece is written to one log after the other: to start a thread would take as long.
const MIN_PARALLEL_BYTES: usize = 256 * 1024;

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
            stdout: LogFile::open("runner.stdout.log", &directory.stdout_log())?,
            stderr: LogFile::open("runner.stderr.log", &directory.stderr_log())?,
            combined: LogFile::open("runner.log", &directory.combined_log())?,
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
        let news = if bytes.len() < MIN_PARALLEL_BYTES {
            [own.write(bytes), self.combined.write(bytes)]
        } else {
            write_both(own, &mut self.combined, bytes)
        };
        news.into_iter().flatten().collect()
    }

    /// What was lost in a gap that has not ended.
    pub(super) fn losses(&self) -> Vec<String> {
        [&self.stdout, &self.stderr, &self.combined].into_iter().filter_map(LogFile::loss).collect()
    }
}

/// Writes to two logs at the same time. When this returns, both have the bytes or have reported why not.
fn write_both(own: &mut LogFile, combined: &mut LogFile, bytes: &[u8]) -> [Option<String>; 2] {
    let (own_news, combined_news) = thread::scope(|scope| {
        let writer = thread::Builder::new().name("log".to_owned()).spawn_scoped(scope, || own.write(bytes));
        let combined_news = combined.write(bytes);
        let own_news = writer.ok().map(|writer| writer.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (own_news, combined_news)
    });
    // The system may have no more threads.
    [own_news.unwrap_or_else(|| own.write(bytes)), combined_news]
}

#[derive(Debug)]
struct LogFile {
    name: &'static str,
    file: GrowingFile,
    lost: u64,
}

impl LogFile {
    fn open(name: &'static str, path: &Path) -> Result<Self, HomeError> {
        Ok(Self { name, file: GrowingFile::new(open_for_append(path)?), lost: 0 })
    }

    /// A file whose length is not known is read from its beginning.
    fn length(&self) -> u64 {
        self.file.length().unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    fn log(name: &'static str, path: &Path) -> LogFile {
        let file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        LogFile { name, file: GrowingFile::new(file), lost: 0 }
    }

    fn logs(directory: &Path) -> Logs {
        let log = |name| log(name, &directory.join(name));
        Logs { stdout: log("stdout"), stderr: log("stderr"), combined: log("combined") }
    }

    #[test]
    fn pieces_of_any_size_are_in_both_logs_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let mut logs = logs(directory.path());
        let large: Vec<u8> = (0..=u8::MAX).cycle().take(3 * MIN_PARALLEL_BYTES).collect();
        let pieces = [b"small\n".as_slice(), &large, b"", b"half", &large[1..]];
        for piece in pieces {
            assert!(logs.write(Stream::Stdout, piece).is_empty());
        }
        assert!(logs.write(Stream::Stderr, &large).is_empty());
        let read = |name| std::fs::read(directory.path().join(name)).unwrap();
        assert!(read("stdout") == pieces.concat());
        assert!(read("stderr") == large);
        assert!(read("combined") == [pieces.concat(), large].concat());
    }

    #[test]
    fn a_log_that_cannot_be_written_is_reported_once_and_the_other_one_has_everything() {
        let directory = tempfile::tempdir().unwrap();
        let mut logs = logs(directory.path());
        logs.stdout = log("stdout", Path::new("/dev/full"));
        let large = vec![b'x'; MIN_PARALLEL_BYTES];
        let news = logs.write(Stream::Stdout, &large);
        assert!(matches!(news.as_slice(), [news] if news.starts_with("stdout cannot be written: ")), "{news:?}");
        assert!(logs.write(Stream::Stdout, &large).is_empty());
        assert_eq!(logs.losses(), [format!("{} bytes of stdout were lost", 2 * large.len())]);
        assert_eq!(logs.lengths().combined, 2 * large.len() as u64);
    }
}
