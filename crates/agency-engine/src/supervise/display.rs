//! Where the agent's output is shown: the pane, the viewers, and the screen that is kept for later ones.
//!
//! The one rule: a viewer gets a copy that may lag. Only the pane of an interactive agent can slow the agent down.

use agency_model::{Escaper, Mode, Sgr};
use agency_system::process::TerminalSize;

use super::agent_screen::{AgentScreen, Wish};
use super::crlf::to_crlf;
use super::pane::{Pane, PaneNews};
use super::view::View;
use super::viewer::{ViewMode, Viewer};
use crate::home::RunDirectory;
use crate::runner::Stream;

/// The displays of one run.
pub(super) struct Display {
    pane: Option<Pane>,
    viewers: Vec<Viewer>,
    view: View,
    escapers: Escapers,
}

/// Escapes the output of a headless agent for the terminals that show it.
struct Escapers {
    stdout: Escaper,
    stderr: Escaper,
}

impl Escapers {
    fn new() -> Self {
        let escaper = Escaper::new(Sgr::KeepColours).keeping_crlf();
        Self { stdout: escaper.clone(), stderr: escaper }
    }

    fn escaped(&mut self, stream: Stream, bytes: &[u8]) -> String {
        match stream {
            Stream::Stdout => self.stdout.feed(bytes),
            Stream::Stderr => self.stderr.feed(bytes),
        }
    }
}

impl Display {
    /// The displays of a run that begins: its pane, and a screen if the agent is interactive. A run without a pane has
    /// the size that was ordered.
    pub(super) fn new(pane: Option<Pane>, mode: Mode, ordered: TerminalSize, directory: &RunDirectory) -> Self {
        let size = pane.as_ref().and_then(Pane::size).unwrap_or(ordered);
        let screen = (mode == Mode::Interactive).then(|| AgentScreen::new(size));
        let view = View { screen, size, log: directory.combined_log() };
        Self { pane, viewers: vec![], view, escapers: Escapers::new() }
    }

    /// The screen of an interactive agent.
    pub(super) const fn screen(&self) -> Option<&AgentScreen> {
        self.view.screen.as_ref()
    }

    /// The size of the agent's terminal, or of the one that a headless agent would have.
    pub(super) const fn size(&self) -> TerminalSize {
        self.view.size
    }

    /// Whether there is a pane or a viewer.
    pub(super) const fn is_watched(&self) -> bool {
        self.pane.is_some() || !self.viewers.is_empty()
    }

    /// Shows what the agent wrote.
    pub(super) fn show_output(&mut self, stream: Stream, bytes: &[u8], needs_crlf: bool) {
        match self.view.screen {
            Some(_) => self.show(bytes, needs_crlf),
            // An agent without a terminal of its own does not control those of its viewers.
            None => {
                let escaped = self.escapers.escaped(stream, bytes);
                self.show(escaped.as_bytes(), needs_crlf);
            }
        }
    }

    /// Shows a text of the supervisor.
    pub(super) fn show_text(&mut self, text: &str) {
        self.show(text.as_bytes(), true);
    }

    fn show(&mut self, bytes: &[u8], needs_crlf: bool) {
        if let Some(pane) = &mut self.pane {
            pane.show(bytes, needs_crlf);
        }
        if self.view.screen.is_none() && self.viewers.is_empty() {
            return;
        }
        let shown = to_crlf(bytes, needs_crlf);
        let wish = self.view.screen.as_mut().map_or(Wish::None, |screen| screen.show(&shown));
        let view = &self.view;
        self.viewers.retain(|viewer| match (viewer.mode, wish) {
            (ViewMode::Attached, _) | (ViewMode::Watching, Wish::None) => {
                viewer.try_send(&shown, || view.anew(viewer.mode))
            }
            // A watcher would take the agent's sequence for a change of the size, so it gets the result instead.
            (ViewMode::Watching, Wish::Size) => viewer.try_send(&view.resized(), || view.anew(viewer.mode)),
        });
    }

    /// Adds a viewer: first the screen as it is, then everything that follows.
    pub(super) fn add_viewer(&mut self, viewer: Viewer) {
        let first = self.view.first(viewer.mode);
        if viewer.try_send(&first, Vec::new) {
            self.viewers.push(viewer);
        }
    }

    /// Gives the whole screen to viewers that fell behind and have read all they were given.
    pub(super) fn catch_up(&mut self) {
        self.viewers.retain(|viewer| viewer.catch_up(|| self.view.anew(viewer.mode)));
    }

    /// Changes the size, which watchers receive if it differs.
    pub(super) fn resize(&mut self, size: TerminalSize) {
        let same = self.view.size == size;
        self.view.size = size;
        if let Some(screen) = &mut self.view.screen {
            screen.resize(size);
        }
        if !same {
            let view = &self.view;
            self.viewers.retain(|viewer| match viewer.mode {
                ViewMode::Attached => true,
                ViewMode::Watching => viewer.try_send(&view.resized(), || view.anew(viewer.mode)),
            });
        }
    }

    /// Brings the terminal into the state in which another process can take it over.
    pub(super) fn prepare_for_process(&mut self) {
        if let Some(ready) = self.screen().map(AgentScreen::made_ready) {
            self.show_text(&ready);
        }
    }

    /// Takes the viewers out, to be drained when the run has finished.
    pub(super) fn take_viewers(&mut self) -> Vec<Viewer> {
        std::mem::take(&mut self.viewers)
    }

    /// Whether the agent may continue to write.
    pub(super) fn keeps_up(&self) -> bool {
        self.pane.as_ref().is_none_or(Pane::keeps_up)
    }

    /// Waits for the pane; forever if there is none.
    pub(super) async fn next_of_pane(&mut self) -> PaneNews {
        match &mut self.pane {
            Some(pane) => pane.next().await,
            None => std::future::pending().await,
        }
    }

    /// The bytes of the last [`PaneNews::Typed`].
    pub(super) fn typed(&self, length: usize) -> &[u8] {
        self.pane.as_ref().map_or(&[], |pane| pane.typed(length))
    }

    /// The size that the pane has now.
    pub(super) fn pane_size(&self) -> Option<TerminalSize> {
        self.pane.as_ref().and_then(Pane::size)
    }

    /// Rings the bell of the pane.
    pub(super) fn ring(&mut self) {
        if let Some(pane) = &mut self.pane {
            pane.ring();
        }
    }

    /// Drops a pane that is gone; `false` if there was none.
    pub(super) fn lose_pane(&mut self) -> bool {
        self.pane.take().is_some()
    }

    /// Writes a last line to the pane.
    pub(super) fn close_pane(&mut self, line: &str) {
        if let Some(pane) = self.pane.take() {
            pane.last_words(line);
        }
    }
}
