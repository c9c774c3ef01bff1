//! Finds and ends what an agent left running.
//!
//! A process group is not enough: agents put shells into groups and sessions of their own. While a
//! supervisor runs, the kernel hands it every orphan of its agent; after it died, the run id in
//! the environment identifies them.

use std::fs;
use std::time::{Duration, Instant};

use agency_model::RunId;
use rustix::process::{Pid, Signal, WaitOptions, getpid, waitpid};

use super::stat::Stat;
use super::{INDEPENDENT_VARIABLE, ProcessHandle, RUN_ID_VARIABLE};

/// How long a killed process may take to be gone.
const KILL_LIMIT: Duration = Duration::from_secs(2);
/// How often processes are listed that were started while others were ended.
const MAX_ROUNDS: usize = 5;

/// Every process that carries the id of a run in its environment, with that id, but for ourselves.
#[must_use]
pub fn carriers() -> Vec<(RunId, ProcessHandle)> {
    pids()
        .into_iter()
        .filter(|pid| *pid != std::process::id())
        .filter_map(ProcessHandle::open)
        // The handle is opened first: if the pid is reused in between, the handle is of a dead process.
        .filter_map(|process| Some((process.variable(RUN_ID_VARIABLE)?.parse().ok()?, process)))
        .filter(|(_, process)| process.variable(INDEPENDENT_VARIABLE).is_none())
        .filter(|(_, process)| process.is_running())
        .collect()
}

/// Every process that carries the run's id in its environment, but for ourselves.
#[must_use]
pub fn processes_of_run(id: &RunId) -> Vec<ProcessHandle> {
    carriers().into_iter().filter(|(carried, _)| carried == id).map(|(_, process)| process).collect()
}

/// Every process of a run whose supervisor is gone: the agent, where it is known, then those that carry the run's id,
/// the oldest first, then what any of them is the parent of, or leads the session of, and that does not say whose it is.
#[must_use]
pub fn of_run(id: &RunId, agent: Option<ProcessHandle>, carrying: Vec<ProcessHandle>) -> Vec<ProcessHandle> {
    let mut found: Vec<ProcessHandle> = agent.into_iter().collect();
    let mut carrying = carrying;
    carrying.sort_by_key(|process| (Stat::read(process.pid()).map_or(u64::MAX, |stat| stat.started), process.pid()));
    join(&mut found, carrying);
    let everybody: Vec<(u32, Stat)> = pids().into_iter().filter_map(|pid| Some((pid, Stat::read(pid).ok()?))).collect();
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let started = everybody
            .iter()
            .filter(|(pid, stat)| *pid != std::process::id() && stat.is_under(parent.pid()))
            .filter_map(|(pid, _)| ProcessHandle::open(*pid))
            .filter(|process| is_of_run_by(process, parent, id))
            .collect();
        join(&mut found, started);
        next += 1;
    }
    found.retain(ProcessHandle::is_running);
    found
}

/// Every process of a session whose leader has exited and was reaped, but for those that are meant to outlive it.
#[must_use]
pub fn of_session(leader: u32) -> Vec<ProcessHandle> {
    // The number of a session is given to no other process before the session is empty.
    if Stat::read(leader).is_ok() {
        return vec![];
    }
    pids()
        .into_iter()
        .filter(|pid| *pid != std::process::id())
        .filter_map(ProcessHandle::open)
        .filter(|process| Stat::read(process.pid()).is_ok_and(|stat| stat.session == leader))
        .filter(|process| process.variable(INDEPENDENT_VARIABLE).is_none() && process.is_running())
        .collect()
}

/// Whether one of the run is above a process that is neither another run's nor meant to outlive it.
fn is_of_run_by(process: &ProcessHandle, parent: &ProcessHandle, id: &RunId) -> bool {
    let is_ours = process.variable(RUN_ID_VARIABLE).is_none_or(|carried| carried == id.as_str());
    // Both are looked at once more: as long as they run, what was read was about them.
    is_ours
        && Stat::read(process.pid()).is_ok_and(|stat| stat.is_under(parent.pid()))
        && process.variable(INDEPENDENT_VARIABLE).is_none()
        && process.is_running()
        && parent.is_running()
}

/// Ends every process that carries a variable with such a value, those too that are born meanwhile.
pub fn kill_by_env(name: &str, fits: impl Fn(&str) -> bool, grace: Duration) {
    end_found(grace, || {
        pids()
            .into_iter()
            .filter(|pid| *pid != std::process::id())
            .filter_map(ProcessHandle::open)
            .filter(|process| process.variable(name).is_some_and(|value| fits(&value)))
            .filter(ProcessHandle::is_running)
            .collect()
    });
}

/// Our own children that still run, without those that were started to outlive us, and without what is in our own
/// session: agents have others, and a thread of ours waits for the git that it started.
#[must_use]
pub fn left_children() -> Vec<ProcessHandle> {
    let Ok(Stat { session, .. }) = Stat::read(std::process::id()) else { return vec![] };
    child_pids()
        .into_iter()
        .filter(|pid| Stat::read(*pid).is_ok_and(|stat| stat.session != session))
        .filter_map(ProcessHandle::open)
        .filter(ProcessHandle::is_running)
        .filter(|process| process.variable(INDEPENDENT_VARIABLE).is_none())
        .collect()
}

/// Reaps orphans that became our children, all but `own`, which other code waits for, and what is in our own session.
pub fn reap_adopted(own: &[u32]) {
    let Ok(Stat { session, .. }) = Stat::read(std::process::id()) else { return };
    let is_adopted = |pid: &u32| !own.contains(pid) && Stat::read(*pid).is_ok_and(|stat| stat.session != session);
    for pid in child_pids().into_iter().filter(is_adopted) {
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
    pids().into_iter().filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    Stat::read(pid).ok().map(|stat| stat.parent)
}

fn pids() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok())).collect()
}

/// Ends processes: TERM, `grace`, KILL. Gives back those that are still there at the end.
fn end_all(processes: Vec<ProcessHandle>, grace: Duration) -> Vec<ProcessHandle> {
    let processes = after_signal(processes, Signal::TERM, grace);
    after_signal(processes, Signal::KILL, KILL_LIMIT)
}

/// Ends every process that carries the run's id, those too that are born meanwhile. Gives back those that stay.
pub fn end_run(id: &RunId, grace: Duration) -> Vec<ProcessHandle> {
    end_found(grace, || processes_of_run(id))
}

/// Ends the processes that are found, and those that are found when they are ended. Gives back those that stay.
pub fn end_found(grace: Duration, mut find: impl FnMut() -> Vec<ProcessHandle>) -> Vec<ProcessHandle> {
    let mut grace = grace;
    let mut staying: Vec<ProcessHandle> = vec![];
    for _ in 0..MAX_ROUNDS {
        staying.retain(ProcessHandle::is_running);
        join(&mut staying, find());
        if staying.is_empty() {
            return staying;
        }
        staying = end_all(staying, grace);
        // A process that was started during the grace period of the others gets none.
        grace = Duration::ZERO;
    }
    join(&mut staying, find());
    staying.retain(ProcessHandle::is_running);
    staying
}

/// Adds those that are not among them yet.
fn join(processes: &mut Vec<ProcessHandle>, more: Vec<ProcessHandle>) {
    for process in more {
        if processes.iter().all(|known| known.pid() != process.pid()) {
            processes.push(process);
        }
    }
}

fn after_signal(processes: Vec<ProcessHandle>, signal: Signal, limit: Duration) -> Vec<ProcessHandle> {
    for process in &processes {
        process.signal(signal);
        // A stopped process does not see the signal before it continues.
        process.signal(Signal::CONT);
    }
    let deadline = Instant::now() + limit;
    processes.into_iter().filter(|process| !process.wait(deadline.saturating_duration_since(Instant::now()))).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::in_new_session;
    use super::*;
    use ulid::Ulid;

    #[test]
    fn a_child_that_a_thread_of_ours_waits_for_is_not_reaped_and_one_of_another_session_is() {
        let has_exited = |pid: u32| Stat::read(pid).is_ok_and(|stat| stat.state == 'Z');
        let mut ours = Command::new("sh").args(["-c", "exit 3"]).spawn().unwrap();
        let mut other = in_new_session(&mut Command::new("sh")).args(["-c", "exit 4"]).spawn().unwrap();
        while !has_exited(ours.id()) || !has_exited(other.id()) {
            std::thread::yield_now();
        }
        reap_adopted(&[other.id()]);
        assert!(has_exited(other.id()), "it is one of those that other code waits for");
        reap_adopted(&[]);
        assert_eq!(ours.wait().unwrap().code(), Some(3));
        assert!(other.wait().is_err());
    }

    #[test]
    fn what_a_thread_of_ours_started_is_not_left_by_an_agent() {
        let mut ours = Command::new("sleep").arg("604").spawn().unwrap();
        let mut agents = in_new_session(&mut Command::new("sleep")).arg("605").spawn().unwrap();
        let left: Vec<u32> = left_children().iter().map(ProcessHandle::pid).collect();
        assert!(left.contains(&agents.id()) && !left.contains(&ours.id()), "{left:?}");
        for child in [&mut ours, &mut agents] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

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
        let found = processes_of_run(&id);
        assert!(found.iter().any(|process| process.pid() == child.id()));
        assert!(processes_of_run(&RunId::from_ulid(Ulid::generate())).is_empty());
        // Its shell starts another sleep as soon as one is ended.
        assert!(end_run(&id, Duration::from_millis(20)).is_empty());
        assert!(!child.wait().unwrap().success());
        assert!(processes_of_run(&id).is_empty());
    }

    #[test]
    fn what_a_process_of_the_run_started_without_a_name_is_of_the_run_and_what_is_meant_to_outlive_it_is_not() {
        let id = RunId::from_ulid(Ulid::generate());
        let script = "env -i sleep 600 & (env -i sleep 603 &) ; AGENCY_INDEPENDENT=1 sleep 601 & \
                      AGENCY_RUN_ID=r_01ARZ3NDEKTSV4RRFFQ69G5FAV sleep 602 & echo $!; wait";
        let mut child = in_new_session(&mut Command::new("sh"))
            .args(["-c", script])
            .env(RUN_ID_VARIABLE, id.as_str())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 1];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let in_session =
            || pids().into_iter().filter(|pid| Stat::read(*pid).is_ok_and(|stat| stat.session == child.id()));
        let is_asleep = |pid: &u32| fs::read(format!("/proc/{pid}/comm")).is_ok_and(|name| name == b"sleep\n");
        while in_session().filter(is_asleep).count() < 4 {
            std::thread::yield_now();
        }
        let own: Vec<u32> = in_session().collect();
        let mut found: Vec<String> =
            of_run(&id, None, processes_of_run(&id)).iter().map(ProcessHandle::command_line).collect();
        assert!(found.remove(0).starts_with("sh -c"), "{found:?}");
        found.sort();
        assert_eq!(found, ["sleep 600", "sleep 603"]);
        assert!(end_found(Duration::from_secs(30), || of_run(&id, None, processes_of_run(&id))).is_empty());
        let others: Vec<ProcessHandle> = own.into_iter().filter_map(ProcessHandle::open).collect();
        let mut left: Vec<String> = others.iter().map(ProcessHandle::command_line).collect();
        left.retain(|line| !line.is_empty());
        assert_eq!(left.len(), 2, "{left:?}");
        after_signal(others, Signal::KILL, KILL_LIMIT);
        child.wait().unwrap();
    }
}
