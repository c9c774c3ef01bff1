//! Sessions that can still continue, and refused commands, which change nothing.

use agency_engine::home::Home;
use agency_engine::orchestrator::SessionManager;

use super::place::Place;

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
