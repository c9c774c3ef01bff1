//! `agency gc` is killed at each of its steps and repeated, and two of them work at once.

use std::collections::BTreeSet;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_system::fault::POINTS;
use agency_system::lock::Lock;
use rustix::process::Signal;

use super::{AT_ONCE, COMMIT, finished, gc, is_kept, is_removed, world};

/// The steps of the removal of a worktree that has nothing to save.
const STEPS: [&str; 11] = [
    "gc.checked",
    "rm.begin",
    "rm.processes",
    "worktree.files-saved",
    "worktree.saved",
    "worktree.trashed",
    "worktree.unregistered",
    "worktree.checkpoints-deleted",
    "rm.workspace",
    "rm.marked",
    "gc.removed",
];

#[test]
fn a_clean_up_that_is_killed_anywhere_is_completed_by_the_next_one() {
    let (world, repo) = world(AT_ONCE);
    let kept = finished(&world, &repo, COMMIT);
    for step in STEPS {
        let runs = [finished(&world, &repo, "true"), finished(&world, &repo, "true")];
        let mut killed = world.command(&["gc", "--yes"]);
        killed.env("AGENCY_FAULT_POINT", step);
        assert_eq!(world.run(&mut killed).status.code(), None, "{step} was not reached");
        gc(&world, &["--yes"]);
        for run in &runs {
            is_removed(&world, run);
        }
        assert_eq!(repo.worktrees().len(), 2, "{step}");
        assert_eq!(std::fs::read_dir(world.agency_home().join("trash")).unwrap().count(), 0, "{step}");
    }
    is_kept(&world, &kept, "its commits are not on main");
    let of_gc: BTreeSet<&str> = POINTS.iter().copied().filter(|point| point.starts_with("gc.")).collect();
    assert!(of_gc.iter().all(|point| STEPS.contains(point)), "{of_gc:?}");
}

#[test]
fn of_two_at_once_each_run_is_removed_once_and_nothing_fails() {
    let (world, repo) = world(AT_ONCE);
    let runs: Vec<_> = (0..4).map(|_| finished(&world, &repo, "true")).collect();
    let both = [world.spawn(&["gc", "--yes", "--json"]), world.spawn(&["gc", "--yes", "--json"])];
    let mut removed = 0;
    for process in both {
        let output = process.wait();
        let answer = output.object();
        if answer["ok"] == false {
            assert!(answer["error"]["message"].as_str().unwrap().contains("another agency gc"), "{output}");
            continue;
        }
        let entries = answer["data"]["entries"].as_array().unwrap().clone();
        assert!(entries.iter().all(|entry| entry["action"] != "failed"), "{output}");
        removed += entries.iter().filter(|entry| entry["action"] == "removed").count();
    }
    assert_eq!(removed, runs.len());
    runs.iter().for_each(|run| is_removed(&world, run));
}

#[test]
fn a_second_one_is_refused_while_the_first_removes() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let lock = Lock::take(&world.agency_home().join("gc.lock"), Duration::ZERO).unwrap().unwrap();
    let error = world.error(&["gc", "--yes"], ErrorCode::CleanupFailed);
    assert!(error["message"].as_str().unwrap().contains("another agency gc"), "{error}");
    assert!(gc(&world, &["--dry-run"])["entries"][0]["action"] == "remove", "a plan needs no lock");
    drop(lock);
    gc(&world, &["--yes"]);
    is_removed(&world, &run);
}

#[test]
fn an_interrupt_at_the_question_removes_nothing() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let terminal = world.terminal(&["gc"]);
    terminal.wait_for_text("Remove 1 run (");
    terminal.send_keys(&["C-d"]);
    assert_ne!(terminal.wait_for_exit(), 0);
    assert!(world.show(&run)["removed_at"].is_null());
    let served = world.spawn(&["gc", "--dry-run"]);
    served.signal(Signal::TERM);
    served.wait();
    assert!(world.show(&run)["removed_at"].is_null());
}
