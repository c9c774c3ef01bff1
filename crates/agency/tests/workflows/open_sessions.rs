//! Sessions that can still continue, and refused commands, which change nothing.

use agency_engine::home::Home;
use agency_engine::orchestrator::SessionManager;
use agency_model::ErrorCode;

use super::fixture::Place;

/// A workflow whose only step fails until the file `fixed` exists.
const FAILING: &str = "name: failing\nsteps:\n  - { name: check, type: script, command: 'test -e \"$FLAGS/fixed\"' }\n";

fn is_open(place: &Place, session: &str) -> bool {
    let manager = SessionManager::new(Home::new(place.world.agency_home()));
    manager.is_open(&session.parse().unwrap()).unwrap()
}

#[test]
fn a_session_is_open_until_it_is_completed_or_cancelled() {
    let place = Place::new();
    let blocked = place.begin(FAILING, &[]);
    place.wait_for_state(&blocked, "blocked");
    assert!(is_open(&place, &blocked), "a blocked session can be retried");
    place.does(&["cancel", &blocked]);
    assert!(!is_open(&place, &blocked));
    let late = "name: late\ntimeout: 100ms\nsteps:\n  - { name: long, type: script, command: sleep 600 }\n";
    let failed = place.begin(late, &[]);
    place.wait_for_state(&failed, "failed");
    assert!(is_open(&place, &failed), "a failed session can be retried");
    let done = place.begin("name: done\nsteps:\n  - { name: a, type: script, command: 'true' }\n", &[]);
    place.wait_for_state(&done, "completed");
    assert!(!is_open(&place, &done));
    assert!(!is_open(&place, "s_01ARZ3NDEKTSV4RRFFQ69G5FAV"), "a session without files does not exist");
    let history = place.world.agency_home().join("sessions").join(&done).join("history.ndjson");
    std::fs::write(history, "not a fact\n").unwrap();
    assert!(is_open(&place, &done), "a session that cannot be read may be unfinished");
}

/// What a shell is offered for a session.
fn offered(place: &Place, verb: &str) -> String {
    let mut command = place.world.command(&["--", "agency", "workflow", verb, ""]);
    command.env("COMPLETE", "fish");
    place.world.run(&mut command).stdout
}

#[test]
fn sessions_are_completed_as_far_as_a_command_can_act_on_them() {
    let place = Place::new();
    let blocked = place.begin(FAILING, &[]);
    place.wait_for_state(&blocked, "blocked");
    let done = place.begin("name: done\nsteps:\n  - { name: a, type: script, command: 'true' }\n", &[]);
    place.wait_for_state(&done, "completed");
    let line = format!("{blocked}\tblocked, failing: ");
    assert!(offered(&place, "retry").contains(&line), "{}", offered(&place, "retry"));
    assert!(!offered(&place, "retry").contains(&done));
    assert!(offered(&place, "show").contains(&line) && offered(&place, "show").contains(&done));
    assert!(!offered(&place, "approve").contains(&blocked), "it waits for nothing");
}

fn history(place: &Place, session: &str) -> Vec<u8> {
    std::fs::read(place.world.agency_home().join("sessions").join(session).join("history.ndjson")).unwrap()
}

/// A blocked session whose worktree is gone.
fn without_worktree(place: &Place) -> String {
    let session = place.begin(FAILING, &[]);
    let shown = place.wait_for_state(&session, "blocked");
    std::fs::remove_dir_all(shown["worktree_path"].as_str().unwrap()).unwrap();
    session
}

// A refused retry left the session `running` for ever.
#[test]
fn a_refused_retry_leaves_the_session_as_it_was() {
    let place = Place::new();
    let session = without_worktree(&place);
    let before = history(&place, &session);
    place.world.error(&["workflow", "retry", &session, "--detach"], ErrorCode::InvalidPath);
    assert_eq!(history(&place, &session), before);
    assert_eq!(place.shown(&session)["state"], "blocked");
    assert_eq!(place.does(&["cancel", &session])["state"], "cancelled");
    let bad_step = place.begin(FAILING, &[]);
    place.wait_for_state(&bad_step, "blocked");
    let before = history(&place, &bad_step);
    let refused = place.world.run(&mut place.command(&["retry", &bad_step, "--from", "nowhere", "--detach"]));
    assert!(!refused.status.success(), "{refused}");
    assert_eq!(history(&place, &bad_step), before);
}

// A session that an older version left `running`, without a worktree to go on in.
#[test]
fn a_session_stuck_without_a_worktree_is_refused_and_can_be_cancelled() {
    let place = Place::new();
    let session = without_worktree(&place);
    let path = place.world.agency_home().join("sessions").join(&session).join("history.ndjson");
    let number = place.facts(&session).len() + 1;
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str(&format!("{{\"seq\":{number},\"at\":\"2026-01-01T00:00:00Z\",\"fact\":\"retry_asked\"}}\n"));
    std::fs::write(&path, text).unwrap();
    assert_eq!(place.shown(&session)["state"], "running");
    let before = history(&place, &session);
    place.world.error(&["workflow", "resume", &session, "--detach"], ErrorCode::InvalidPath);
    assert_eq!(history(&place, &session), before);
    assert_eq!(place.does(&["cancel", &session])["state"], "cancelled");
}

// The starter died before the session had a driver.
#[test]
fn a_session_that_never_had_a_driver_can_be_cancelled() {
    let place = Place::new();
    let file = place.workflow(FAILING);
    let mut begin = place.command(&["run", file.to_str().unwrap(), "--detach"]);
    place.world.run(begin.env("AGENCY_FAULT_POINT", "session.made"));
    let session = place.does(&["ls"])["sessions"][0]["session"].as_str().unwrap().to_owned();
    assert_eq!(place.shown(&session)["state"], "running");
    assert_eq!(place.does(&["cancel", &session])["state"], "cancelled");
}

#[test]
fn a_completed_session_has_nothing_to_try_again() {
    let place = Place::new();
    let session = place.begin("name: done\nsteps:\n  - { name: a, type: script, command: 'echo a >>\"$LOG\"' }\n", &[]);
    place.wait_for_state(&session, "completed");
    let before = history(&place, &session);
    let error = place.world.error(&["workflow", "retry", &session], ErrorCode::InvalidState);
    assert!(error["message"].as_str().unwrap().contains("nothing to try again"), "{error:#}");
    assert_eq!(history(&place, &session), before);
    assert_eq!((place.shown(&session)["state"].as_str(), place.lines()), (Some("completed"), vec!["a".to_owned()]));
}
