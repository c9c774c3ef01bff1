//! Where bad days happen, and what must be true in the evening.

use std::path::Path;
use std::time::Duration;

use agency_testkit::{Repo, Run, World, wait_for};

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// Both hosts.
pub(super) const HOSTS: [&str; 2] = ["tmux", "detached"];

/// Both modes.
pub(super) const MODES: [&str; 2] = ["interactive", "headless"];

/// The options for a host and a mode.
pub(super) fn how<'a>(host: &'a str, mode: &'a str) -> [&'a str; 4] {
    ["--host", host, "--mode", mode]
}

/// A world with a repository, in which a stop does not take long.
pub(super) fn world() -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.configure("\n[limits]\nstop_grace_seconds = 1\n");
    let repo = world.repo("project");
    (world, repo)
}

/// Waits until something is so.
#[track_caller]
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, LIMIT, || is_so().then_some(()));
}

/// What `agency doctor` complains about.
#[track_caller]
pub(super) fn complaints(world: &World) -> Vec<String> {
    let answer = world.json(&["doctor"]);
    let checks = answer["data"]["checks"].as_array().unwrap().iter();
    // The world has no claude on its PATH, and everybody may look into its home.
    let unexcused = checks.filter(|check| !["agent claude_code", "home"].contains(&check["name"].as_str().unwrap()));
    let bad = unexcused.filter(|check| check["health"] != "ok");
    bad.map(|check| check["message"].as_str().unwrap().to_owned()).collect()
}

/// `agency reconcile` and `agency rm` clear everything away, and `agency doctor` has nothing more to say.
#[track_caller]
pub(super) fn clear_away(world: &World, repo: &Repo, runs: &[&Run]) {
    world.ok(&["reconcile"]);
    for run in runs {
        run.wait_until_unsupervised();
        run.wait_until_gone();
        world.ok(&["rm", "--delete-branch", "--force", &run.id]);
        assert!(!world.tmux_sessions().contains(&format!("agency_{}", run.id)));
    }
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    assert_eq!(complaints(world), Vec::<String>::new());
}

/// Nothing is there of a run that was taken back but its row.
#[track_caller]
pub(super) fn nothing_was_left(world: &World, repo: &Repo) {
    let ours: Vec<String> = world.tmux_sessions().into_iter().filter(|name| name.starts_with("agency_")).collect();
    assert_eq!(ours, Vec::<String>::new());
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    for run in world.runs() {
        run.wait_until_gone();
        assert!(!run.is_supervised());
    }
    assert_eq!(complaints(world), Vec::<String>::new());
}
