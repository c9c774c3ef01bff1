//! Events about the work of a run beside its agent, which may come after the end of the run.
//!
//! The one rule: only the owner of a run writes its events. The supervisor of a live run is asked to; of a finished run,
//! the process that takes its lock is the owner for a moment.
//!
//! ```
//! # use agency_engine::runs::work_events::RecordError;
//! fn is_worth_another_try(error: &RecordError) -> bool {
//!     matches!(error, RecordError::Busy { .. })
//! }
//! ```

use std::time::Duration;

use agency_model::{ErrorCode, Event, RunId, WorkEvent};
use agency_system::lock::Lock;

use crate::agency::Agency;
use crate::home::HomeError;
use crate::record::event_log::EventLog;
use crate::runs::messages::DeliveryError;
use crate::runs::owner::has_owner;
use crate::store::{Request, StoreError};

/// How long another process may hold the lock of a finished run. Each holds it to write a few lines.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Why an event was not recorded.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RecordError {
    /// Another process writes the files of the run.
    #[error("the files of {id} are being written by another process; try again")]
    Busy {
        /// The run.
        id: RunId,
    },
    /// A file of the run.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The supervisor did not do it.
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RecordError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Busy { .. } => ErrorCode::InvalidState,
            Self::Home(error) => error.code(),
            Self::Delivery(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// Appends an event to those of a run, whether it is live or has finished.
    pub(crate) fn record_work(&mut self, id: &RunId, event: WorkEvent) -> Result<(), RecordError> {
        if has_owner(&self.home.run(id)) {
            match self.tell(id, &Request::Record(event.clone())) {
                Ok(_) => return Ok(()),
                // It ended meanwhile.
                Err(DeliveryError::NotRunning { state, .. }) if state.is_terminal() => {}
                Err(DeliveryError::Refused { .. }) if self.store.run(id)?.state.is_terminal() => {}
                Err(error) => return Err(error.into()),
            }
        }
        let directory = self.home.run(id);
        let taken = Lock::take(&directory.supervisor_lock(), LOCK_TIMEOUT)?;
        let _owner = taken.ok_or_else(|| RecordError::Busy { id: id.clone() })?;
        let row = self.store.run(id)?;
        let path = directory.events();
        let mut events = EventLog::open(&path)?;
        events.append(row.attempt, Event::Work(event));
        if events.is_stuck() {
            return Err(HomeError::new("write", &path, std::io::ErrorKind::StorageFull.into()).into());
        }
        // Without it, the events have everything.
        let _ = directory.write_json("meta.json", &row);
        Ok(())
    }
}
