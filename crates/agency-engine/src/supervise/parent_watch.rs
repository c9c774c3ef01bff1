//! A run whose answer another process waits for ends with that process.
//!
//! The process that asked holds a lock for as long as it lives. When the lock is released before the run has finished, it
//! has died, and the answer is not needed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use agency_model::RunId;
use agency_model::run::{Input, State, StopCause};
use tokio::sync::mpsc;

use super::control::ControlMessage;
use crate::home::open_to_read;
use crate::store::{Request, Store, StoreError};

/// Enough for one query.
const STACK_BYTES: usize = 512 * 1024;

/// What ties a run to the process that asked.
pub(super) struct ParentWatch {
    pub(super) lock: PathBuf,
    pub(super) database: PathBuf,
    pub(super) limit: Duration,
    pub(super) run: RunId,
}

impl ParentWatch {
    /// Begins to wait for the lock, on a thread that ends with the process.
    pub(super) fn watch(self, wake: mpsc::Sender<ControlMessage>) -> io::Result<()> {
        let wait = move || {
            // Held until the supervisor ends: nothing removes the directory before.
            let _lock = match open_to_read(&self.lock) {
                Ok(file) => file.lock_shared().map(|()| file),
                Err(error) => Err(error),
            };
            // A database that cannot be used leaves the run to its own end and its limits.
            if self.stop().is_ok() {
                let _ = wake.blocking_send(ControlMessage::Wake);
            }
            loop {
                std::thread::park();
            }
        };
        std::thread::Builder::new().name("parent_watch".to_owned()).stack_size(STACK_BYTES).spawn(wait).map(|_| ())
    }

    fn stop(&self) -> Result<(), StoreError> {
        let mut store = Store::open(&self.database, self.limit)?;
        if store.run(&self.run)?.state == State::Queued {
            store.apply(&self.run, &Input::Stop(StopCause::Requested), None)?;
        }
        if !store.run(&self.run)?.state.is_terminal() {
            store.request(&self.run, &Request::Stop { grace: None })?;
        }
        Ok(())
    }
}
