//! What sessions show of themselves, and what they take from others.

use agency_model::ErrorCode;

use super::fixture::{Place, states, step};

// proves W9
#[test]
fn sessions_that_are_not_there_are_said_so() {
    let place = Place::new();
    for words in [["workflow", "show", "s_01ARZ3NDEKTSV4RRFFQ69G5FAV"], ["workflow", "cancel", "last"]] {
        place.world.error(&words, ErrorCode::SessionNotFound);
    }
    let session = place.begin("name: x\nsteps:\n  - { name: a, type: script, command: 'true' }\n", &[]);
    place.wait_for_state(&session, "completed");
    place.world.error(&["workflow", "approve", &session], ErrorCode::InvalidState);
    place.world.error(&["workflow", "logs", &session, "b"], ErrorCode::StepNotFound);
    assert_eq!(place.does(&["ls"])["sessions"][0]["session"], session.as_str());
}

// proves W9
#[test]
fn history_and_logs() {
    let place = Place::new().with_agent("worker", "echo from the agent");
    let session = place.begin(
        "name: logs\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  - { name: command, type: script, command: echo from the command }\n  - { name: agent, type: agent, prompt: go }\n",
        &[],
    );
    place.wait_for_state(&session, "completed");
    let logs = place.does(&["logs", &session]);
    let said: Vec<&str> = logs["logs"].as_array().unwrap().iter().map(|log| log["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["from the command\n", "from the agent\n"]);
}

// proves W9: exit codes of a session that is followed
#[test]
fn who_follows_a_session_gets_its_end_as_exit_code() {
    let place = Place::new();
    let file = place.workflow("name: x\nsteps:\n  - { name: a, type: script, command: exit 3 }\n");
    let mut command = place.world.command(&["workflow", "run", file.to_str().unwrap()]);
    let output = place.world.run(command.current_dir(&place.repo.path));
    assert_eq!(output.status.code(), Some(1), "{output}");
    assert!(output.stdout.contains("a: failed: exit code 3") && output.stdout.contains("blocked"), "{output}");
}

// proves W5: a workspace of one's own, made from the state that the session's has then
#[test]
fn an_agent_with_a_workspace_of_its_own_begins_with_what_is_there() {
    let place = Place::new().with_agent("worker", "cat made.txt >>\"$LOG\"; echo own >made.txt");
    let session = place.begin(
        "name: own\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  - { name: make, type: script, command: echo shared >made.txt }\n  - { name: own, type: agent, prompt: go, workspace: own }\n  - { name: look, type: script, command: 'cat made.txt >>\"$LOG\"' }\n",
        &[],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["shared", "shared"]);
    let run = place.world.json(&["show", step(&shown, "own")["run_id"].as_str().unwrap()]);
    assert_ne!(run["data"]["worktree_path"], shown["worktree_path"]);
}

// proves W9: a driver takes no slot
#[test]
fn a_driver_takes_no_slot_from_its_tasks() {
    let place = Place::new().with_agent("worker", "echo \"$STEP\" >>\"$LOG\"");
    place.world.set("max_agents", "1");
    let session = place.begin(
        "name: slots\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  - name: two\n    type: parallel\n    steps:\n      - { name: a, type: agent, prompt: go, env: { STEP: a } }\n      - { name: b, type: agent, prompt: go, env: { STEP: b } }\n",
        &[],
    );
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["a", "b"]);
}

const NOT_ALL_HAVE_A_TURN: &str = r#"
name: turns
steps:
  - name: never
    type: parallel
    when: 'false'
    steps:
      - { name: left, type: script, command: 'true' }
      - { name: right, type: script, command: 'true' }
  - name: rounds
    type: loop
    max_iterations: 3
    steps:
      - { name: check, type: script, command: 'true', on_success: exit_loop }
      - { name: fix, type: script, command: 'true' }
  - name: tried
    type: loop
    max_iterations: 1
    on_fail: continue
    steps:
      - { name: bad, type: script, command: 'false' }
      - { name: after-bad, type: script, command: 'true' }
  - name: last
    type: loop
    max_iterations: 1
    steps:
      - { name: gate, type: script, command: '[ -e "$FLAGS/go" ]' }
      - { name: after-gate, type: script, command: 'true', on_success: exit_loop }
"#;

// Steps inside one that was skipped were `pending` in a completed session; for templates they are skipped
#[test]
fn a_step_inside_one_that_is_over_is_skipped_unless_a_retry_comes_to_it() {
    let place = Place::new();
    let session = place.begin(NOT_ALL_HAVE_A_TURN, &[]);
    let shown = place.wait_for_state(&session, "blocked");
    let never = ["never", "left", "right"].map(|name| step(&shown, name)["state"].clone());
    assert_eq!(never, ["skipped"; 3], "{shown:#}");
    assert_eq!(step(&shown, "fix")["state"], "skipped", "its loop ended before it");
    let tried = ["tried", "bad", "after-bad"].map(|name| step(&shown, name)["state"].clone());
    assert_eq!(tried, ["failed", "failed", "skipped"], "{shown:#}");
    assert_eq!(step(&shown, "after-gate")["state"], "pending", "a retry comes to it");
    place.go();
    place.does(&["retry", &session, "--detach"]);
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "after-gate")["state"], "done");
    assert!(states(&shown).iter().all(|(_, state)| state != "pending"), "{shown:#}");
}
