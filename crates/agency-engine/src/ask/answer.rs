//! What an agent answered: its last result where its stream is understood, all that it printed otherwise.

use std::io::{self, Read};
use std::path::Path;

use agency_adapters::{StreamFormat, StreamItem};

use crate::home::open_to_read;
use crate::runner::AnsiStripper;
use crate::watch::last_bytes;

/// How much of what an agent printed is its answer.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// One read takes at most this much.
const READ_BYTES: usize = 256 * 1024;

/// The answer in the log of an agent's standard output. The log is read again, because a summary is cut where it is
/// long.
pub(super) fn answer_in(log: &Path, stream: StreamFormat) -> io::Result<String> {
    let Some(mut parser) = stream.parser() else { return end_of(log, MAX_ANSWER_BYTES) };
    let mut answer = String::new();
    let mut take = |heard: Vec<StreamItem>| {
        for item in heard {
            if let StreamItem::Result(outcome) = item {
                answer = outcome.text.unwrap_or_default();
            }
        }
    };
    let mut file = open_to_read(log)?;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            length => take(parser.feed(buffer.get(..length).unwrap_or_default())),
        }
    }
    take(parser.finish());
    Ok(answer)
}

/// The end of a log, without control sequences.
pub(super) fn end_of(log: &Path, most: u64) -> io::Result<String> {
    let bytes = last_bytes(log, 0, most)?;
    let mut cleaner = AnsiStripper::new();
    let mut text = cleaner.feed(&bytes);
    text.push_str(&cleaner.finish());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves A1
    #[test]
    fn a_long_answer_is_whole() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let long = "word ".repeat(100_000);
        let line = serde_json::json!({"type": "result", "subtype": "success", "is_error": false, "result": long});
        std::fs::write(log.path(), format!("{line}\n")).unwrap();
        assert_eq!(answer_in(log.path(), StreamFormat::Claude).unwrap(), long);
    }

    #[test]
    fn printed_text_is_the_answer_without_its_colours() {
        let log = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(log.path(), "\u{1b}[1mbold\u{1b}[0m\nline\n").unwrap();
        assert_eq!(answer_in(log.path(), StreamFormat::Text).unwrap(), "bold\nline\n");
        assert_eq!(end_of(log.path(), 5).unwrap(), "line\n");
    }
}
