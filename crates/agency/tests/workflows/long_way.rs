//! A workflow that has everything: agents in order and side by side, commands, a loop, an approval, a reviewed merge.

use agency_testkit::long_way::{LINES, WORKFLOW, worker};

use super::fixture::Place;

/// A place for the long way.
pub(super) fn place() -> Place {
    Place::new().with_agent("worker", worker())
}

/// What is on the branch at the end.
pub(super) fn merged(place: &Place) -> (String, Vec<String>) {
    let subject = place.repo.git(&["log", "-1", "--format=%s", "main"]);
    let files = place.repo.git(&["ls-tree", "--name-only", "main"]);
    (subject.trim().to_owned(), files.lines().map(str::to_owned).collect())
}

/// Checks that everything was done, each thing once.
#[track_caller]
pub(super) fn check_end(place: &Place, session: &str) {
    let shown = place.wait_for_state(session, "completed");
    assert_eq!(place.lines(), LINES, "{shown:#}");
    let states = super::fixture::states(&shown);
    assert!(states.iter().all(|(_, state)| state == "done"), "{states:?}");
    let (subject, files) = merged(place);
    assert_eq!(subject, "What the long way brought");
    for file in ["by-implement", "by-left", "by-right", "by-fix", "fixed"] {
        assert!(files.iter().any(|found| found == file), "{file} is not in {files:?}");
    }
}

// proves W2 W10 W12
#[test]
fn everything_is_done_in_its_order_and_once() {
    let place = place();
    let session = place.begin(WORKFLOW, &["--title", "Go"]);
    place.wait_for_state(&session, "waiting");
    place.does(&["approve", &session, "--message", "it is"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    check_end(&place, &session);
    let tests = super::fixture::step(&place.shown(&session), "tests");
    assert_eq!((tests["attempts"].as_u64(), tests["path"].as_str()), (Some(2), Some("until-green[2]/tests")));
}
