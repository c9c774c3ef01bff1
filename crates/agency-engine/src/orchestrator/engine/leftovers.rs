//! Ends what the commands of a session left running.

use std::path::Path;
use std::time::Duration;

use agency_system::process::kill_by_env;

use super::super::state::SessionDirectory;
use super::script::STEP_VARIABLE;

/// How long leftover processes of a session get to exit.
const LEFTOVER_GRACE: Duration = Duration::from_secs(2);

/// Ends every process of one step's command.
pub(super) fn end_step(directory: &Path, grace: Duration) {
    let directory = directory.display().to_string();
    kill_by_env(STEP_VARIABLE, |value| value == directory, grace);
}

/// Ends every leftover process of the commands of a session.
pub(super) fn end(directory: &SessionDirectory) {
    let below = format!("{}/", directory.path().display());
    kill_by_env(STEP_VARIABLE, |value| value.starts_with(&below), LEFTOVER_GRACE);
}
