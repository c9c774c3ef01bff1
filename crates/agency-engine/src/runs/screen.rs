//! The screen of a run for viewers that only watch: live through its supervisor, or as it was at the end.

use std::io::Read;

use agency_model::RunId;
use agency_model::run::State;
use agency_system::process::connect;

use crate::agency::Agency;
use crate::home::open_to_read;
use crate::runs::attach::AttachError;
use crate::store::RunRow;
use crate::watch::ScreenWatch;

/// No last screen is larger.
const MAX_LAST_SCREEN_BYTES: u64 = 1024 * 1024;

impl Agency {
    /// Begins to read the screen of a running run. What comes first is its size and all it shows; whenever
    /// the size changes, both come again.
    pub fn watch_screen(&self, row: &RunRow) -> Result<ScreenWatch, AttachError> {
        // While a run is queued, there is no screen, and no supervisor to report when there will be one.
        if row.state == State::Queued || row.state.is_terminal() {
            return Err(AttachError::NotRunning { id: row.id.clone(), state: row.state });
        }
        let unreachable = |source| AttachError::Unreachable { id: row.id.clone(), source };
        let stream = connect(&self.home.run(&row.id).control_socket()).map_err(unreachable)?;
        ScreenWatch::begin(stream).map_err(unreachable)
    }

    /// What the terminal of an interactive run showed when its last process ended, with its size. `None` if it has not
    /// ended, or was not interactive.
    #[must_use]
    pub fn last_screen(&self, id: &RunId) -> Option<Vec<u8>> {
        let mut bytes = vec![];
        let file = open_to_read(&self.home.run(id).last_screen()).ok()?;
        file.take(MAX_LAST_SCREEN_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
