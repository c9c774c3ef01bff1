//! Where agents lose their supervisors.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_system::process::{Identity, ProcessHandle};
use agency_testkit::{Process, Repo, Run, World, agent};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// Both hosts.
pub(super) const HOSTS: [&str; 2] = ["tmux", "detached"];

/// A world with a repository and a stubborn agent, in which a stop does not take long.
pub(super) fn world() -> (World, Repo) {
    let world = World::new(env!("CARGO_BIN_EXE_agency"));
    world.configure("\n[limits]\nstop_grace_seconds = 1\n");
    world.agent("stubborn", agent::stubborn());
    let repo = world.repo("project");
    (world, repo)
}

/// Starts an agent that says `ready`.
#[track_caller]
pub(super) fn begin(world: &World, repo: &Repo, agent: &str, host: &str) -> Run {
    let run = world.begin(repo, agent, &["--host", host, "--mode", "headless"]);
    run.wait_for_output("ready");
    run
}

/// Starts an agent, and kills its supervisor.
#[track_caller]
pub(super) fn orphan(world: &World, repo: &Repo, agent: &str, host: &str) -> Run {
    let run = begin(world, repo, agent, host);
    run.kill_supervisor();
    run
}

/// What `agency agent orphans` lists.
#[track_caller]
pub(super) fn orphans(world: &World) -> Vec<Value> {
    let mut answer = world.json(&["agent", "orphans"]);
    let Value::Array(orphans) = answer["data"]["orphans"].take() else { panic!("no list of orphans: {answer:#}") };
    orphans
}

/// The pids that `agency agent orphans` lists.
#[track_caller]
pub(super) fn pids(world: &World) -> Vec<i64> {
    orphans(world).iter().map(|orphan| orphan["pid"].as_i64().unwrap()).collect()
}

/// The pid of a run's agent.
#[track_caller]
pub(super) fn agent_pid(run: &Run) -> i64 {
    run.agent().as_raw_nonzero().get().into()
}

/// The pid file of a run.
pub(super) fn pid_file(world: &World, run: &Run) -> PathBuf {
    world.agency_home().join("pids").join(format!("{}.json", run.id))
}

/// Changes what a JSON file holds.
#[track_caller]
pub(super) fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// A process that has nothing to do with agency.
#[track_caller]
pub(super) fn stranger(world: &World) -> Process {
    world.start(world.program("sleep").arg("3600"))
}

/// Who a process is, as a pid file has it.
#[track_caller]
pub(super) fn identity(pid: u32) -> Value {
    serde_json::to_value(Identity::of(pid).unwrap()).unwrap()
}

/// Kills one process of a run, and waits until it is gone.
#[track_caller]
pub(super) fn kill(pid: Pid) {
    let handle = ProcessHandle::open(pid.as_raw_nonzero().get().unsigned_abs()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    assert!(handle.wait(LIMIT), "{pid:?} does not die");
}

/// What `agency doctor` complains about, with the fix.
#[track_caller]
pub(super) fn complaints(world: &World) -> Vec<(String, String)> {
    let answer = world.json(&["doctor"]);
    let checks = answer["data"]["checks"].as_array().unwrap().iter();
    // The world has no claude on its PATH, and everybody may look into its home.
    let unexcused = checks.filter(|check| !["agent claude_code", "home"].contains(&check["name"].as_str().unwrap()));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let bad = unexcused.filter(|check| check["health"] != "ok");
    bad.map(|check| (text(&check["message"]), text(&check["fix"]))).collect()
}
