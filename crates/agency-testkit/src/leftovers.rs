//! Ends every process of a world, wherever it went.
//!
//! The one rule: a process belongs to a world when its environment names the world's home, and only then.

use crate::ProcessTable;
use crate::environment::HOME_VARIABLE;
use crate::wait::poll;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
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

/// Stops every process of the world, so that none sees another end; says whether all of them stand still.
pub(crate) fn freeze(agency_home: &Path) -> bool {
    let frozen = poll(LIMIT, || {
        let moving: Vec<Pid> = find(agency_home).into_iter().filter(|pid| !is_stopped(*pid)).collect();
        for pid in &moving {
            // It may have ended on its own since it was found.
            let _ = kill_process(*pid, Signal::STOP);
        }
        moving.is_empty().then_some(())
    });
    frozen.is_some()
}

fn is_stopped(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, fields)| fields.starts_with('T'))
}

/// The processes whose environment names that home.
pub(crate) fn find(agency_home: &Path) -> Vec<Pid> {
    ProcessTable::read().carrying(HOME_VARIABLE, agency_home.as_os_str())
}
