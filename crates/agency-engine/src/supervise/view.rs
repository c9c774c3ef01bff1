//! What a viewer is shown that attaches, that fell behind, or that watches a terminal of another size.

use std::path::PathBuf;

use agency_system::process::TerminalSize;

use super::agent_screen::{AgentScreen, size_of_window};
use super::crlf::to_crlf;
use super::viewer::ViewMode;
use crate::watch::last_bytes;

/// How much of the log a viewer of a headless agent is shown first.
const LOG_TAIL_BYTES: u64 = 16 * 1024;

/// All there is to see of the agent.
pub(super) struct View {
    /// What an interactive agent shows.
    pub(super) screen: Option<AgentScreen>,
    /// The size of its terminal, or of the one that a headless agent would have.
    pub(super) size: TerminalSize,
    /// The log of both streams.
    pub(super) log: PathBuf,
}

impl View {
    /// For a new viewer: the screen as it is, or the end of the log.
    pub(super) fn first(&self, mode: ViewMode) -> Vec<u8> {
        match (&self.screen, mode) {
            (Some(screen), ViewMode::Attached) => screen.drawn(),
            (Some(screen), ViewMode::Watching) => screen.drawn_for_watchers(),
            (None, ViewMode::Attached) => self.tail_of_log(),
            (None, ViewMode::Watching) => [self.size_of_window(), self.tail_of_log()].concat(),
        }
    }

    /// For a viewer that fell behind: the same, in place of what it had.
    pub(super) fn anew(&self, mode: ViewMode) -> Vec<u8> {
        match self.screen {
            Some(_) => self.first(mode),
            None => [b"\x1b[2J\x1b[H".to_vec(), self.first(mode)].concat(),
        }
    }

    /// For a watcher of a terminal that got another size. The lines of a headless agent stay what they were.
    pub(super) fn resized(&self) -> Vec<u8> {
        self.screen.as_ref().map_or_else(|| self.size_of_window(), AgentScreen::drawn_for_watchers)
    }

    fn size_of_window(&self) -> Vec<u8> {
        size_of_window((self.size.rows, self.size.columns))
    }

    fn tail_of_log(&self) -> Vec<u8> {
        // A viewer that gets no beginning still gets the rest.
        let tail = last_bytes(&self.log, 0, LOG_TAIL_BYTES).unwrap_or_default();
        to_crlf(&tail, true).into_owned()
    }
}
