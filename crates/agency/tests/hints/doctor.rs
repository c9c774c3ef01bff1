//! The fixes of `agency doctor`, each followed where it is printed.

use std::fs;
use std::path::Path;

use agency_testkit::{Repo, Run, World, agent};
use serde_json::Value;

use super::work::{Everything, follow};

/// A world with a finished run that left work which is not committed.
fn place() -> (World, Repo, Run) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.configure("\n[limits]\nstop_grace_seconds = 1\n");
    let repo = world.repo("project");
    world.agent("worker", "echo committed > a.txt; git add .; git commit -qm a; echo loose > b.txt");
    let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    run.wait_until_unsupervised();
    (world, repo, run)
}

/// The checks of doctor with this name that are not fine, as message and fix.
#[track_caller]
fn complaints(world: &World, name: &str) -> Vec<(String, String)> {
    let checks = world.agency(&["doctor", "--json"]).object()["data"]["checks"].take();
    let bad = checks.as_array().unwrap().iter().filter(|check| check["health"] != "ok" && check["name"] == name);
    let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
    bad.map(|check| (text(check, "message"), text(check, "fix"))).collect()
}

/// The only fix for a problem.
#[track_caller]
fn fix(world: &World, name: &str) -> String {
    let found = complaints(world, name);
    let [(_, fix)] = found.as_slice() else { panic!("{name}: {found:?}") };
    fix.clone()
}

/// The command after the explanation in a fix.
fn command_of(fix: &str) -> &str {
    fix.split_once(": ").map_or(fix, |(_, command)| command)
}

#[test]
fn a_damaged_database_is_moved_aside_and_rebuilt() {
    let (world, repo, run) = place();
    let shown = world.json(&["show", &run.id])["data"].take();
    let path = world.agency_home().join("agency.db");
    // As long as everything is in the log, too, no damage of the file is seen.
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    fs::write(&path, vec![0x5a; 8192]).unwrap();
    let before = Everything::of(&world);
    let fix = fix(&world, "database");
    let (command, _) = fix.split_once(", which").unwrap();
    follow(&world, &repo, command);
    before.is_nowhere_lost(&world, &["events.ndjson"]);
    assert_eq!(complaints(&world, "database"), []);
    assert_eq!(world.json(&["show", &run.id])["data"], shown);
}

#[test]
fn a_worktree_without_a_run_is_moved_aside_even_if_one_of_that_name_is_kept_already() {
    let (world, repo, run) = place();
    let worktree = world.json(&["show", &run.id])["data"]["worktree_path"].as_str().unwrap().to_owned();
    repo.git(&["init", "-q", &format!("{worktree}/inner")]);
    world.ok(&["rm", "--force", &run.id]);
    assert!(world.agency_home().join("kept").join(&run.id).exists());
    for content in ["precious\n", "precious, too\n"] {
        fs::create_dir_all(&worktree).unwrap();
        fs::write(format!("{worktree}/late.txt"), content).unwrap();
        let before = Everything::of(&world);
        follow(&world, &repo, command_of(&fix(&world, "worktrees")));
        before.is_nowhere_lost(&world, &[]);
        assert_eq!(complaints(&world, "worktrees"), []);
    }
}

#[test]
fn a_pid_file_that_cannot_be_used_is_moved_aside_whatever_it_is() {
    let (world, repo, run) = place();
    let directory = world.agency_home().join("pids");
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(format!("{}.json", run.id));
    for content in ["somebody's notes\n", "more of them\n"] {
        fs::write(&path, content).unwrap();
        let before = Everything::of(&world);
        follow(&world, &repo, command_of(&fix(&world, "pid files")));
        before.is_nowhere_lost(&world, &[]);
        assert_eq!(complaints(&world, "pid files"), []);
    }
}

#[test]
fn a_run_directory_that_tells_too_little_is_moved_aside() {
    let (world, repo, _) = place();
    let directory = world.agency_home().join("runs/r_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    fs::create_dir_all(directory.join("logs")).unwrap();
    fs::write(directory.join("logs/runner.stdout.log"), "what the agent said\n").unwrap();
    let before = Everything::of(&world);
    let found = complaints(&world, "runs");
    let [(message, fix)] = found.as_slice() else { panic!("{found:?}") };
    assert!(message.contains("has no row and not enough files"), "{message}");
    follow(&world, &repo, command_of(fix));
    before.is_nowhere_lost(&world, &[]);
    assert_eq!(complaints(&world, "runs"), []);
}

#[test]
fn a_session_of_this_home_without_a_run_is_ended() {
    let (world, repo, _) = place();
    let session = "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FA0";
    // Another session keeps the server.
    for name in [session, "of-a-person"] {
        world.tmux(&["new-session", "-d", "-s", name, "cat"]);
    }
    world.tmux(&["set-option", "-t", session, "@agency_home", world.agency_home().to_str().unwrap()]);
    let before = Everything::of(&world);
    follow(&world, &repo, &fix(&world, "sessions"));
    before.is_nowhere_lost(&world, &[]);
    assert_eq!(complaints(&world, "sessions"), []);
    assert_eq!(world.tmux_sessions(), ["of-a-person"]);
}

#[test]
fn an_orphan_is_ended_by_either_command() {
    for by_reconcile in [false, true] {
        let (world, repo, _) = place();
        world.agent("stubborn", agent::stubborn());
        let run = world.begin(&repo, "stubborn", &["--host", "detached", "--mode", "headless"]);
        run.wait_for_output("ready");
        let worktree = world.json(&["show", &run.id])["data"]["worktree_path"].as_str().unwrap().to_owned();
        fs::write(format!("{worktree}/loose.txt"), "loose\n").unwrap();
        run.kill_supervisor();
        let before = Everything::of(&world).without("pids").without("meta.json").without("agency.db");
        let fix = fix(&world, "processes");
        let (kill, reconcile) = fix.split_once(", or ").unwrap();
        assert!(reconcile.starts_with("agency reconcile "), "{fix}");
        follow(&world, &repo, if by_reconcile { "agency reconcile" } else { kill });
        assert!(run.processes().is_empty());
        before.is_nowhere_lost(&world, &["events.ndjson"]);
        assert_eq!(complaints(&world, "processes"), []);
    }
}
