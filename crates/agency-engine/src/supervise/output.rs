//! Keeps what the agent writes, and shows it to the viewers.

use agency_model::conversation::Input;
use agency_model::{Escaper, Event, Sgr};
use agency_system::process::TerminalSize;

use super::agent_screen::{AgentScreen, Wish};
use super::crlf::to_crlf;
use super::pane::Pane;
use super::supervisor::Supervisor;
use super::view::View;
use super::viewer::{ViewMode, Viewer};
use crate::home::{RunDirectory, write_atomically};
use crate::runner::Stream;

/// What a headless agent prints, as it is shown.
#[derive(Debug)]
pub(super) struct HeadlessOutput {
    stdout: Escaper,
    stderr: Escaper,
}

impl Default for HeadlessOutput {
    fn default() -> Self {
        let escaper = Escaper::new(Sgr::KeepColours).keeping_crlf();
        Self { stdout: escaper.clone(), stderr: escaper }
    }
}

impl HeadlessOutput {
    fn escaped(&mut self, stream: Stream, bytes: &[u8]) -> String {
        match stream {
            Stream::Stdout => self.stdout.feed(bytes),
            Stream::Stderr => self.stderr.feed(bytes),
        }
    }
}

impl Supervisor<'_> {
    /// The logs come first; everybody else gets a copy that may lag.
    pub(super) fn keep_output(&mut self, stream: Stream, length: usize) {
        let Some(agent) = &self.agent else { return };
        let bytes = agent.written(stream, length);
        for message in self.logs.write(stream, bytes) {
            self.events.append(self.run.attempt(), Event::Error { message });
        }
        if self.protocol.understands() && stream == Stream::Stdout {
            self.understand(stream, length);
            return;
        }
        let needs_crlf = agent.needs_crlf(stream);
        let has_terminal = self.screen.is_some();
        let audience = Audience {
            pane: &mut self.pane,
            screen: &mut self.screen,
            viewers: &mut self.viewers,
            size: self.size,
            directory: &self.directory,
        };
        match has_terminal {
            true => audience.show(bytes, needs_crlf),
            // Without a terminal of its own, an agent does not write to the one of who looks.
            false => audience.show(self.headless_output.escaped(stream, bytes).as_bytes(), needs_crlf),
        }
        if let Some(screen) = &mut self.screen_reader.new_screen {
            screen.show(bytes);
        }
        if !self.protocol.understands() {
            self.converse(Input::Output);
        }
        self.screen_changed();
    }

    /// Whether there are viewers.
    pub(super) fn is_watched(&self) -> bool {
        self.pane.is_some() || !self.viewers.is_empty()
    }

    /// Shows a text of the supervisor to the viewers.
    pub(super) fn show(&mut self, text: &str) {
        let audience = Audience {
            pane: &mut self.pane,
            screen: &mut self.screen,
            viewers: &mut self.viewers,
            size: self.size,
            directory: &self.directory,
        };
        audience.show(text.as_bytes(), true);
    }

    /// A viewer attaches, and the agent's terminal takes the size of theirs.
    pub(super) fn attach_viewer(&mut self, viewer: Viewer, size: TerminalSize) {
        self.resize(size);
        self.add_viewer(viewer);
    }

    /// A viewer watches: first the screen as it is, then everything that follows.
    pub(super) fn add_viewer(&mut self, viewer: Viewer) {
        let first = self.view().first(viewer.mode);
        if viewer.try_send(&first, Vec::new) {
            self.viewers.push(viewer);
        }
    }

    /// Viewers that fell behind may have read all they were given.
    pub(super) fn catch_up(&mut self) {
        let mut viewers = std::mem::take(&mut self.viewers);
        viewers.retain(|viewer| viewer.catch_up(|| self.view().anew(viewer.mode)));
        self.viewers = viewers;
    }

    /// Gives the agent's terminal another size; the last one who attaches decides.
    pub(super) fn resize(&mut self, size: TerminalSize) {
        let same = self.size == size;
        self.size = size;
        if let Some(agent) = &mut self.agent {
            agent.resize(size);
        }
        if let Some(screen) = &mut self.screen {
            screen.resize(size);
        }
        if let Some(screen) = &mut self.screen_reader.new_screen {
            screen.resize(size);
        }
        if !same {
            self.tell_watchers_the_size();
        }
    }

    fn tell_watchers_the_size(&mut self) {
        let mut viewers = std::mem::take(&mut self.viewers);
        viewers.retain(|viewer| match viewer.mode {
            ViewMode::Attached => true,
            ViewMode::Watching => viewer.try_send(&self.view().resized(), || self.view().anew(viewer.mode)),
        });
        self.viewers = viewers;
    }

    fn view(&self) -> View<'_> {
        View { screen: self.screen.as_ref(), size: self.size, directory: &self.directory }
    }

    /// Another process takes over the terminal.
    pub(super) fn make_screen_ready(&mut self) {
        if let Some(ready) = self.screen.as_ref().map(AgentScreen::made_ready) {
            self.show(&ready);
        }
    }

    /// Keeps what the agent's terminal showed last, for readers after its exit.
    pub(super) fn keep_last_screen(&self) {
        if let Some(screen) = &self.screen {
            // It can be done without; the logs have everything.
            let _ = write_atomically(&self.directory.last_screen(), &screen.drawn_for_watchers());
        }
    }

    /// tmux is gone, or closed our session: the run continues without a pane.
    pub(super) fn lose_pane(&mut self) {
        if self.pane.take().is_some() {
            let message = "the tmux pane is gone; the agent continues without it".to_owned();
            self.events.append(self.run.attempt(), Event::Notice { message });
        }
    }
}

/// All viewers, and the screen that is kept for later ones.
struct Audience<'a> {
    pane: &'a mut Option<Pane>,
    screen: &'a mut Option<AgentScreen>,
    viewers: &'a mut Vec<Viewer>,
    size: TerminalSize,
    directory: &'a RunDirectory,
}

impl Audience<'_> {
    fn show(self, bytes: &[u8], needs_crlf: bool) {
        if let Some(pane) = self.pane {
            pane.show(bytes, needs_crlf);
        }
        if self.screen.is_none() && self.viewers.is_empty() {
            return;
        }
        let shown = to_crlf(bytes, needs_crlf);
        let wish = self.screen.as_mut().map_or(Wish::None, |screen| screen.show(&shown));
        let view = View { screen: self.screen.as_ref(), size: self.size, directory: self.directory };
        self.viewers.retain(|viewer| match (viewer.mode, wish) {
            (ViewMode::Attached, _) | (ViewMode::Watching, Wish::None) => {
                viewer.try_send(&shown, || view.anew(viewer.mode))
            }
            // What the agent says about its size would be taken for what we say. Instead, the watcher sees what came of it.
            (ViewMode::Watching, Wish::Size) => viewer.try_send(&view.resized(), || view.anew(viewer.mode)),
        });
    }
}
