//! A supervisor without a terminal; it makes itself a session of its own.

use std::fs::File;
use std::io;
use std::process::{Child, Command, Stdio};

use agency_system::process::{INDEPENDENT_VARIABLE, RUN_ID_VARIABLE};
use tracing::debug;

use super::SupervisorCommand;

/// Starts the supervisor; what it complains about goes to `log`.
#[expect(clippy::disallowed_methods, reason = "detached supervisors are started here")]
pub fn start_detached(supervisor: &SupervisorCommand, log: File) -> io::Result<Child> {
    let (program, args) = supervisor.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command
        .args(args)
        .envs(supervisor.environment.iter().map(|(name, value)| (name, value)))
        .env(INDEPENDENT_VARIABLE, "1")
        // We may ourselves have been started by an agent; its run is not ours.
        .env_remove(RUN_ID_VARIABLE)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    // A hook between fork and exec would make the fork many times dearer.
    let child = command.spawn().map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))?;
    debug!(pid = child.id(), "supervisor process started");
    Ok(child)
}
