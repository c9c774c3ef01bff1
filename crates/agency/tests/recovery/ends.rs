//! Ends that were half recorded are completed.

use std::fs;

use agency_testkit::{Run, World, agent};
use serde_json::Value;

use super::fixture::{DETACHED, complaints, world};

/// The snapshot of a run's row.
fn snapshot(run: &Run) -> Value {
    serde_json::from_slice(&fs::read(run.file("meta.json")).unwrap()).unwrap()
}

/// A run whose supervisor was killed.
fn dead_run(world: &World) -> Run {
    let repo = world.repo("project-2");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &DETACHED);
    run.wait_for_output("ready");
    run.kill_supervisor();
    world.release("waiting");
    run.wait_until_gone();
    run
}

#[test]
fn what_a_reconciler_that_was_killed_after_the_row_left_is_completed_by_the_next_command() {
    for next in [&["ls"][..], &["reconcile"]] {
        let (world, _) = world();
        let run = dead_run(&world);
        let output = world.run(world.command(&["ls"]).env("AGENCY_FAULT_POINT", "reconcile.settled"));
        assert!(!output.status.success(), "{output}");
        assert_eq!(snapshot(&run)["state"], "running", "the files do not record the end yet");
        world.ok(next);
        assert_eq!(snapshot(&run)["state"], "failed");
        assert_eq!(run.events().last().unwrap()["type"], "completed");
        let events = run.events().len();
        world.ok(next);
        assert_eq!(run.events().len(), events, "the end is told once");
        assert_eq!(complaints(&world), []);
    }
}

/// An earlier version noted nowhere that the files are incomplete.
#[test]
fn files_that_an_earlier_version_left_incomplete_are_completed_by_reconcile() {
    let (world, _) = world();
    let run = dead_run(&world);
    let before = fs::read(run.file("meta.json")).unwrap();
    let events = fs::read(run.file("events.ndjson")).unwrap();
    world.ok(&["ls"]);
    fs::write(run.file("meta.json"), before).unwrap();
    fs::write(run.file("events.ndjson"), events).unwrap();
    let plan = world.json(&["reconcile", "--dry-run"])["data"]["completed"].take();
    assert_eq!(plan, serde_json::json!([run.id]));
    world.ok(&["reconcile"]);
    assert_eq!(snapshot(&run)["state"], "failed");
    assert_eq!(run.events().last().unwrap()["type"], "completed");
    assert_eq!(world.json(&["reconcile"])["data"]["completed"], serde_json::json!([]));
}

#[test]
fn a_run_with_an_exit_code_and_no_done_file_has_an_error_that_says_so() {
    for (code, state) in [(0, "completed"), (7, "failed")] {
        let (world, repo) = world();
        world.agent("ending", format!("exit {code}"));
        let mut command = world.run_command(&repo, "ending", &DETACHED);
        let answer = world.run(command.arg("--json").env("AGENCY_FAULT_POINT", "finish.exit_code")).object();
        let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
        run.wait_until_unsupervised();
        assert!(run.file("exit_code.txt").exists() && !run.file("done.json").exists());
        let row = world.show(&run);
        assert_eq!((&row["state"], &row["exit_code"]), (&state.into(), &code.into()));
        let error = row["error"].as_str().unwrap();
        assert!(error.contains("done.json") && error.contains(&format!("code {code}")), "{error}");
        assert_eq!(error.starts_with("E_RUN_FAILED"), code != 0, "{error}");
    }
}
