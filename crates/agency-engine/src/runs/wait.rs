//! `agency wait`: waits for a state of a run, by its supervisor's control socket or by its directory, never by polling.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! use std::time::Duration;
//!
//! let row = agency.wait(&run.id, Some(Duration::from_secs(60)), State::is_terminal)?;
//! // After the limit, the row is as it is then.
//! assert!(row.state.is_terminal());
//! # Ok(())
//! # }
//! ```

use std::time::{Duration, Instant};

use agency_model::RunId;
use agency_model::run::State;

use crate::agency::Agency;
use crate::deadline::capped;
use crate::home::HomeError;
use crate::store::{RunRow, StoreError};
use crate::watch::{DirectoryWatch, POLL_INTERVAL};
use crate::wire::wait_for_change;

/// A supervisor that is alive keeps the connection open longer than this.
const MIN_WAIT: Duration = Duration::from_millis(1);

/// Why waiting for a run failed.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum WaitError {
    /// The directory could not be watched.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Agency {
    /// Waits until the run is in a state that `enough` accepts, or for `limit`. Returns the row as it is then.
    pub fn wait(
        &mut self,
        id: &RunId,
        limit: Option<Duration>,
        enough: impl Fn(State) -> bool,
    ) -> Result<RunRow, WaitError> {
        let deadline = limit.map(|limit| Instant::now() + capped(limit));
        let directory = self.home.run(id);
        let mut watch = None;
        let mut found = false;
        loop {
            let row = match self.fresh_row(id) {
                Ok(row) => row,
                // The database was lost since; `agency reconcile` brings the row back.
                Err(error) if found && error.is_lost_row() => {
                    let left = deadline.map_or(POLL_INTERVAL, |end| end.saturating_duration_since(Instant::now()));
                    if left.is_zero() {
                        return Err(error.into());
                    }
                    DirectoryWatch::begin(&[directory.path()])?.wait(left);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            found = true;
            if enough(row.state) || row.state.is_terminal() {
                return Ok(row);
            }
            if self.settle(&row)?.is_some() {
                continue;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(row);
            }
            let asked = Instant::now();
            // A connection that is closed at once is not a wait: repeating it would be polling.
            if wait_for_change(&directory, left) && asked.elapsed() > MIN_WAIT {
                continue;
            }
            // Without a supervisor, a creator is at work, or a supervisor is just exiting. The first check after the
            // watch began decides again, so that nothing falls between the two.
            match &watch {
                None => watch = Some(DirectoryWatch::begin(&[directory.path()])?),
                Some(watch) => watch.wait(left.unwrap_or(POLL_INTERVAL)),
            }
        }
    }
}
