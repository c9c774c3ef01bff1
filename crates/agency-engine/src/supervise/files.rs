//! The files of the run, which the supervisor alone writes: events, logs, snapshot, last screen, markers.
//!
//! The one rule: a file that cannot be written never stops the agent.

use agency_model::run::State;
use agency_model::{Event, LogOffsets};

use super::agent_screen::AgentScreen;
use super::logs::Logs;
use crate::home::{HomeError, RunDirectory, write_atomically};
use crate::record::event_log::EventLog;
use crate::record::finish::{Ended, log_end, write_markers};
use crate::runner::Stream;
use crate::store::RunRow;

/// Space set aside at the start, so that the last files fit on a full disk.
const RESERVE: &str = ".reserve";
const RESERVE_BYTES: usize = 64 * 1024;

/// The open files of a run.
pub(super) struct RunFiles {
    directory: RunDirectory,
    events: EventLog,
    logs: Logs,
}

impl RunFiles {
    pub(super) fn open(directory: RunDirectory) -> Result<Self, HomeError> {
        let events = EventLog::open(&directory.events())?;
        let logs = Logs::open(&directory)?;
        Ok(Self { directory, events, logs })
    }

    /// Sets space aside for the last files. Without it a full disk may cost the markers, not the run.
    pub(super) fn reserve_space(&self) {
        let _ = self.directory.write(RESERVE, &[0; RESERVE_BYTES]);
    }

    /// Deletes the reserve.
    pub(super) fn release_reserve(&self) {
        // A missing file needs no removal.
        let _ = std::fs::remove_file(self.directory.file(RESERVE));
    }

    /// Appends an event.
    pub(super) fn append(&mut self, attempt: u32, event: Event) {
        self.events.append(attempt, event);
    }

    /// The number of the last event.
    pub(super) const fn last_seq(&self) -> u64 {
        self.events.last_seq()
    }

    /// Keeps events in memory until [`Self::release_events`]: a flood of events is not a flood of writes.
    pub(super) fn hold_events(&mut self) {
        self.events.hold();
    }

    /// Ends [`Self::hold_events`].
    pub(super) fn release_events(&mut self) {
        self.events.release();
    }

    /// Appends output to the logs. What could not be written is an event.
    pub(super) fn append_output(&mut self, attempt: u32, stream: Stream, bytes: &[u8]) {
        for message in self.logs.write(stream, bytes) {
            self.events.append(attempt, Event::Error { message });
        }
    }

    /// How long the logs are.
    pub(super) fn log_lengths(&self) -> LogOffsets {
        self.logs.lengths()
    }

    /// Writes the snapshot from which the row can be rebuilt. Without it, most can be read from the events.
    pub(super) fn write_snapshot(&self, row: &RunRow) {
        let _ = self.directory.write_json("meta.json", row);
    }

    /// Writes what the agent's terminal showed last. It can be done without; the logs have everything.
    pub(super) fn write_last_screen(&self, screen: &AgentScreen) {
        let _ = write_atomically(&self.directory.last_screen(), &screen.drawn_for_watchers());
    }

    /// Records what the logs lost in a gap that has not ended.
    pub(super) fn record_losses(&mut self, attempt: u32) {
        for message in self.logs.losses() {
            self.events.append(attempt, Event::Error { message });
        }
    }

    /// Writes the exit markers; `false` if that failed.
    pub(super) fn write_markers(&self, ended: &Ended) -> bool {
        write_markers(&self.directory, ended).is_ok()
    }

    /// Appends the events of the end.
    pub(super) fn append_end(&mut self, ended: &Ended) {
        log_end(&mut self.events, State::Running, ended);
    }

    /// Writes events that a full disk did not take.
    pub(super) fn flush_events(&mut self) {
        self.events.flush();
    }

    /// Whether all events are on disk.
    pub(super) const fn has_all_events(&self) -> bool {
        !self.events.is_stuck()
    }

    /// Removes the control socket: one without a listener would be waited for, a missing one fails at once.
    pub(super) fn remove_control_socket(&self) {
        let _ = std::fs::remove_file(self.directory.control_socket());
    }
}
