//! `agency workflow complete-task`.

use agency_model::ErrorCode;
use agency_testkit::wait_for;
use serde_json::Value;

use super::fixture::{LIMIT, PATIENT, Place, step};

const BY_HAND: &str = r#"
id: by-hand
stages:
  - id: first
    tasks:
      - { id: talk, adapter: worker, prompt: go, env: { STEP: talk } }
      - { id: alone, adapter: worker, executionMode: headless, prompt: go, env: { STEP: alone } }
  - id: second
    tasks:
      - { id: after, adapter: quick, executionMode: headless, prompt: go, env: { STEP: after } }
"#;

// proves I6: manual completion, exit-based completion
#[test]
fn a_user_completes_a_task_and_the_workflow_continues() {
    let place = Place::new().with_agent("worker", PATIENT).with_agent("quick", "echo \"$STEP\" >>\"$LOG\"");
    let session = place.begin(BY_HAND, &[]);
    wait_for("both are at work", LIMIT, || (place.lines().len() == 2).then_some(()));
    let shown = place.does(&["complete-task", &session, "talk"]);
    let talk = step(&shown, "talk");
    assert_eq!((&talk["state"], &talk["summary"]), (&Value::from("done"), &Value::from("completed by hand")));
    let run = place.world.json(&["show", talk["run_id"].as_str().unwrap()]);
    assert_eq!(run["data"]["state"], "killed", "its run is stopped");
    assert_eq!(step(&shown, "after")["state"], "pending", "the other task of the stage is not over");
    place.go();
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "alone")["state"], "done", "a task whose process exits is done");
    assert_eq!(place.lines(), ["after", "alone", "talk"]);
}

// proves I6: invalid manual completion
#[test]
fn only_an_interactive_task_at_work_can_be_completed_by_hand() {
    let place = Place::new().with_agent("worker", PATIENT).with_agent("quick", "echo \"$STEP\" >>\"$LOG\"");
    let session = place.begin(BY_HAND, &[]);
    wait_for("both are at work", LIMIT, || (place.lines().len() == 2).then_some(()));
    let refused = |task: &str, code| place.world.error(&["workflow", "complete-task", &session, task], code);
    let unknown = refused("tlak", ErrorCode::StepNotFound);
    assert!(unknown["message"].as_str().unwrap().contains("did you mean `talk`?"), "{unknown:#}");
    refused("alone", ErrorCode::InvalidState);
    refused("after", ErrorCode::InvalidState);
    place.go();
    place.wait_for_state(&session, "completed");
    refused("talk", ErrorCode::InvalidState);
}
