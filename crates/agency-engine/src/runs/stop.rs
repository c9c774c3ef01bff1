//! `agency stop`: ends one run and touches no other.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(WAITING)?;
//! let stopped = agency.stop(&run)?;
//! assert_eq!(stopped.state, State::Killed);
//! // It has ended already.
//! assert!(agency.stop(&stopped).is_err());
//! # Ok(())
//! # }
//! ```

use std::time::Duration;

use agency_model::run::{Ending, Input, Reason, State, StopCause};
use agency_model::{ErrorCode, RunId};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_system::process::{ProcessHandle, connect};
use rustix::net::sockopt::socket_peercred;
use rustix::process::Signal;
use tracing::warn;

use crate::agency::Agency;
use crate::home::RunDirectory;
use crate::host::Tmux;
use crate::record::finish::{Ended, announce_end, write_markers};
use crate::record::pid_file::PidFile;
use crate::runs::wait::WaitError;
use crate::store::{Applied, Request, RunRow, StoreError};
use crate::wire::wake_supervisor;

/// How long a supervisor that is killed may take to be gone.
const KILL_LIMIT: Duration = Duration::from_secs(2);
/// How long a supervisor that waited for a slot may take to leave.
const QUEUED_EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a run was not stopped.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StopError {
    /// The run has finished.
    #[error("{id} is {state}; only a run that is queued or running can be stopped")]
    NotRunning {
        /// The run.
        id: RunId,
        /// Its state.
        state: State,
    },
    /// The supervisor neither stopped the agent nor could be killed.
    #[error("{0} did not stop in time")]
    Stuck(RunId),
    /// The agent was ended, and the database did not take it.
    #[error("{id} was stopped, but that could not be recorded: {why}")]
    Unrecorded {
        /// The run.
        id: RunId,
        /// The error of the database.
        #[source]
        why: StoreError,
    },
    /// Waiting failed.
    #[error(transparent)]
    Wait(#[from] WaitError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StopError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotRunning { .. } => ErrorCode::InvalidState,
            Self::Stuck(_) => ErrorCode::Timeout,
            Self::Wait(WaitError::Home(error)) => error.code(),
            Self::Unrecorded { why: error, .. } | Self::Wait(WaitError::Store(error)) | Self::Store(error) => {
                error.code()
            }
        }
    }
}

impl Agency {
    /// Stops a run and waits until it has finished. The worktree stays.
    pub fn stop(&mut self, row: &RunRow) -> Result<RunRow, StopError> {
        let id = &row.id;
        self.settle(row)?;
        let row = self.store.run(id)?;
        let row = match row.state {
            State::Queued => self.stop_queued(id)?,
            State::Running => self.stop_running(id)?,
            State::Completed | State::Failed | State::Killed => {
                return Err(StopError::NotRunning { id: id.clone(), state: row.state });
            }
        };
        if let Some(session) = &row.tmux_session_name {
            // The run has finished; a session that stays is removed by `agency rm`.
            let _ = Tmux::new(row.tmux_socket.clone()).kill_session(session);
        }
        Ok(row)
    }

    /// How long a stop may take before the supervisor counts as stuck.
    fn stop_limit(&self) -> Duration {
        self.config.stop_grace + Duration::from_secs(20)
    }

    /// The database decides between us and the supervisor that may start the agent right now.
    fn stop_queued(&mut self, id: &RunId) -> Result<RunRow, StopError> {
        let applied = match self.store.apply(id, &Input::Stop(StopCause::Requested), None) {
            Ok(applied) => applied,
            Err(error) => return self.stop_by_signal(id, error),
        };
        match applied {
            Applied::Moved { row, .. } if row.state.is_terminal() => {
                fault::point("stop.recorded");
                let directory = self.home.run(id);
                wake_supervisor(&directory);
                self.tell_queued_end(&directory, &row);
                Ok(*row)
            }
            Applied::Moved { .. } | Applied::Stale(_) => self.stop_running(id),
        }
    }

    /// Lets the supervisor that waited for a slot write the end, and writes it if there is none.
    fn tell_queued_end(&mut self, directory: &RunDirectory, row: &RunRow) {
        // One that does not exit, or a directory that cannot be used, does not change that the run has finished.
        let Ok(Some(_owner)) = Lock::take(&directory.supervisor_lock(), QUEUED_EXIT_TIMEOUT) else {
            return;
        };
        if !directory.done().exists() {
            let _ = write_markers(directory, &Ended::from_row(row));
        }
        announce_end(&self.home, &mut self.store, State::Queued, row);
    }

    fn stop_running(&mut self, id: &RunId) -> Result<RunRow, StopError> {
        let directory = self.home.run(id);
        match self.store.request(id, &Request::Stop { grace: None }) {
            Ok(_) => {
                fault::point("stop.requested");
                wake_supervisor(&directory);
                fault::point("stop.rung");
            }
            Err(error) => return self.stop_by_signal(id, error),
        }
        let row = self.wait(id, Some(self.stop_limit()), State::is_terminal)?;
        if row.state.is_terminal() {
            return Ok(row);
        }
        self.stop_by_force(id, &directory)
    }

    /// The database takes nothing, as on a full disk: the supervisor is ended by TERM, which needs no database. One that
    /// waits for a slot has nothing to record, so its markers are written here.
    fn stop_by_signal(&mut self, id: &RunId, unstored: StoreError) -> Result<RunRow, StopError> {
        let Some(supervisor) = supervisor_of(&self.home.run(id)) else { return Err(unstored.into()) };
        warn!(run = %id, pid = supervisor.pid(), code = unstored.code().as_str(), "stopping by a signal");
        supervisor.signal(Signal::TERM);
        if !supervisor.wait(self.stop_limit()) {
            supervisor.signal(Signal::KILL);
            if !supervisor.wait(KILL_LIMIT) {
                return Err(StopError::Stuck(id.clone()));
            }
            self.end_processes(id, self.config.stop_grace);
        }
        let row = self.store.run(id)?;
        if row.state == State::Queued {
            self.mark_stopped(&row);
        }
        // What the supervisor could not store either is in its markers.
        let recorded = self.settle(&row).and_then(|_| self.store.run(id));
        match recorded {
            Ok(row) if row.state.is_terminal() => Ok(row),
            Ok(_) => Err(StopError::Unrecorded { id: id.clone(), why: unstored }),
            Err(why) => Err(StopError::Unrecorded { id: id.clone(), why }),
        }
    }

    /// Leaves the markers of a queued run that was stopped, if there is room for them.
    fn mark_stopped(&self, row: &RunRow) {
        let directory = self.home.run(&row.id);
        let owner = Lock::take(&directory.supervisor_lock(), KILL_LIMIT);
        if matches!(owner, Ok(Some(_))) && !directory.done().exists() {
            let ending = Ending { state: State::Killed, exit: None, reason: Reason::Stopped, code: None, attempts: 0 };
            // Without them, all that is known is that it was never started.
            let _ = write_markers(&directory, &Ended { ending, ..Ended::from_row(row) });
        }
    }

    /// The supervisor does not answer: it goes, and with it everything of the run.
    fn stop_by_force(&mut self, id: &RunId, directory: &RunDirectory) -> Result<RunRow, StopError> {
        if let Some(supervisor) = supervisor_of(directory) {
            warn!(run = %id, pid = supervisor.pid(), "killing a supervisor that does not answer");
            supervisor.signal(Signal::KILL);
            if !supervisor.wait(KILL_LIMIT) {
                return Err(StopError::Stuck(id.clone()));
            }
        }
        self.end_processes(id, self.config.stop_grace);
        PidFile::remove_if_gone(&self.pid_dir(), id);
        // Another process that noticed the death may be recording it already.
        let Some(_owner) = Lock::take(&directory.supervisor_lock(), KILL_LIMIT).map_err(WaitError::Home)? else {
            return Err(StopError::Stuck(id.clone()));
        };
        let attempts = self.store.run(id)?.attempt;
        let ending = Ending { state: State::Killed, exit: None, reason: Reason::Stopped, code: None, attempts };
        match self.store.apply(id, &Input::SupervisorGone(Some(ending)), None)? {
            Applied::Moved { from, row, .. } => {
                announce_end(&self.home, &mut self.store, from, &row);
                Ok(*row)
            }
            Applied::Stale(row) => Ok(*row),
        }
    }
}

/// The process that listens on the run's socket is its supervisor; a pid file would be less certain.
fn supervisor_of(directory: &RunDirectory) -> Option<ProcessHandle> {
    let door = connect(&directory.control_socket()).ok()?;
    let pid = socket_peercred(&door).ok()?.pid;
    let pid = pid.as_raw_nonzero().get().unsigned_abs();
    // A supervisor in a thread of this program cannot be ended without it.
    if pid == std::process::id() { None } else { ProcessHandle::open(pid) }
}
