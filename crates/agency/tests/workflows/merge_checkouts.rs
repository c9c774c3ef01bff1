//! A merge into a checkout with uncommitted changes asks the user, and each answer keeps its promise.

use agency_model::ErrorCode;
use agency_testkit::wait_for;
use serde_json::Value;

use super::fixture::{LIMIT, Place, step};

const WORKFLOW: &str = "name: merging\nsteps:\n  - { name: work, type: script, command: 'echo agent >a.txt; echo new >new.txt' }\n  \
    - { name: bring, type: merge, require_review: false }\n";

/// A place whose user has uncommitted changes in files that the workflow changes.
fn dirty_place() -> Place {
    let place = Place::new();
    write(&place, "a.txt", "one\n");
    place.repo.git(&["add", "."]);
    place.repo.git(&["commit", "-qm", "a file"]);
    write(&place, "a.txt", "mine\n");
    write(&place, "new.txt", "mine, untracked\n");
    place
}

fn write(place: &Place, name: &str, text: &str) {
    std::fs::write(place.repo.path.join(name), text).unwrap();
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.repo.path.join(name)).unwrap()
}

/// Waits for the question about the checkout.
fn question(place: &Place, session: &str) -> Value {
    place.wait_for_state(session, "pending_merge");
    wait_for("the question", LIMIT, || {
        let inbox = place.world.json(&["inbox"]);
        inbox["data"]["questions"].as_array().unwrap().first().cloned()
    })
}

fn answer(place: &Place, question: &Value, choice: &str) {
    place.world.ok(&["answer", question["id"].as_str().unwrap(), choice]);
}

fn tip(place: &Place) -> String {
    place.repo.git(&["rev-parse", "main"])
}

#[test]
fn a_merge_over_changes_asks_what_to_do_and_saves_them_on_request() {
    let place = dirty_place();
    let before = tip(&place);
    let session = place.begin(WORKFLOW, &[]);
    let asked = question(&place, &session);
    assert_eq!(asked["kind"], "question", "{asked:#}");
    let options: Vec<&str> =
        asked["options"].as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert_eq!(options, ["retry", "save", "cancel"], "{asked:#}");
    let detail = asked["detail"].as_str().unwrap();
    assert!(detail.contains("a.txt") && detail.contains("new.txt"), "{detail}");
    assert_eq!((tip(&place), read(&place, "a.txt").as_str()), (before, "mine\n"), "nothing moved");
    answer(&place, &asked, "save");
    let shown = place.wait_for_state(&session, "completed");
    let summary = step(&shown, "bring")["summary"].as_str().unwrap().to_owned();
    let reference = format!("refs/agency/saved/checkout-{session}-bring-1");
    assert!(summary.contains(&format!("stash apply {reference}")), "{summary}");
    assert_eq!(place.repo.git(&["show", &format!("{reference}:a.txt")]).trim(), "mine");
    assert_eq!(place.repo.git(&["show", &format!("{reference}:new.txt")]).trim(), "mine, untracked");
    assert_eq!((read(&place, "a.txt"), read(&place, "new.txt")), ("agent\n".to_owned(), "new\n".to_owned()));
    // The regression: a plain commit deleted the merged files.
    write(&place, "later.txt", "later\n");
    place.repo.git(&["add", "later.txt"]);
    place.repo.git(&["commit", "-qm", "later"]);
    assert_eq!(place.repo.git(&["show", "main:new.txt"]).trim(), "new");
}

#[test]
fn a_merge_is_retried_when_the_user_made_way() {
    let place = dirty_place();
    let session = place.begin(WORKFLOW, &[]);
    let first = question(&place, &session);
    answer(&place, &first, "retry");
    // The changes are still there: the question comes again.
    let second = wait_for("another question", LIMIT, || {
        Some(question(&place, &session)).filter(|question| question["id"] != first["id"])
    });
    place.repo.git(&["stash", "push", "-q", "--include-untracked"]);
    answer(&place, &second, "retry");
    place.wait_for_state(&session, "completed");
    assert_eq!(read(&place, "a.txt"), "agent\n");
    assert_eq!(place.repo.git(&["for-each-ref", "refs/agency/saved"]), "", "nothing had to be saved");
}

#[test]
fn a_cancelled_merge_leaves_branch_and_files_and_can_be_retried_later() {
    let place = dirty_place();
    let before = tip(&place);
    let session = place.begin(WORKFLOW, &[]);
    answer(&place, &question(&place, &session), "cancel");
    let shown = place.wait_for_state(&session, "blocked");
    assert!(step(&shown, "bring")["error"].as_str().unwrap().contains("cancelled"), "{shown:#}");
    assert_eq!((tip(&place), read(&place, "a.txt").as_str()), (before, "mine\n"));
    place.does(&["retry", &session, "--detach"]);
    let asked = question(&place, &session);
    place.does(&["reject", &session]);
    place.wait_for_state(&session, "blocked");
    assert_eq!(place.world.json(&["inbox", "show", asked["id"].as_str().unwrap()])["data"]["answer"]["answer"], "deny");
}

#[test]
fn an_approval_does_not_answer_the_question_about_the_checkout() {
    let place = dirty_place();
    let session = place.begin(WORKFLOW, &[]);
    let asked = question(&place, &session);
    let refused = place.world.error(&["workflow", "approve", &session], ErrorCode::InvalidState);
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("agency answer {} retry|save|cancel", asked["id"].as_str().unwrap())),
        "{message}"
    );
    answer(&place, &asked, "save");
    place.wait_for_state(&session, "completed");
}

/// Kills the driver at each step of saving; the one that comes after it completes the merge.
#[test]
fn a_driver_that_dies_while_it_saves_changes_loses_none() {
    for point in ["merge.saved", "merge.cleared", "merge.updated", "merge.moved"] {
        let place = dirty_place();
        let file = place.workflow(WORKFLOW);
        let mut begin = place.command(&["run", file.to_str().unwrap(), "--detach"]);
        begin.env("AGENCY_FAULT_POINT", point);
        let session = place.answer(&mut begin)["session"].as_str().unwrap().to_owned();
        answer(&place, &question(&place, &session), "save");
        // It is started again by itself, and killed again if it comes to the same step.
        let shown = wait_for(&format!("{point}: the end"), LIMIT, || {
            let shown = place.shown(&session);
            let completed = shown["state"] == "completed";
            if !completed && shown["driven"] == false {
                place.world.run(&mut place.command(&["resume", &session, "--detach"]));
            }
            completed.then_some(shown)
        });
        let summary = step(&shown, "bring")["summary"].as_str().unwrap().to_owned();
        let reference = format!("refs/agency/saved/checkout-{session}-bring-1");
        assert!(summary.contains(&reference), "{point}: {summary}");
        assert_eq!(place.repo.git(&["show", &format!("{reference}:a.txt")]).trim(), "mine", "{point}");
        assert_eq!(place.repo.git(&["show", &format!("{reference}:new.txt")]).trim(), "mine, untracked", "{point}");
        assert_eq!(read(&place, "new.txt"), "new\n", "{point}");
        assert_eq!(place.repo.git(&["status", "--porcelain"]), "", "{point}");
    }
}
