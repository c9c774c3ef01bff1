//! The supervisor's own terminal: the tmux pane in which it runs, if it runs in one.
//!
//! The pane of an interactive agent shows its screen, byte for byte, and passes on what is typed.
//! The pane of a headless agent skips output, with a note, where it is slower than the agent.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::time::Instant;

use agency_model::Mode;
use agency_system::process::{RawTerminal, TerminalSize, open_own_terminal, own_terminal_size};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::crlf::to_crlf;
use super::notify::BELL;

/// An interactive agent waits when its pane is so far behind.
const MAX_QUEUED_BYTES: usize = 256 * 1024;
/// A headless agent's pane shows so much at once, and so much more each second: more cannot be read, and tmux is
/// slow enough to take the agent's processor away.
const BURST_BYTES: usize = 32 * 1024;
const BURSTS_PER_SECOND: f64 = 4.0;

/// The pane.
pub(super) struct Pane {
    terminal: AsyncFd<File>,
    _raw: Option<RawTerminal>,
    mode: Mode,
    waiting: VecDeque<u8>,
    skipped: u64,
    allowance: usize,
    allowed_at: Instant,
    typed: Vec<u8>,
}

/// What happened at the pane.
#[derive(Debug)]
pub(super) enum PaneNews {
    /// A user typed so many bytes.
    Typed(usize),
    /// It took some output.
    Shown,
    /// It is gone: tmux was killed, or closed the session.
    Gone,
}

impl Pane {
    /// The terminal in which the supervisor was started, if there is one.
    pub(super) fn open(mode: Mode) -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() {
            return Ok(None);
        }
        let terminal = open_own_terminal()?;
        let raw = match mode {
            Mode::Interactive => Some(RawTerminal::enter(terminal.get_ref())?),
            Mode::Headless => None,
        };
        Ok(Some(Self {
            terminal,
            _raw: raw,
            mode,
            waiting: VecDeque::new(),
            skipped: 0,
            allowance: BURST_BYTES,
            allowed_at: Instant::now(),
            typed: vec![0; 4096],
        }))
    }

    pub(super) fn size(&self) -> Option<TerminalSize> {
        own_terminal_size(self.terminal.get_ref())
    }

    /// Whether the agent may continue to write.
    pub(super) fn keeps_up(&self) -> bool {
        self.mode == Mode::Headless || self.waiting.len() < MAX_QUEUED_BYTES
    }

    /// Queues output. Of a headless agent that is too fast to be read, only the latest lines.
    pub(super) fn show(&mut self, bytes: &[u8], needs_crlf: bool) {
        let shown = match self.mode {
            Mode::Interactive => bytes,
            Mode::Headless => self.latest(bytes),
        };
        self.skipped += (bytes.len() - shown.len()) as u64;
        if shown.is_empty() {
            return;
        }
        self.note_skipped();
        self.waiting.extend(&*to_crlf(shown, needs_crlf));
    }

    /// Rings, whatever else is shown or skipped.
    pub(super) fn ring(&mut self) {
        self.waiting.extend(BELL.as_bytes());
    }

    /// The end of `bytes`, as much of it as may be shown now.
    fn latest<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let now = Instant::now();
        let earned = now.duration_since(self.allowed_at).as_secs_f64() * BURSTS_PER_SECOND * BURST_BYTES as f64;
        self.allowance = (self.allowance + earned as usize).min(BURST_BYTES);
        self.allowed_at = now;
        let room = self.allowance.min(MAX_QUEUED_BYTES.saturating_sub(self.waiting.len()));
        let cut = bytes.len().saturating_sub(room);
        let tail = bytes.get(cut..).unwrap_or_default();
        // A line that lost its beginning is not shown.
        let whole = match cut {
            0 => tail,
            _ => tail.iter().position(|byte| *byte == b'\n').and_then(|end| tail.get(end + 1..)).unwrap_or_default(),
        };
        self.allowance -= whole.len();
        whole
    }

    fn note_skipped(&mut self) {
        if self.skipped > 0 {
            let note = format!("\r\n… {} bytes skipped here; they are in the log …\r\n", self.skipped);
            self.waiting.extend(note.as_bytes());
            self.skipped = 0;
        }
    }

    /// The bytes of the last [`PaneNews::Typed`].
    pub(super) fn typed(&self, length: usize) -> &[u8] {
        self.typed.get(..length).unwrap_or_default()
    }

    /// Waits until a key is typed or the terminal takes output.
    pub(super) async fn next(&mut self) -> PaneNews {
        let mut interest = match self.mode {
            Mode::Interactive => Interest::READABLE,
            // An agent on pipes takes no keys, but the end of the terminal is noticed by writing.
            Mode::Headless if self.waiting.is_empty() => return std::future::pending().await,
            Mode::Headless => Interest::WRITABLE,
        };
        if !self.waiting.is_empty() {
            interest = interest.add(Interest::WRITABLE);
        }
        let Ok(mut ready) = self.terminal.ready(interest).await else {
            return PaneNews::Gone;
        };
        if ready.ready().is_readable() && self.mode == Mode::Interactive {
            match ready.try_io(|terminal| terminal.get_ref().read(&mut self.typed)) {
                Ok(Ok(0) | Err(_)) => return PaneNews::Gone,
                Ok(Ok(length)) => return PaneNews::Typed(length),
                Err(_would_block) => {}
            }
        }
        if !self.waiting.is_empty() {
            let (first, _) = self.waiting.as_slices();
            match ready.try_io(|terminal| terminal.get_ref().write(first)) {
                Ok(Ok(length)) => drop(self.waiting.drain(..length)),
                Ok(Err(_)) => return PaneNews::Gone,
                Err(_would_block) => {}
            }
        }
        PaneNews::Shown
    }

    /// Writes a last line, as far as the terminal takes it at once.
    pub(super) fn last_words(mut self, text: &str) {
        self.note_skipped();
        self.waiting.extend(text.as_bytes());
        self.waiting.make_contiguous();
        // The terminal may be gone or full; the log has everything.
        let _ = self.terminal.get_ref().write(self.waiting.as_slices().0);
    }
}
