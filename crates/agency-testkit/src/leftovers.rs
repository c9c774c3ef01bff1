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
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// Kills until no process of the world is left; returns those that did not die in time.
pub(crate) fn kill(agency_home: &Path) -> Vec<Pid> {
    let mut left = Vec::new();
    poll(WAIT_LIMIT, || {
        left = find(agency_home);
        for pid in &left {
            // It may have ended on its own since it was found.
            let _ = kill_process(*pid, Signal::KILL);
        }
        left.is_empty().then_some(())
    });
    left
}

/// Stops every process of the world, so that none sees another end; returns whether all of them are stopped.
pub(crate) fn freeze(agency_home: &Path) -> bool {
    let frozen = poll(WAIT_LIMIT, || {
        let found: Vec<Condition> = find(agency_home).into_iter().filter_map(Condition::read).collect();
        let moving: Vec<&Condition> = found.iter().filter(|process| !process.is_still(&found)).collect();
        for process in &moving {
            // It may have ended on its own since it was found.
            let _ = kill_process(process.pid, Signal::STOP);
        }
        moving.is_empty().then_some(())
    });
    frozen.is_some()
}

/// What the kernel says about a process.
struct Condition {
    pid: Pid,
    parent: i32,
    state: char,
}

impl Condition {
    /// Reads it; `None` for a process that is gone.
    fn read(pid: Pid) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut fields = fields.split(' ');
        Some(Self { pid, state: fields.next()?.chars().next()?, parent: fields.next()?.parse().ok()? })
    }

    /// Whether it does nothing until a signal comes. A parent whose child was stopped between vfork and exec waits
    /// for that child in a state in which it cannot be stopped itself.
    fn is_still(&self, all: &[Self]) -> bool {
        let waits_for = |child: &Self| child.parent == self.pid.as_raw_nonzero().get() && child.state == 'T';
        self.state == 'T' || (self.state == 'D' && all.iter().any(waits_for))
    }
}

/// The processes whose environment names that home.
pub(crate) fn find(agency_home: &Path) -> Vec<Pid> {
    ProcessTable::read().carrying(HOME_VARIABLE, agency_home.as_os_str())
}
