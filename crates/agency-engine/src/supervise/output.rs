//! Keeps what the agent writes, and shows it.

use agency_model::Event;
use agency_model::conversation::Input;
use agency_system::process::TerminalSize;

use super::Supervisor;
use super::viewer::Viewer;
use crate::runner::Stream;

impl Supervisor<'_> {
    /// Keeps what the agent wrote: first in the logs, then on the displays.
    pub(super) fn keep_output(&mut self, stream: Stream, length: usize) {
        let bytes = self.process.written(stream, length);
        self.files.append_output(self.run.attempt(), stream, bytes);
        if self.protocol.understands() && stream == Stream::Stdout {
            self.understand(length);
            return;
        }
        self.display.show_output(stream, bytes, self.process.needs_crlf(stream));
        if let Some(screen) = &mut self.screen_reader.new_screen {
            screen.show(bytes);
        }
        if !self.protocol.understands() {
            self.converse(Input::Output);
        }
        self.screen_changed();
    }

    /// Attaches a viewer, whose size the agent's terminal takes.
    pub(super) fn attach_viewer(&mut self, viewer: Viewer, size: TerminalSize) {
        self.resize(size);
        self.display.add_viewer(viewer);
    }

    /// Gives the agent's terminal another size; the last viewer that attaches decides.
    pub(super) fn resize(&mut self, size: TerminalSize) {
        self.process.resize(size);
        if let Some(screen) = &mut self.screen_reader.new_screen {
            screen.resize(size);
        }
        self.display.resize(size);
    }

    /// Keeps what the agent's terminal showed last, for readers after its exit.
    pub(super) fn keep_last_screen(&self) {
        if let Some(screen) = self.display.screen() {
            self.files.write_last_screen(screen);
        }
    }

    /// Continues without a pane: tmux is gone, or closed the session.
    pub(super) fn lose_pane(&mut self) {
        if self.display.lose_pane() {
            let message = "the tmux pane is gone; the agent continues without it".to_owned();
            self.append(Event::Notice { message });
        }
    }
}
