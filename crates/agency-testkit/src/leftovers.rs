//! Ends every process of a world, wherever it went.
//!
//! The one rule: a process belongs to a world when its environment names the world's home, and only then.

use crate::environment::HOME_VARIABLE;
use crate::wait::poll;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// How long the kernel may take to end killed processes.
const LIMIT: Duration = Duration::from_secs(10);

/// Kills until no process of the world is left; returns those that did not die in time.
pub(crate) fn kill(agency_home: &Path) -> Vec<Pid> {
    let mut left = Vec::new();
    poll(LIMIT, || {
        left = find(agency_home);
        for pid in &left {
            // It may have ended on its own since it was found.
            let _ = kill_process(*pid, Signal::KILL);
        }
        left.is_empty().then_some(())
    });
    left
}

/// The processes whose environment names that home. The dead, the foreign and the just ended have none to read.
pub(crate) fn find(agency_home: &Path) -> Vec<Pid> {
    let marker = [HOME_VARIABLE.as_bytes(), b"=", agency_home.as_os_str().as_bytes()].concat();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marker)
    })
    .collect()
}
