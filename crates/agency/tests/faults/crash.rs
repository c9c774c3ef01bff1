//! Processes are killed, one or all.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::agent;

use super::fixture::{HOSTS, clear_away, complaints, how, world};

// proves L22
#[test]
fn a_run_whose_supervisor_is_killed_has_failed_and_reconcile_ends_its_agent() {
    for host in HOSTS {
        let (world, repo) = world();
        world.agent("stubborn", agent::stubborn());
        let run = world.begin(&repo, "stubborn", &how(host, "interactive"));
        run.wait_for_output("ready");
        run.kill_supervisor();
        assert!(complaints(&world)[0].contains("left no exit marker"), "{:?}", complaints(&world));
        let row = world.show(&run);
        assert_eq!((&row["state"], &row["reason"]), (&"failed".into(), &"disappeared".into()));
        assert!(row["exit_code"].is_null() && row["signal"].is_null(), "{row:#}");
        assert!(row["error"].as_str().unwrap().starts_with("E_RUNNER_DISAPPEARED"), "{row:#}");
        assert!(!run.processes().is_empty(), "the agent ignores the loss of its terminal");
        assert!(complaints(&world).iter().all(|said| said.contains(&run.id) && said.contains("still runs")));
        let swept = world.json(&["reconcile"])["data"]["swept"].to_string();
        assert!(swept.contains(&format!("of {}", run.id)), "{swept}");
        assert!(run.processes().is_empty());
        assert_eq!(run.log("runner.stdout.log"), b"ready\n");
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L22
#[test]
fn a_run_whose_supervisor_is_killed_after_its_marker_has_the_state_that_the_marker_says() {
    let (world, repo) = world();
    world.agent("failing", agent::failing(7));
    let mut command = world.run_command(&repo, "failing", &how("detached", "headless"));
    command.args(["--json"]).env("AGENCY_FAULT_POINT", "finish.marked");
    let answer = world.run(&mut command).object();
    let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
    run.wait_until_unsupervised();
    assert!(run.file("done.json").exists());
    let row = world.show(&run);
    assert_eq!((&row["state"], &row["exit_code"]), (&"failed".into(), &7.into()));
    assert_eq!(row["reason"], "exited");
    assert!(row["error"].as_str().unwrap().starts_with("E_RUN_FAILED"), "{row:#}");
    assert_eq!(run.log("runner.stderr.log"), b"something broke\n");
    clear_away(&world, &repo, &[&run]);
}

// proves L22
#[test]
fn after_a_reboot_every_run_has_a_clear_state() {
    let (world, repo) = world();
    world.set("max_agents", "2");
    world.agent("quiet", agent::quiet());
    world.agent("waiting", agent::waiting());
    let done = world.begin(&repo, "quiet", &["--host", "tmux"]);
    world.ended(&done);
    done.wait_until_unsupervised();
    let in_tmux = world.begin(&repo, "waiting", &["--host", "tmux"]);
    let detached = world.begin(&repo, "waiting", &["--host", "detached"]);
    let queued = world.begin(&repo, "waiting", &["--host", "tmux"]);
    in_tmux.wait_for_output("ready");
    detached.wait_for_output("ready");
    assert_eq!(world.show(&queued)["state"], "queued");
    let worktree = world.show(&detached)["worktree_path"].as_str().unwrap().to_owned();
    fs::write(format!("{worktree}/work.txt"), "precious\n").unwrap();
    world.kill_everything();
    // The kernel lets go of a lock a moment after a process can no longer be seen.
    for run in [&in_tmux, &detached, &queued] {
        run.wait_until_unsupervised();
    }

    let reconciled = world.json(&["reconcile"])["data"]["runs"].take();
    assert_eq!(reconciled.as_array().unwrap().len(), 3, "{reconciled:#}");
    assert_eq!(world.show(&done)["state"], "completed");
    for run in [&in_tmux, &detached, &queued] {
        let row = world.show(run);
        assert_eq!((&row["state"], &row["exit_code"]), (&"failed".into(), &().into()));
        assert!(row["error"].as_str().unwrap().starts_with("E_RUNNER_DISAPPEARED"), "{row:#}");
        assert_eq!(run.events().last().unwrap()["type"], "completed");
    }
    world.error(&["attach", &in_tmux.id], ErrorCode::TmuxSessionNotFound);
    assert_eq!(complaints(&world), Vec::<String>::new());
    assert_eq!(fs::read_to_string(format!("{worktree}/work.txt")).unwrap(), "precious\n");
    assert_eq!(in_tmux.log("runner.log"), b"ready\n");
    // Only then: who removes something now loses nothing.
    world.ok(&["rm", &detached.id]);
    let saved = format!("refs/agency/saved/{}:work.txt", detached.id);
    assert_eq!(repo.git(&["cat-file", "-p", &saved]), "precious");
    repo.git(&["branch", "-D", &format!("agency/{}", detached.id)]);
    clear_away(&world, &repo, &[&done, &in_tmux, &queued]);
}
