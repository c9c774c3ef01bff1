//! Which runs of a workflow session are finished.

use std::path::Path;

use agency_model::ErrorCode;
use serde_json::Value;

use super::fixture::Place;

const BLOCKED: &str =
    "name: blocked\nsteps:\n  - { name: work, type: script, command: 'echo x > x.txt; [ -e \"$FLAGS/go\" ]' }\n";

fn worktree(place: &Place, session: &str) -> String {
    place.shown(session)["worktree_path"].as_str().unwrap().to_owned()
}

// A session that is blocked, waiting, pending_merge or failed can be retried or resumed: rm --all-finished keeps its runs
#[test]
fn all_finished_keeps_the_runs_of_a_blocked_session_and_retry_still_works() {
    let place = Place::new();
    let session = place.begin(BLOCKED, &[]);
    place.wait_for_state(&session, "blocked");
    let driver = place.driver(&session).id;
    for arguments in [&["rm", "--all-finished", "--dry-run"][..], &["rm", "--all-finished"]] {
        let answer = place.world.json(arguments)["data"].take();
        assert_eq!(answer["runs"], Value::Array(vec![]), "{answer:#}");
        let kept = &answer["kept"][0];
        assert_eq!((&kept["id"], &kept["session"]), (&Value::from(driver.clone()), &Value::from(session.clone())));
        assert_eq!(kept["session_state"], "blocked");
    }
    let said = place.world.ok(&["rm", "--all-finished"]).stdout;
    assert!(said.contains(&format!("agency workflow cancel {session}")), "{said}");
    assert!(Path::new(&worktree(&place, &session)).join("x.txt").exists());
    std::fs::write(place.world.root().join("go"), "").unwrap();
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "completed");
    let gone = place.world.json(&["rm", "--all-finished"])["data"].take();
    assert!(gone["runs"].as_array().unwrap().iter().any(|run| run["id"] == driver.as_str()), "{gone:#}");
    assert!(!Path::new(&worktree(&place, &session)).exists());
}

#[test]
fn rm_of_a_run_that_a_session_needs_names_the_session_and_the_commands_that_help() {
    let place = Place::new();
    let session = place.begin(BLOCKED, &[]);
    place.wait_for_state(&session, "blocked");
    let driver = place.driver(&session).id;
    for arguments in [&["rm", &driver][..], &["rm", "--dry-run", &driver]] {
        let error = place.world.error(arguments, ErrorCode::InvalidState);
        assert_eq!(error["details"]["session"], session.as_str());
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains(&format!("agency workflow cancel {session}")), "{hint}");
        assert!(hint.contains(&format!("agency rm --force {driver}")), "{hint}");
    }
    assert!(Path::new(&worktree(&place, &session)).exists());
    place.does(&["cancel", &session]);
    let removed = place.world.json(&["rm", &driver])["data"].take();
    assert_eq!(removed["saved_ref"], format!("refs/agency/saved/{driver}"), "{removed:#}");
}

#[test]
fn force_removes_a_run_that_a_session_needs_and_saves_its_work() {
    let place = Place::new();
    let session = place.begin(BLOCKED, &[]);
    place.wait_for_state(&session, "blocked");
    let driver = place.driver(&session).id;
    let removed = place.world.json(&["rm", "--force", &driver])["data"].take();
    assert_eq!(removed["saved_ref"], format!("refs/agency/saved/{driver}"), "{removed:#}");
}

// `failed` can be retried, so that cancel has to be able to give it up
#[test]
fn a_failed_session_keeps_its_runs_until_it_is_cancelled() {
    let place = Place::new();
    let text =
        "name: slow\ntimeout: 1s\nsteps:\n  - { name: work, type: script, command: 'echo x > x.txt; sleep 600' }\n";
    let session = place.begin(text, &[]);
    place.wait_for_state(&session, "failed");
    let driver = place.driver(&session).id;
    place.world.error(&["rm", &driver], ErrorCode::InvalidState);
    let shown = place.does(&["cancel", &session]);
    assert_eq!(shown["state"], "cancelled", "{shown:#}");
    assert_eq!(place.world.json(&["rm", &driver])["data"]["removed"], true);
}

#[test]
fn gc_keeps_the_runs_of_a_blocked_session_until_that_ends() {
    let place = Place::new();
    place.world.configure("\n[gc]\nage = \"0s\"\n");
    let session =
        place.begin("name: blocked\nsteps:\n  - { name: work, type: script, command: '[ -e \"$FLAGS/go\" ]' }\n", &[]);
    place.wait_for_state(&session, "blocked");
    let report = place.world.json(&["gc", "--yes"])["data"].take();
    let why = report["entries"][0]["why"].as_str().unwrap().to_owned();
    assert!(report["entries"][0]["action"] == "keep" && why.contains(&format!("{session} is blocked")), "{report:#}");
    let place_of_work = worktree(&place, &session);
    assert!(Path::new(&place_of_work).exists());
    place.does(&["cancel", &session]);
    let report = place.world.json(&["gc", "--yes"])["data"].take();
    assert_eq!(report["entries"][0]["action"], "removed", "{report:#}");
    assert!(!Path::new(&place_of_work).exists());
}
