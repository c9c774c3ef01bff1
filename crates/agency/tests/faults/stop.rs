//! `agency stop` ends one run.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::agent;
use rustix::process::{Signal, kill_process};

use super::fixture::{HOSTS, clear_away, world};

// proves L16, L21
#[test]
fn stop_ends_one_run_keeps_its_worktree_and_touches_no_other() {
    for host in HOSTS {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let [first, second] = [(); 2].map(|()| world.begin(&repo, "waiting", &["--host", host]));
        for run in [&first, &second] {
            run.wait_for_output("ready");
        }
        let worktree = world.show(&first)["worktree_path"].as_str().unwrap().to_owned();
        fs::write(format!("{worktree}/work.txt"), "half done\n").unwrap();
        let stopped = world.json(&["stop", &first.id])["data"].take();
        assert_eq!((&stopped["state"], &stopped["reason"]), (&"killed".into(), &"stopped".into()));
        assert_eq!(stopped["signal"], 15, "{stopped:#}");
        first.wait_until_gone();
        assert_eq!(fs::read_to_string(format!("{worktree}/work.txt")).unwrap(), "half done\n");
        assert!(repo.worktrees().contains(&worktree.into()));

        assert_eq!(world.show(&second)["state"], "running");
        assert!(second.processes().contains(&second.agent()));
        world.release("waiting");
        assert_eq!(world.ended(&second)["state"], "completed");
        assert_eq!(second.log("runner.stdout.log"), b"ready\nreleased\n");
        clear_away(&world, &repo, &[&first, &second]);
    }
}

// proves L16, L18
#[test]
fn a_run_that_is_over_cannot_be_stopped() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("failing", agent::failing(1));
    world.agent("waiting", agent::waiting());
    let completed = world.begin(&repo, "quiet", &["--host", "detached"]);
    let failed = world.begin(&repo, "failing", &["--host", "detached"]);
    let killed = world.begin(&repo, "waiting", &["--host", "detached"]);
    world.ended(&completed);
    world.ended(&failed);
    world.ok(&["stop", &killed.id]);
    for (run, state) in [(&completed, "completed"), (&failed, "failed"), (&killed, "killed")] {
        let error = world.error(&["stop", &run.id], ErrorCode::InvalidState);
        assert!(error["message"].as_str().unwrap().contains(state), "{error:#}");
        assert_eq!(world.show(run)["state"], state);
    }
    clear_away(&world, &repo, &[&completed, &failed, &killed]);
}

// proves L16
#[test]
fn a_run_that_waits_for_a_slot_can_be_stopped_and_never_begins() {
    for host in HOSTS {
        let (world, repo) = world();
        world.set("max_agents", "1");
        world.agent("waiting", agent::waiting());
        let busy = world.begin(&repo, "waiting", &["--host", host]);
        let queued = world.begin(&repo, "waiting", &["--host", host]);
        assert_eq!(world.show(&queued)["state"], "queued");
        let stopped = world.json(&["stop", &queued.id])["data"].take();
        assert_eq!((&stopped["state"], &stopped["reason"]), (&"killed".into(), &"stopped".into()));
        assert!(stopped["started_at"].is_null(), "{stopped:#}");
        // Who stops a run finds its story told.
        assert!(!queued.is_supervised() && queued.file("done.json").exists());
        assert_eq!(queued.log("runner.log"), b"");
        assert_eq!(queued.events().last().unwrap()["type"], "completed");
        assert_eq!(world.show(&busy)["state"], "running");
        world.release("waiting");
        assert_eq!(world.ended(&busy)["state"], "completed");
        clear_away(&world, &repo, &[&busy, &queued]);
    }
}

// TERM and INT to a supervisor are a stop; a hangup, which tmux sends when a pane goes away, is none.
#[test]
fn a_supervisor_stops_its_run_at_term_and_int_and_not_at_a_hangup() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let [survivor, first, second] = [(); 3].map(|()| world.begin(&repo, "waiting", &["--host", "detached"]));
    for run in [&survivor, &first, &second] {
        run.wait_for_output("ready");
    }
    kill_process(survivor.supervisor(), Signal::HUP).unwrap();
    for (run, signal) in [(&first, Signal::TERM), (&second, Signal::INT)] {
        kill_process(run.supervisor(), signal).unwrap();
        let ended = world.ended(run);
        assert_eq!(ended["state"], "killed", "{signal:?}: {ended:#}");
    }
    world.release("waiting");
    assert_eq!(world.ended(&survivor)["state"], "completed");
    clear_away(&world, &repo, &[&survivor, &first, &second]);
}
