//! Keeps what the agent says, and shows it to whoever looks.

use std::io::{Read, Seek, SeekFrom};

use agency_model::{Activity, Event};

use super::control::Viewer;
use super::pane::Pane;
use super::relay::with_returns;
use super::turn::Supervisor;
use crate::process::TerminalSize;
use crate::runner::Stream;
use crate::screen::Title;

/// How much of the log a viewer of a headless agent is shown first.
const TAIL: u64 = 16 * 1024;

impl Supervisor<'_> {
    /// The logs come first; everybody else gets a copy that may lag.
    pub(super) fn keep_output(&mut self, stream: Stream, length: usize) {
        let Some(agent) = &self.agent else { return };
        let bytes = agent.written(stream, length);
        for message in self.logs.write(stream, bytes) {
            self.events.append(self.run.attempt(), Event::Error { message });
        }
        if self.ear.understands() && stream == Stream::Stdout {
            self.understand(stream, length);
            return;
        }
        let needs_returns = agent.needs_returns(stream);
        let audience = Audience { pane: &mut self.pane, screen: &mut self.screen, viewers: &mut self.viewers };
        audience.show(bytes, needs_returns);
        if !self.ear.understands() {
            self.give_sign_of_life();
            if !(self.screen.is_some() && self.eye.understands()) {
                self.does(Activity::Unknown, "its output is not understood", None);
            }
        }
        self.screen_changed();
    }

    /// Whether anybody looks.
    pub(super) fn is_watched(&self) -> bool {
        self.pane.is_some() || !self.viewers.is_empty()
    }

    /// Shows a text of ours to whoever looks.
    pub(super) fn show(&mut self, text: &str) {
        let audience = Audience { pane: &mut self.pane, screen: &mut self.screen, viewers: &mut self.viewers };
        audience.show(text.as_bytes(), true);
    }

    /// Somebody attaches: first the screen as it is, then whatever comes.
    pub(super) fn welcome(&mut self, mut viewer: Viewer, size: TerminalSize) {
        self.resize(size);
        let first = match &self.screen {
            Some(screen) => whole_screen(Some(screen)),
            None => with_returns(&self.tail_of_log(), true).into_owned(),
        };
        if viewer.offer(&first, Vec::new) {
            self.viewers.push(viewer);
        }
    }

    fn tail_of_log(&self) -> Vec<u8> {
        let mut tail = vec![];
        if let Ok(mut file) = std::fs::File::open(self.directory.combined_log()) {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            // A viewer that gets no beginning still gets the rest.
            let _ = file.seek(SeekFrom::Start(length.saturating_sub(TAIL)));
            let _ = file.take(TAIL).read_to_end(&mut tail);
        }
        tail
    }

    /// Gives the agent's terminal another size; the last one who looks decides.
    pub(super) fn resize(&mut self, size: TerminalSize) {
        self.size = size;
        if let Some(agent) = &mut self.agent {
            agent.resize(size);
        }
        if let Some(screen) = &mut self.screen {
            screen.screen_mut().set_size(size.rows, size.columns);
        }
    }

    /// tmux is gone, or closed our session: the run goes on without a pane.
    pub(super) fn lose_pane(&mut self) {
        if self.pane.take().is_some() {
            let message = "the tmux pane is gone; the agent goes on without it".to_owned();
            self.events.append(self.run.attempt(), Event::Notice { message });
        }
    }
}

/// Everybody who looks, and the screen that is kept for those who will.
struct Audience<'a> {
    pane: &'a mut Option<Pane>,
    screen: &'a mut Option<vt100::Parser<Title>>,
    viewers: &'a mut Vec<Viewer>,
}

impl Audience<'_> {
    fn show(self, bytes: &[u8], needs_returns: bool) {
        if let Some(pane) = self.pane {
            pane.show(bytes, needs_returns);
        }
        if self.screen.is_none() && self.viewers.is_empty() {
            return;
        }
        let shown = with_returns(bytes, needs_returns);
        if let Some(screen) = self.screen {
            screen.process(&shown);
        }
        let screen = &*self.screen;
        self.viewers.retain_mut(|viewer| viewer.offer(&shown, || whole_screen(screen.as_ref())));
    }
}

fn whole_screen(screen: Option<&vt100::Parser<Title>>) -> Vec<u8> {
    let mut bytes = b"\x1b[2J\x1b[H".to_vec();
    if let Some(screen) = screen {
        bytes.extend(screen.screen().state_formatted().bytes());
    }
    bytes
}
