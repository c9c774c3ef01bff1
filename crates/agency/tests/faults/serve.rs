//! `agency serve` helps, and nothing depends on it.

use std::os::unix::process::ExitStatusExt;

use agency_testkit::{Process, World, agent};
use rustix::process::Signal;

use super::fixture::{HOSTS, clear_away, complaints, until, world};

fn serve(world: &World) -> Process {
    let server = world.spawn(&["serve"]);
    until("agency serve", || server.stderr().contains("watching"));
    server
}

// proves L22
#[test]
fn serve_finishes_the_story_of_a_run_whose_supervisor_is_killed() {
    for host in HOSTS {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let before = world.begin(&repo, "waiting", &["--host", host]);
        let server = serve(&world);
        let after = world.begin(&repo, "waiting", &["--host", host]);
        for run in [&before, &after] {
            run.wait_for_output("ready");
            run.kill_supervisor();
            // No other command runs, so nobody else can have done it.
            until("word of the end", || server.stderr().contains(&format!("{}  running → failed", run.id)));
            assert_eq!(run.events().last().unwrap()["type"], "completed");
        }
        assert_eq!(world.show(&after)["state"], "failed");
        server.signal(Signal::TERM);
        let output = server.wait();
        assert!(output.status.success(), "{output}");
        clear_away(&world, &repo, &[&before, &after]);
    }
}

#[test]
fn a_serve_that_is_killed_harms_no_run() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let server = serve(&world);
    let run = world.begin(&repo, "waiting", &["--host", "detached"]);
    run.wait_for_output("ready");
    server.signal(Signal::KILL);
    assert_eq!(server.wait().status.signal(), Some(9));
    assert_eq!(world.show(&run)["state"], "running");
    world.release("waiting");
    assert_eq!(world.ended(&run)["state"], "completed");
    clear_away(&world, &repo, &[&run]);
}

#[test]
fn serve_ends_cleanly_when_it_is_asked_to_and_says_what_it_did() {
    let (world, _) = world();
    for signal in [Signal::TERM, Signal::INT] {
        let server = world.spawn(&["serve", "--json"]);
        let signals = format!("/proc/{}/status", server.id());
        // It watches from the moment it listens for signals on.
        until("a caught signal", || {
            let status = std::fs::read_to_string(&signals).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << (signal.as_raw() - 1)) != 0
        });
        server.signal(signal);
        let output = server.wait();
        assert!(output.status.success(), "{output}");
        assert_eq!(output.object()["data"]["reconciled"], 0);
    }
}

// proves L22
#[test]
fn a_session_without_a_run_is_reported_and_never_touched() {
    let (world, _) = world();
    let orphan = "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for name in [orphan, "agency_of_the_user", "mine"] {
        world.tmux(&["new-session", "-d", "-s", name, "--", "sleep", "3600"]);
    }
    let found = world.json(&["reconcile"])["data"]["found"].take();
    assert_eq!(found["sessions"], serde_json::json!([orphan]));
    let said = complaints(&world);
    assert_eq!(said, [format!("{orphan} belongs to no run")]);
    let server = serve(&world);
    server.signal(Signal::TERM);
    assert!(server.wait().status.success());
    assert_eq!(world.tmux_sessions(), ["agency_of_the_user", orphan, "mine"]);
}
