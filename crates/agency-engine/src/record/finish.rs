//! The end of a run on disk: markers, last events, the snapshot of the row.
//!
//! The order is the rule: markers, then the row, then everything that can be repeated.

use agency_model::run::{ChangedPath, Ending, Exit, Marker, Reason, State};
use agency_model::{ErrorCode, Event, WorkspaceKind};
use agency_workspace::{Scratch, Workspace};
use jiff::Timestamp;

use crate::home::{Home, HomeError, RunDirectory, read_text, read_whole};
use crate::record::event_log::EventLog;
use crate::store::{RunRow, Store, error_text, now};

/// The version of `done.json`.
const MARKER_VERSION: u32 = 1;

/// Said of a run whose supervisor died between its two markers.
const ONLY_THE_EXIT_CODE: &str = "its supervisor died before it wrote done.json, so exit_code.txt is all that is known";

/// What is known about the end of a run.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How it ended.
    pub ending: Ending,
    /// What went wrong, in words.
    pub details: Option<String>,
    /// When it became `running`.
    pub started_at: Option<Timestamp>,
    /// When it was over.
    pub ended_at: Timestamp,
    /// The agent's last answer.
    pub summary: Option<String>,
    /// What the workspace says about the agent's work.
    pub changed_files: Option<Vec<ChangedPath>>,
}

impl Ended {
    /// The end that a terminal row holds.
    #[must_use]
    pub fn from_row(row: &RunRow) -> Self {
        let ending = Ending {
            state: row.state,
            exit: Some(Exit { exit_code: row.exit_code, signal: row.signal }),
            reason: row.reason.unwrap_or(Reason::Exited),
            code: row.error_code(),
            attempts: row.attempt,
        };
        Self {
            ending,
            details: details_of(row.error.as_deref(), row.error_code()),
            started_at: row.started_at,
            ended_at: row.ended_at.unwrap_or_else(now),
            summary: None,
            changed_files: None,
        }
    }

    /// The row of a run that ended so, where the database does not have it.
    #[must_use]
    pub(crate) fn applied_to(&self, row: RunRow) -> RunRow {
        RunRow {
            state: self.ending.state,
            phase: None,
            activity: None,
            activity_at: None,
            attempt: self.ending.attempts,
            updated_at: self.ended_at,
            ended_at: Some(self.ended_at),
            exit_code: self.ending.exit.and_then(|exit| exit.exit_code),
            signal: self.ending.exit.and_then(|exit| exit.signal),
            reason: Some(self.ending.reason),
            error: error_text(&self.ending, self.details.as_deref()),
            ..row
        }
    }

    fn marker(&self) -> Marker {
        Marker {
            schema_version: MARKER_VERSION,
            state: self.ending.state,
            exit_code: self.ending.exit.and_then(|exit| exit.exit_code),
            signal: self.ending.exit.and_then(|exit| exit.signal),
            reason: self.ending.reason,
            error: error_text(&self.ending, self.details.as_deref()),
            attempts: self.ending.attempts,
            started_at: self.started_at,
            ended_at: self.ended_at,
            summary: self.summary.clone(),
            changed_files: self.changed_files.clone(),
        }
    }
}

/// Writes `exit_code.txt` and `done.json`, and deletes the configuration that a driver had.
pub fn write_markers(directory: &RunDirectory, ended: &Ended) -> Result<(), HomeError> {
    if let Some(code) = ended.ending.exit.and_then(shell_code) {
        directory.write("exit_code.txt", format!("{code}\n").as_bytes())?;
    }
    agency_system::fault::point("finish.exit_code");
    directory.write_json("done.json", &ended.marker())?;
    directory.delete_driver_config();
    Ok(())
}

/// The exit code as a shell would give it.
fn shell_code(exit: Exit) -> Option<i32> {
    exit.exit_code.or_else(|| exit.signal.map(|signal| 128 + signal))
}

/// What the markers of a dead supervisor record, if it left any that can be read.
#[must_use]
pub fn read_markers(directory: &RunDirectory) -> Option<Ended> {
    if let Ok(text) = read_whole(&directory.done())
        && let Ok(marker) = serde_json::from_slice::<Marker>(&text)
    {
        let code = marker.error.as_deref().and_then(|error| error.split(':').next());
        let code = code.and_then(|text| text.parse().ok());
        let details = details_of(marker.error.as_deref(), code);
        let exit = Exit { exit_code: marker.exit_code, signal: marker.signal };
        let ending =
            Ending { state: marker.state, exit: Some(exit), reason: marker.reason, code, attempts: marker.attempts };
        return Some(Ended {
            ending,
            details,
            started_at: marker.started_at,
            ended_at: marker.ended_at,
            summary: marker.summary,
            changed_files: marker.changed_files,
        });
    }
    let code: i32 = read_text(&directory.exit_code()).ok()?.trim().parse().ok()?;
    let state = if code == 0 { State::Completed } else { State::Failed };
    let exit = Exit { exit_code: Some(code), signal: None };
    let error = (code != 0).then_some(ErrorCode::RunFailed);
    let ending = Ending { state, exit: Some(exit), reason: Reason::Exited, code: error, attempts: 1 };
    let details = Some(format!("the agent exited with code {code}; {ONLY_THE_EXIT_CODE}"));
    Some(Ended { ending, details, started_at: None, ended_at: now(), summary: None, changed_files: None })
}

/// The words of a stored error, without the code before them.
fn details_of(error: Option<&str>, code: Option<ErrorCode>) -> Option<String> {
    let words = match (error, code) {
        (Some(error), Some(code)) => error.trim_start_matches(code.as_str()).trim_start_matches(": "),
        (Some(error), None) => error,
        (None, _) => "",
    };
    (!words.is_empty()).then(|| words.to_owned())
}

/// Writes the last events of a run whose row is about to be, or is, terminal. If a predecessor died after it had
/// written them, they are not repeated.
pub fn log_end(events: &mut EventLog, from: State, ended: &Ended) {
    if events.tells_the_end() {
        return;
    }
    let Ended { ending, details, .. } = ended;
    let attempt = ending.attempts;
    events.append(attempt, Event::StateChange { from: Some(from), to: ending.state });
    events.append(
        attempt,
        Event::Completed {
            state: ending.state,
            exit_code: ending.exit.and_then(|exit| exit.exit_code),
            reason: ending.reason,
            error: error_text(ending, details.as_deref()),
        },
    );
}

/// Does what follows from a terminal row, as far as it can be done: the snapshot, the deletion of a driver's
/// configuration, and the wake-up of those that wait for a slot. Says whether the snapshot was written.
pub fn after_end(home: &Home, row: &RunRow) -> bool {
    if row.workspace == WorkspaceKind::Scratch {
        // It is not needed any more. What cannot be deleted now is swept later.
        let _ = Scratch::of_run(row.repo_path.as_ref(), home.run(&row.id).path()).undo();
    }
    let directory = home.run(&row.id);
    directory.delete_driver_config();
    let written = directory.write_json("meta.json", row).is_ok() || !directory.path().exists();
    // Without this, queued runs check for a free slot at their next interval.
    let _ = home.signal_slots();
    written
}

/// Records in its files the end of a run whose row is terminal already. Only the owner of the run's lock calls it.
pub fn announce_end(home: &Home, store: &mut Store, from: State, row: &RunRow) {
    let directory = home.run(&row.id);
    let told = match EventLog::open(&directory.events()) {
        Ok(mut events) => {
            log_end(&mut events, from, &Ended::from_row(row));
            events.flush();
            !events.is_stuck()
        }
        Err(_) => !directory.path().exists(),
    };
    if after_end(home, row) && told {
        // Otherwise a later command does it again.
        let _ = store.end_is_recorded(&row.id);
    }
}
