//! What the documents ask of a workflow, scenario by scenario.

use agency_model::ErrorCode;
use agency_testkit::{conversation, wait_for};
use serde_json::Value;

use super::place::{LIMIT, PATIENT, Place, step};

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

// proves I4
#[test]
fn interaction_needed() {
    let place = Place::new().with_agent("asker", conversation::asking(1));
    let session = place.begin(
        "name: asks\ndefaults: { adapter: asker, mode: headless }\nsteps:\n  - { name: ask, type: agent, prompt: go }\n",
        &[],
    );
    let waiting = place.wait_for_step(&session, "ask", "waiting");
    let inbox = place.world.json(&["inbox"]);
    let question = &inbox["data"]["questions"][0];
    assert_eq!(question["run_id"], waiting["run_id"], "{inbox:#}");
    place.world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    place.wait_for_state(&session, "completed");
}

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
fn a_person_says_that_a_task_is_done_and_the_workflow_goes_on() {
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

// proves W9
#[test]
fn checkpoint_saving() {
    let place = Place::new();
    let session = place.begin(
        "name: goal\ngoal: the usual\nsteps:\n  - { name: say, type: script, command: 'echo {{.goal}} >>\"$LOG\"' }\n",
        &["--goal", "peace", "--title", "T"],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!((&shown["goal"], &shown["task"]), (&Value::from("peace"), &Value::from("T")));
    assert_eq!(place.lines(), ["peace"]);
    let names: Vec<String> =
        place.facts(&session).iter().map(|fact| fact["fact"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["session_started", "step_started", "step_ended", "session_ended"]);
}

// proves W8 I8: agent step failure, missing output
#[test]
fn an_agent_has_to_say_how_it_went() {
    let place = Place::new();
    place.world.agent("silent", "echo I did something");
    place.world.agent(
        "honest",
        "printf 'Well.\\n```json\\n{\"success\": false, \"summary\": \"s\", \"error\": \"too hard\"}\\n```\\n'",
    );
    place.world.agent(
        "good",
        "printf '```json\\n{\"success\": true, \"summary\": \"did it\", \"outputs\": {\"n\": 7}}\\n```\\n'",
    );
    let session = place.begin(
        r#"
name: contract
defaults: { mode: headless }
steps:
  - { name: silent, type: agent, adapter: silent, spell: "say\nnothing", on_fail: continue }
  - { name: honest, type: agent, adapter: honest, spell: "be\nhonest", on_fail: continue }
  - { name: seen, type: script, command: 'echo "{{.previous.failed}} {{.honest.error}}" >>"$LOG"' }
  - { name: good, type: agent, adapter: good, spell: "do\nit" }
  - { name: used, type: script, command: 'echo "{{.good.outputs.n}} {{.previous.success}}" >>"$LOG"' }
"#,
        &["--title", "T"],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "silent")["state"], "failed");
    assert!(step(&shown, "silent")["error"].as_str().unwrap().contains("JSON"), "{shown:#}");
    assert_eq!(step(&shown, "honest")["error"], "too hard");
    assert_eq!(step(&shown, "good")["summary"], "did it");
    assert_eq!(place.lines(), ["7 true", "true too hard"]);
}
