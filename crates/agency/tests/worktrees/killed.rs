//! A supervisor is killed at each step of a setup, and `rm` at that of a teardown: nothing is lost, and a run that
//! continues is set up.
#![cfg(feature = "fault-points")]

use std::fs;

use agency_system::fault::POINTS;

use super::{finished, propose, worktree, world};

const TEXT: &str = "[worktree]\ncopy = [\".env\"]\nlink = [\"data\"]\nsetup = [\"echo made >>built\"]\n";
const STEPS: [&str; 5] = ["setup.copied", "setup.linked", "setup.command", "setup.executed", "setup.done"];

#[test]
fn a_run_whose_supervisor_is_killed_in_the_setup_fails_and_the_next_one_is_set_up() {
    let (world, repo) = world();
    repo.write(".env", "secret");
    repo.write("data/x", "x");
    propose(&world, &repo, TEXT);
    let witness = world.root().join("witness");
    for step in STEPS {
        let mut killed = world.run_command(&repo, "looker", &["--host", "detached", "--mode", "headless", "--json"]);
        killed.env("AGENCY_FAULT_POINT", step).env("AGENCY_FAULT_WITNESS", &witness);
        // The supervisor may die before or after it reports.
        let answer = world.run(&mut killed);
        let run = world.runs().pop().unwrap();
        run.wait_until_unsupervised();
        world.ok(&["reconcile"]);
        let shown = world.show(&run);
        assert_eq!(shown["state"], "failed", "{step}: {answer}");
        let state: serde_json::Value = serde_json::from_slice(&fs::read(run.file("setup.json")).unwrap()).unwrap();
        assert_eq!(state["done"], step == "setup.done", "{step}");
        let worktree = worktree(&world, &run);
        // A copy is whole or not there.
        let copy = fs::read_to_string(worktree.join(".env"));
        assert!(copy.is_err() || copy.unwrap() == "secret", "{step}");
        world.ok(&["rm", &run.id]);
        assert!(!worktree.exists(), "{step}");
        assert_eq!(fs::read_to_string(repo.path.join("data/x")).unwrap(), "x", "{step}");
        finished(&world, &repo, "looker");
    }
    let seen = fs::read_to_string(&witness).unwrap();
    let of_setup = POINTS.iter().filter(|point| point.starts_with("setup.") && **point != "setup.torn_down");
    assert!(of_setup.copied().all(|point| seen.contains(point)), "{seen}");
}

#[test]
fn a_removal_that_is_killed_after_the_teardown_is_repeated() {
    let (world, repo) = world();
    world.agent("writer", "echo work >work.txt");
    propose(&world, &repo, "[worktree]\nteardown = [\"echo torn >>\\\"$AGENCY_RUN_DIR/torn\\\"\"]\n");
    let run = finished(&world, &repo, "writer");
    let mut killed = world.command(&["rm", &run.id]);
    killed.env("AGENCY_FAULT_POINT", "setup.torn_down");
    assert_eq!(world.run(&mut killed).status.code(), None);
    assert!(worktree(&world, &run).join("work.txt").exists());
    let removed = world.json(&["rm", &run.id])["data"].take();
    assert!(removed["saved_ref"].is_string(), "{removed}");
    assert_eq!(fs::read_to_string(run.file("torn")).unwrap(), "torn\ntorn\n");
}
