//! Workflow files with stages: their order, and the runs of their tasks.

use agency_testkit::wait_for;
use serde_json::Value;

use super::fixture::{LIMIT, PATIENT, Place, step};

// proves W2
#[test]
fn stage_based_pipeline() {
    let place = Place::new().with_agent("worker", PATIENT);
    let session = place.begin(
        r#"
id: pipeline
stages:
  - id: first
    tasks:
      - { id: one, adapter: worker, executionMode: headless, prompt: go, env: { STEP: one } }
      - { id: two, adapter: worker, executionMode: headless, prompt: go, env: { STEP: two } }
  - id: second
    tasks:
      - { id: three, adapter: worker, executionMode: headless, prompt: go, env: { STEP: three } }
"#,
        &[],
    );
    wait_for("both tasks of the first stage are at work", LIMIT, || (place.lines() == ["one", "two"]).then_some(()));
    assert_eq!(step(&place.shown(&session), "three")["state"], "pending");
    place.go();
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["one", "three", "two"]);
}

// proves W3 W4: task adapter instantiation, runner selection, unified prompt injection
#[test]
fn each_task_is_a_run_of_its_own_with_its_mode_prompt_directory_variables_and_name() {
    let place = Place::new().with_agent(
        "worker",
        "echo \"$STEP $(basename \"$PWD\") $(test -t 0 && echo tty || echo pipe) $*\" >>\"$LOG\"",
    );
    std::fs::create_dir(place.repo.path.join("inner")).unwrap();
    std::fs::write(place.repo.path.join("inner/file"), "x").unwrap();
    place.repo.git(&["add", "."]);
    place.repo.git(&["commit", "-qm", "inner"]);
    let session = place.begin(
        r#"
id: runs
stages:
  - id: stage
    tasks:
      - { id: seen, adapter: worker, prompt: look, extraArgs: ["--fast"], env: { STEP: seen }, name: The seen one }
      - { id: unseen, adapter: worker, executionMode: headless, prompt: look, cwd: inner, env: { STEP: unseen } }
"#,
        &[],
    );
    let shown = place.wait_for_state(&session, "completed");
    let lines = place.lines();
    assert!(
        lines[0].starts_with("seen r_") && lines[0].contains(" tty --fast") && lines[0].ends_with("look"),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("unseen inner pipe") && lines[1].ends_with("look"), "{lines:?}");
    let run = |name: &str| {
        let id = step(&shown, name)["run_id"].as_str().unwrap().to_owned();
        place.world.json(&["show", &id])["data"].clone()
    };
    let (seen, unseen) = (run("seen"), run("unseen"));
    assert_eq!((&seen["mode"], &unseen["mode"]), (&Value::from("interactive"), &Value::from("headless")));
    assert_eq!((&seen["name"], &unseen["name"]), (&Value::from("The seen one"), &Value::from("unseen")));
    assert_ne!(seen["id"], unseen["id"]);
    assert_eq!(seen["worktree_path"], shown["worktree_path"], "the tasks share the worktree of the session");
    let kept = place.world.agency_home().join("sessions").join(&session).join("steps/stage.seen.1/prompt.md");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "look", "the prompt is part of the history");
}
