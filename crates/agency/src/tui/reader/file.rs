//! Reading a file that grows: its end while it grows, and any other part that is asked for.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agency_engine::watch::{FileWindow, PartialLine, WindowAt, read_window};
use agency_model::{Event, EventLine, plain_text};
use ratatui::text::Line;

use super::POLL_INTERVAL;
use super::orders::Sleep;
use crate::output::readable;
use crate::tui::detail::{Ask, Content, Load, Piece, log_line};

/// No more is read at once.
const PAGE_BYTES: usize = 512 * 1024;
/// How much of a line without an end is shown.
const MAX_PARTIAL_LINE_BYTES: usize = 4 * 1024;

/// What the lines of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Events, for the agent's output.
    Transcript,
    /// Events, each on a line, perhaps with a sign.
    Events { signs: bool },
    /// What the agent printed.
    Logs,
}

/// A file, and how far it was sent.
#[derive(Debug)]
pub(super) struct FileReading {
    path: PathBuf,
    kind: FileKind,
    end: u64,
    half: Vec<u8>,
    told: Option<Instant>,
    /// Whether there may be more.
    changed: bool,
}

impl FileReading {
    pub(super) const fn new(path: PathBuf, kind: FileKind) -> Self {
        Self { path, kind, end: 0, half: vec![], told: None, changed: true }
    }

    /// Sends what is new; returns the time until the next check.
    pub(super) fn turn(&mut self, touched: bool, over: bool, pace: Duration, tell: &mut impl FnMut(Content)) -> Sleep {
        self.changed |= touched || !over;
        if !self.changed {
            return Sleep::UNTIL_CHANGE;
        }
        let pause = self.told.map(|told| pace.saturating_sub(told.elapsed())).unwrap_or_default();
        if !pause.is_zero() {
            return Sleep { limit: Some(pause), ignore_changes: true };
        }
        self.changed = false;
        match self.tail() {
            Ok(Some(content)) => {
                self.told = Some(Instant::now());
                tell(content);
            }
            Ok(None) => {}
            Err(error) => tell(self.broken(&error)),
        }
        Sleep { limit: (!over).then_some(POLL_INTERVAL), ignore_changes: false }
    }

    /// What came since the last time. If it is more than a page, only the last of it.
    fn tail(&mut self) -> io::Result<Option<Content>> {
        let length = std::fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        let first = self.told.is_none();
        let place = match first || length.saturating_sub(self.end) > PAGE_BYTES as u64 {
            true => WindowAt::End,
            false => WindowAt::After(self.end),
        };
        let page = read_window(&self.path, place, PAGE_BYTES, PartialLine::Exclude)?;
        let half = self.half_after(page.end)?;
        if page.bytes.is_empty() && half == self.half && !first {
            return Ok(None);
        }
        self.end = page.end;
        self.half.clone_from(&half);
        Ok(Some(self.understood(Ask::Tail, &page, &half, false)))
    }

    /// The beginning of the last line, if it has no end yet and is worth showing.
    fn half_after(&self, end: u64) -> io::Result<Vec<u8>> {
        match self.kind {
            FileKind::Transcript | FileKind::Events { .. } => Ok(vec![]),
            FileKind::Logs => {
                Ok(read_window(&self.path, WindowAt::After(end), MAX_PARTIAL_LINE_BYTES, PartialLine::Include)?.bytes)
            }
        }
    }

    /// Another part of the file.
    pub(super) fn load(&mut self, ask: Ask) -> Content {
        let place = match ask {
            Ask::Tail | Ask::Last => WindowAt::End,
            Ask::First => WindowAt::After(0),
            Ask::Before(offset) => WindowAt::Before(offset),
            Ask::After(offset) => WindowAt::After(offset),
        };
        let mut read = || -> io::Result<Content> {
            let page = read_window(&self.path, place, PAGE_BYTES, PartialLine::Exclude)?;
            if place == WindowAt::End {
                // The next piece continues from here.
                self.end = page.end;
            }
            let more = match place {
                WindowAt::End => false,
                WindowAt::Before(_) => true,
                // A line without its end does not count.
                WindowAt::After(_) => page.end < self.end,
            };
            let half = if more { vec![] } else { self.half_after(page.end)? };
            Ok(self.understood(ask, &page, &half, more))
        };
        match read() {
            Ok(content) => content,
            Err(error) => self.broken(&error),
        }
    }

    fn broken(&self, error: &io::Error) -> Content {
        Content::Nothing(format!("{} cannot be read: {error}", self.path.display()))
    }

    fn understood(&self, ask: Ask, page: &FileWindow, half: &[u8], more: bool) -> Content {
        let length = std::fs::metadata(&self.path).map_or(page.end, |metadata| metadata.len());
        let mut start = page.start;
        let pieces = page.bytes.split_inclusive(|byte| *byte == b'\n').map(|line| {
            let piece = Piece { start, item: line };
            start += line.len() as u64;
            piece
        });
        let pieces = pieces.collect();
        let half = Some(half).filter(|half| !half.is_empty());
        let load = Load { ask, start: page.start, end: page.end, pieces, half, more, length };
        match self.kind {
            FileKind::Transcript => Content::Transcript(load.map(|line| Arc::new(event(line)))),
            FileKind::Events { signs } => Content::Lines(
                load.map(|line| Line::raw(plain_text(&readable(&event(line), signs)).replace('\n', " "))),
            ),
            FileKind::Logs => Content::Lines(load.map(log_line)),
        }
    }
}

/// One event. Of an event that is longer than a page, only the type is shown.
fn event(line: &[u8]) -> EventLine {
    let text = String::from_utf8_lossy(line);
    let read = EventLine::read(text.trim_end(), 0);
    if let Event::Unknown { text } = &read.event
        && text.len() > MAX_PARTIAL_LINE_BYTES
    {
        let message = format!("{} bytes that are not an event, or part of a very long one", text.len());
        return EventLine { event: Event::Notice { message }, ..read };
    }
    read
}
