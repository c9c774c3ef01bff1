//! The database file is emptied or cut while a run lives, or its log is removed or left over: the run is recovered.

use std::fs::{self, File};

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, agent, conversation};
use serde_json::Value;

use super::fixture::{DETACHED, complaints, question_of, until, world};

/// A world with one finished and one live run, and a short wait for locks.
fn with_a_live_run() -> (World, Repo, Run) {
    let (world, repo) = world();
    world.configure("\n[database]\nlock_timeout_seconds = 2\n");
    world.agent("quiet", agent::quiet());
    world.agent("waiting", agent::waiting());
    let finished = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&finished);
    finished.wait_until_unsupervised();
    let live = world.begin(&repo, "waiting", &DETACHED);
    live.wait_for_output("ready");
    (world, repo, live)
}

fn cut(world: &World, length: u64) {
    let file = File::options().write(true).open(world.agency_home().join("agency.db")).unwrap();
    file.set_len(length).unwrap();
}

fn remove(world: &World, names: &[&str]) {
    for name in names {
        fs::remove_file(world.agency_home().join(name)).unwrap();
    }
}

/// The ids and states of all runs, oldest first.
fn states(world: &World) -> Vec<(String, String)> {
    let runs = world.json(&["ls", "--all"])["data"]["runs"].take();
    let words = |run: &Value, key: &str| run[key].as_str().unwrap().to_owned();
    let mut states: Vec<_> =
        runs.as_array().unwrap().iter().map(|run| (words(run, "id"), words(run, "state"))).collect();
    states.sort();
    states
}

/// The live run is known, is reached by a stop, and everything agrees.
fn is_recovered(world: &World, live: &Run, before: &[(String, String)]) {
    assert_eq!(states(world), before);
    assert!(live.is_supervised(), "the supervisor lives");
    assert_eq!(complaints(world), []);
    world.release("waiting");
    let row = world.ended(live);
    assert_eq!((&row["state"], &row["reason"]), (&"completed".into(), &"exited".into()));
    live.wait_until_unsupervised();
    assert_eq!(complaints(world), []);
}

#[test]
fn an_emptied_database_is_named_and_reconcile_recovers_the_live_run() {
    for (length, log_removed) in [(0, false), (0, true), (1, false), (511, false)] {
        let (world, _, live) = with_a_live_run();
        let before = states(&world);
        cut(&world, length);
        if log_removed {
            remove(&world, &["agency.db-wal", "agency.db-shm"]);
        }
        for arguments in [&["ls"][..], &["show", &live.id], &["stop", &live.id]] {
            let error = world.error(arguments, ErrorCode::DbError);
            assert!(error["message"].as_str().unwrap().contains("is empty"), "{error:#}");
            assert!(error["hint"].as_str().unwrap().contains("agency reconcile"), "{error:#}");
        }
        let said = complaints(&world);
        let [(message, fix)] = said.as_slice() else { panic!("{said:?}") };
        assert!(message.starts_with("database: ") && message.contains("is empty"), "{said:?}");
        assert!(fix.starts_with("agency reconcile"), "{said:?}");
        let plan = world.json(&["reconcile", "--dry-run"]);
        assert_eq!(plan["data"]["adopted"].as_array().unwrap().len(), 2, "{plan:#}");
        world.error(&["ls"], ErrorCode::DbError);
        let done = world.json(&["reconcile"]);
        assert_eq!(done["data"]["adopted"].as_array().unwrap().len(), 2, "{done:#}");
        is_recovered(&world, &live, &before);
    }
}

#[test]
fn a_run_that_ends_while_its_database_is_empty_is_recovered_with_its_end() {
    let (world, _, live) = with_a_live_run();
    cut(&world, 0);
    world.release("waiting");
    live.wait_until_unsupervised();
    world.ok(&["reconcile"]);
    let row = world.show(&live);
    assert_eq!((&row["state"], &row["exit_code"]), (&"completed".into(), &0.into()));
    assert_eq!(complaints(&world), []);
}

#[test]
fn an_agent_that_asks_while_its_database_is_empty_is_heard_after_the_recovery() {
    let (world, repo, _live) = with_a_live_run();
    let script = "hear_message\nsay '{\"type\":\"ready\"}'\nuntil [ -e \"$0.release\" ]; do sleep 0.01; done\n\
                  permission 1\nhear_reply ask-1\nfinish done\nhear_the_end";
    world.agent("asking", conversation::speaking(script));
    let run = world.begin(&repo, "asking", &DETACHED);
    run.wait_for_output("ready");
    cut(&world, 0);
    world.release("asking");
    until("the question cannot be stored", || {
        run.messages().iter().any(|message| message.contains("a question could not be stored"))
    });
    world.ok(&["reconcile"]);
    world.ok(&["answer", &question_of(&world, &run), "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
}

#[test]
fn two_reconciles_at_once_replace_an_emptied_database_once() {
    let (world, _, live) = with_a_live_run();
    let before = states(&world);
    cut(&world, 0);
    let started: Vec<_> = (0..4).map(|_| world.spawn(&["reconcile"])).collect();
    for process in started {
        let output = process.wait();
        assert!(output.status.success(), "{output}");
    }
    let kept = fs::read_dir(world.agency_home()).unwrap();
    let kept = kept.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with("damaged-"));
    assert_eq!(kept.count(), 1);
    is_recovered(&world, &live, &before);
}

#[test]
fn a_database_that_was_cut_is_named_and_the_advice_recovers_the_live_run() {
    for length in [512, 2000, 4095, 4096] {
        let (world, _, live) = with_a_live_run();
        let before = states(&world);
        let path = world.agency_home().join("agency.db");
        let whole = rusqlite::Connection::open(&path).unwrap();
        whole.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(whole);
        cut(&world, length);
        let error = world.error(&["ls"], ErrorCode::DbError);
        assert!(error["hint"].as_str().unwrap().contains("agency doctor"), "{length}: {error:#}");
        let said = complaints(&world);
        let [(message, fix)] = said.as_slice() else { panic!("{length}: {said:?}") };
        assert!(message.starts_with("database: "), "{length}: {said:?}");
        super::doctor::follow(&world, fix);
        is_recovered(&world, &live, &before);
    }
}

#[test]
fn a_log_that_was_removed_under_a_live_run_damages_nothing() {
    for names in [&["agency.db-wal", "agency.db-shm"][..], &["agency.db-wal"], &["agency.db-shm"]] {
        let (world, repo, live) = with_a_live_run();
        let before = states(&world);
        remove(&world, names);
        world.ok(&["reconcile"]);
        assert_eq!(states(&world), before, "{names:?}");
        let later = world.begin(&repo, "quiet", &DETACHED);
        world.ended(&later);
        later.wait_until_unsupervised();
        is_recovered(&world, &live, &states(&world));
    }
}

#[test]
fn a_log_that_a_lost_database_left_is_not_applied_to_the_next_one() {
    let (world, _, live) = with_a_live_run();
    let before = states(&world);
    remove(&world, &["agency.db"]);
    world.ok(&["reconcile"]);
    is_recovered(&world, &live, &before);
}
