//! Finds and ends what an agent left running.
//!
//! A process group is not enough: agents put shells into groups and sessions of their own. While a
//! supervisor lives, the kernel hands it every orphan of its agent; after it died, the run id in
//! the environment tells whose they are.

use std::fs;
use std::time::{Duration, Instant};

use agency_model::RunId;
use rustix::process::{Pid, Signal, WaitOptions, getpid, waitpid};

use super::{INDEPENDENT_VARIABLE, ProcessHandle, RUN_ID_VARIABLE};

/// How long a killed process may take to be gone.
const KILL_LIMIT: Duration = Duration::from_secs(2);
/// How often we look for processes that were started while we ended others.
const ROUNDS: usize = 5;

/// Every process that carries the run's id in its environment, but for ourselves.
#[must_use]
pub fn carrying_run(id: &RunId) -> Vec<ProcessHandle> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return vec![];
    };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
        .filter(|pid| *pid != std::process::id())
        .filter_map(ProcessHandle::open)
        // The handle is opened first: if the pid is reused in between, the handle is of a dead process.
        .filter(|process| process.variable(RUN_ID_VARIABLE).as_deref() == Some(id.as_str()))
        .filter(|process| process.variable(INDEPENDENT_VARIABLE).is_none())
        .filter(ProcessHandle::is_running)
        .collect()
}

/// Our own children that still run, without those that were started to outlive us.
#[must_use]
pub fn left_children() -> Vec<ProcessHandle> {
    child_pids()
        .into_iter()
        .filter_map(ProcessHandle::open)
        .filter(ProcessHandle::is_running)
        .filter(|process| process.variable(INDEPENDENT_VARIABLE).is_none())
        .collect()
}

/// Collects the exit codes of orphans that became our children, all but `own`, which somebody waits for.
pub fn reap_adopted(own: &[u32]) {
    for pid in child_pids().into_iter().filter(|pid| !own.contains(pid)) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            // A child that still runs, or is gone already, needs nothing.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

fn child_pids() -> Vec<u32> {
    let own = getpid().as_raw_nonzero();
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return vec![];
    };
    let lists = threads.filter_map(Result::ok).map(|thread| fs::read_to_string(thread.path().join("children")));
    let mut pids = vec![];
    for list in lists {
        match list {
            Ok(list) => pids.extend(list.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            // A kernel without this file: look at the parent of every process.
            Err(_) => return children_by_parent(own.get().unsigned_abs()),
        }
    }
    pids
}

fn children_by_parent(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return vec![];
    };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()))
        .filter(|pid| parent_of(*pid) == Some(parent))
        .collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything; the fields follow the last one.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Ends processes: TERM, `grace`, KILL. Gives back those that are still there at the end.
fn end_all(processes: Vec<ProcessHandle>, grace: Duration) -> Vec<ProcessHandle> {
    let processes = after_signal(processes, Signal::TERM, grace);
    after_signal(processes, Signal::KILL, KILL_LIMIT)
}

/// Ends every process that carries the run's id, those too that are born meanwhile. Gives back those that stay.
pub fn end_run(id: &RunId, grace: Duration) -> Vec<ProcessHandle> {
    let mut grace = grace;
    for _ in 0..ROUNDS {
        let found = carrying_run(id);
        if found.is_empty() {
            return found;
        }
        end_all(found, grace);
        // Who was born while the others had their grace gets none.
        grace = Duration::ZERO;
    }
    carrying_run(id)
}

fn after_signal(processes: Vec<ProcessHandle>, signal: Signal, limit: Duration) -> Vec<ProcessHandle> {
    for process in &processes {
        process.signal(signal);
    }
    let deadline = Instant::now() + limit;
    processes.into_iter().filter(|process| !process.wait(deadline.saturating_duration_since(Instant::now()))).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use ulid::Ulid;

    #[test]
    fn a_process_is_found_by_the_run_it_carries_and_ended_although_it_ignores_term() {
        let id = RunId::from_ulid(Ulid::generate());
        let mut child = Command::new("sh")
            .args(["-c", "trap '' TERM; echo ready; while :; do sleep 60; done"])
            .env(RUN_ID_VARIABLE, id.as_str())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
        let found = carrying_run(&id);
        assert!(found.iter().any(|process| process.pid() == child.id()));
        assert!(carrying_run(&RunId::from_ulid(Ulid::generate())).is_empty());
        // Its shell starts another sleep as soon as one is ended.
        assert!(end_run(&id, Duration::from_millis(20)).is_empty());
        assert!(!child.wait().unwrap().success());
        assert!(carrying_run(&id).is_empty());
    }
}
