//! The screen of an interactive run with what has scrolled out of it, from its log.

use std::io::{Read, Seek, SeekFrom};
use std::time::Duration;

use agency_model::Event;
use agency_system::process::TerminalSize;

use crate::agency::Agency;
use crate::home::open_to_read;
use crate::store::RunRow;
use crate::watch::WatchedScreen;

/// How many lines that have scrolled out of the screen are kept.
const SCROLLBACK_LINES: usize = 5000;
/// How much of the log is shown again, to know what has scrolled out.
const MAX_REPLAY_BYTES: u64 = 1024 * 1024;
/// How long the supervisor may take to send its screen.
const SCREEN_TIMEOUT: Duration = Duration::from_secs(2);

impl Agency {
    /// A screen with its history: what the log holds of it, and then the screen itself, which begins with its size.
    #[must_use]
    pub fn screen_with_history(&self, row: &RunRow, screen: &[u8]) -> WatchedScreen {
        let mut watched = WatchedScreen::new(size_of(screen).unwrap_or(TerminalSize::UNSEEN), SCROLLBACK_LINES);
        watched.feed(&to_crlf(&log_of(self, row).unwrap_or_default()));
        watched.feed(screen);
        watched
    }

    /// What the terminal of an interactive run shows now or showed last, with what has scrolled out of it, as lines of
    /// text. Control characters are not among them.
    #[must_use]
    pub fn screen_text(&self, row: &RunRow) -> Vec<String> {
        let live = || self.watch_screen(row).ok()?.next(SCREEN_TIMEOUT).ok()?;
        let screen = if row.state.is_terminal() { self.last_screen(&row.id) } else { live() };
        self.screen_with_history(row, &screen.unwrap_or_default()).lines()
    }
}

/// The end of what the last process of an agent wrote.
fn log_of(agency: &Agency, row: &RunRow) -> Option<Vec<u8>> {
    let begun = agency.last_event(&row.id, |line| {
        let Event::Attempt { logs_from, .. } = line.event else { return None };
        Some(logs_from.stdout)
    });
    let mut file = open_to_read(&agency.home().run(&row.id).stdout_log()).ok()?;
    let length = file.metadata().ok()?.len();
    let begun = begun.ok().flatten().unwrap_or_default();
    let start = begun.max(length.saturating_sub(MAX_REPLAY_BYTES));
    let mut bytes = vec![];
    file.seek(SeekFrom::Start(start)).ok()?;
    file.take(MAX_REPLAY_BYTES).read_to_end(&mut bytes).ok()?;
    if start > begun {
        // What begins in the middle of a sequence would be shown as text.
        let whole = bytes.iter().position(|byte| *byte == b'\n').unwrap_or_default();
        bytes.drain(..whole);
    }
    Some(bytes)
}

/// The log holds what an agent wrote before its terminal turned newlines into returns and newlines.
fn to_crlf(log: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(log.len() + log.len() / 16);
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) if !text.ends_with(b"\r") => {
                bytes.extend_from_slice(text);
                bytes.extend_from_slice(b"\r\n");
            }
            Some(_) | None => bytes.extend_from_slice(line),
        }
    }
    bytes
}

/// The size that a screen begins with, `CSI 8 ; rows ; columns t`.
fn size_of(screen: &[u8]) -> Option<TerminalSize> {
    let last_sent = screen.strip_prefix(b"\x1b[8;")?;
    let last_sent = last_sent.get(..last_sent.iter().position(|byte| *byte == b't')?)?;
    let (rows, columns) = std::str::from_utf8(last_sent).ok()?.split_once(';')?;
    TerminalSize::new(rows.parse().ok()?, columns.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newline_of_the_log_begins_a_line() {
        assert_eq!(to_crlf(b"\na\nb\r\nc\r\n\nd"), b"\r\na\r\nb\r\nc\r\n\r\nd");
    }

    #[test]
    fn a_screen_begins_with_its_size() {
        assert_eq!(size_of(b"\x1b[8;24;80tmore"), TerminalSize::new(24, 80));
        for other in [&b""[..], b"\x1b[8;24;80", b"\x1b[8;0;80t", b"\x1b[8;;t", b"text"] {
            assert_eq!(size_of(other), None);
        }
    }
}
