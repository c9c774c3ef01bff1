//! Looking at the screen of an interactive agent, or at what it was.

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::store::RunRow;
use agency_engine::watch::{ScreenWatch, WatchedScreen};
use agency_model::Event;
use agency_model::run::State;
use agency_system::process::TerminalSize;

use super::POLL_INTERVAL;
use super::orders::Sleep;
use crate::tui::detail::{Content, Screen};

/// How many lines that have scrolled out of the screen are kept.
const SCROLLBACK_LINES: usize = 5000;
/// How much of the log is shown again, to know what has scrolled out.
const MAX_REPLAY_BYTES: u64 = 1024 * 1024;

/// The screen of one run.
#[derive(Debug, Default)]
pub(super) struct ScreenReading {
    watch: Option<ScreenWatch>,
    last_sent: LastSent,
    at: Option<Instant>,
    /// Whether it is too early to read on.
    pausing: bool,
}

/// What was sent last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LastSent {
    #[default]
    Nothing,
    /// That there is none yet.
    Waiting,
    Live,
    Over,
}

impl ScreenReading {
    /// What can be waited for.
    pub(super) fn stream(&self) -> Option<BorrowedFd<'_>> {
        self.watch.as_ref().filter(|_| !self.pausing).map(AsFd::as_fd)
    }

    /// Sends what is new; returns the time until the next check.
    pub(super) fn turn(
        &mut self,
        agency: &Agency,
        row: &RunRow,
        pace: Duration,
        tell: &mut impl FnMut(Content),
    ) -> Sleep {
        let wait = |limit| Sleep { limit, ignore_changes: true };
        self.pausing = false;
        if row.state.is_terminal() {
            self.watch = None;
            if self.last_sent != LastSent::Over {
                self.last_sent = LastSent::Over;
                tell(last_screen(agency, row));
            }
            return wait(None);
        }
        if self.watch.is_none() {
            self.watch = match row.state {
                State::Queued => None,
                State::Running | State::Completed | State::Failed | State::Killed => agency.watch_screen(row).ok(),
            };
            if self.watch.is_none() {
                if self.last_sent == LastSent::Nothing {
                    self.last_sent = LastSent::Waiting;
                    tell(Content::Nothing("The agent has no screen yet.".to_owned()));
                }
                return wait(Some(POLL_INTERVAL));
            }
            self.last_sent = LastSent::Waiting;
        }
        let pause = self.at.map(|at| pace.saturating_sub(at.elapsed())).unwrap_or_default();
        if !pause.is_zero() {
            self.pausing = true;
            return wait(Some(pause));
        }
        let Some(watch) = &mut self.watch else { return wait(Some(POLL_INTERVAL)) };
        match watch.next(Duration::ZERO) {
            Ok(Some(bytes)) if bytes.is_empty() => wait(None),
            Ok(Some(bytes)) => {
                self.at = Some(Instant::now());
                match self.last_sent {
                    LastSent::Live => tell(Content::ScreenBytes(bytes)),
                    LastSent::Nothing | LastSent::Waiting | LastSent::Over => {
                        self.last_sent = LastSent::Live;
                        tell(Content::Screen(Box::new(Screen::new(replayed(agency, row, &bytes), false))));
                    }
                }
                self.pausing = true;
                wait(Some(pace))
            }
            // The supervisor left; the row says soon what became of the run.
            Ok(None) | Err(_) => {
                self.watch = None;
                wait(Some(POLL_INTERVAL))
            }
        }
    }
}

/// What the terminal of a finished run showed last.
fn last_screen(agency: &Agency, row: &RunRow) -> Content {
    let last = agency.last_screen(&row.id).unwrap_or_default();
    let screen = replayed(agency, row, &last);
    match last.is_empty() && screen.screen().contents().trim().is_empty() {
        true => Content::Nothing("The agent showed nothing.".to_owned()),
        false => Content::Screen(Box::new(Screen::new(screen, true))),
    }
}

/// A screen with its history: what the log holds of it, and then the screen itself, which begins with its size.
fn replayed(agency: &Agency, row: &RunRow, screen: &[u8]) -> WatchedScreen {
    let mut watched = WatchedScreen::new(size_of(screen).unwrap_or(TerminalSize::UNSEEN), SCROLLBACK_LINES);
    watched.feed(&to_crlf(&log_of(agency, row).unwrap_or_default()));
    watched.feed(screen);
    watched
}

/// The end of what the last process of an agent wrote.
fn log_of(agency: &Agency, row: &RunRow) -> Option<Vec<u8>> {
    let begun = agency.last_event(&row.id, |line| {
        let Event::Attempt { logs_from, .. } = line.event else { return None };
        Some(logs_from.stdout)
    });
    let mut file = agency_engine::home::open_to_read(&agency.home().run(&row.id).stdout_log()).ok()?;
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
