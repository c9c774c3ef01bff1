//! What the documents ask of a workflow, scenario by scenario.

use agency_model::ErrorCode;
use agency_testkit::{conversation, wait_for};
use serde_json::Value;

use super::place::{LIMIT, Place, step};

/// An agent that leaves a line and waits for a file before it ends.
const PATIENT: &str = "echo \"$STEP\" >>\"$LOG\"\nuntil [ -e \"$FLAGS/go\" ]; do sleep 0.01; done";

fn go(place: &Place) {
    std::fs::write(place.world.root().join("go"), "").unwrap();
}

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
    go(&place);
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
    go(&place);
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
    go(&place);
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

// proves W10 I7: timeout termination
#[test]
fn what_takes_too_long_is_ended_and_blocks_with_the_reason() {
    let place = Place::new().with_agent("worker", PATIENT);
    let session = place.begin(
        r#"
name: slow
defaults: { adapter: worker, mode: headless }
steps:
  - { name: command, type: script, timeout: 100ms, on_fail: continue, command: "sleep 600; echo never >>\"$LOG\"" }
  - name: group
    type: loop
    timeout: 200ms
    on_fail: continue
    steps: [{ name: inner, type: script, command: sleep 600 }]
  - { name: agent, type: agent, prompt: go, timeout: 1s, env: { STEP: agent } }
"#,
        &[],
    );
    let shown = place.wait_for_state(&session, "blocked");
    for name in ["command", "inner", "agent"] {
        assert!(step(&shown, name)["error"].as_str().unwrap().contains("timeout"), "{name}: {shown:#}");
    }
    assert!(shown["reason"].as_str().unwrap().contains("`agent` failed"), "{shown:#}");
    let run = step(&shown, "agent")["run_id"].as_str().unwrap().to_owned();
    assert_eq!(place.world.json(&["show", &run])["data"]["state"], "killed");
    assert_eq!(place.lines(), ["agent"]);
    let whole =
        place.begin("name: whole\ntimeout: 200ms\nsteps:\n  - { name: long, type: script, command: sleep 600 }\n", &[]);
    assert_eq!(place.wait_for_state(&whole, "failed")["reason"], "the workflow took longer than 0.2s");
}

// proves W9: cancelling
#[test]
fn a_cancelled_session_leaves_nothing_running_and_can_be_tried_again() {
    let place = Place::new().with_agent("worker", PATIENT);
    let text = r#"
name: cancelled
defaults: { adapter: worker, mode: headless }
steps:
  - name: both
    type: parallel
    steps:
      - { name: agent, type: agent, prompt: go, env: { STEP: agent } }
      - { name: command, type: script, command: 'echo command >>"$LOG"; until [ -e "$FLAGS/go" ]; do sleep 0.01; done' }
"#;
    let session = place.begin(text, &[]);
    wait_for("both are at work", LIMIT, || (place.lines() == ["agent", "command"]).then_some(()));
    let shown = place.does(&["cancel", &session]);
    assert_eq!(shown["state"], "cancelled", "{shown:#}");
    let run = step(&shown, "agent")["run_id"].as_str().unwrap().to_owned();
    assert_eq!(place.world.json(&["show", &run])["data"]["state"], "killed");
    place.world.error(&["workflow", "cancel", &session], ErrorCode::InvalidState);
    place.world.error(&["workflow", "resume", &session], ErrorCode::InvalidState);
    go(&place);
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["agent", "agent", "command", "command"]);
}

// proves W9: a session whose driver and supervisor died is cancelled by whoever asks
#[test]
fn a_session_that_nobody_drives_is_cancelled_with_what_it_left_running() {
    let place = Place::new();
    let session = place.begin(
        "name: left\nsteps:\n  - { name: command, type: script, command: 'echo $$ >>\"$LOG\"; sleep 600' }\n",
        &[],
    );
    wait_for("the command runs", LIMIT, || (place.lines().len() == 1).then_some(()));
    place.driver(&session).kill_supervisor();
    wait_for("nobody drives it", LIMIT, || (place.shown(&session)["driven"] == false).then_some(()));
    let pid: i32 = place.lines()[0].parse().unwrap();
    assert_eq!(place.does(&["cancel", &session])["state"], "cancelled");
    wait_for("the command is gone", LIMIT, || {
        (!std::path::Path::new(&format!("/proc/{pid}/cwd")).exists()).then_some(())
    });
}

// proves W10
#[test]
fn a_hook_that_refuses_the_merge_blocks_the_session_with_its_words() {
    let place = Place::new();
    let hook = place.repo.path.join(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho not on a Monday >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = "name: merging\nsteps:\n  - { name: work, type: script, command: echo ours >shared.txt }\n  - { name: bring, type: merge }\n";
    let session = place.begin(text, &["--title", "Bring it"]);
    let shown = place.wait_for_state(&session, "blocked");
    let error = step(&shown, "bring")["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with(ErrorCode::MergeFailed.word()) && error.contains("not on a Monday"), "{error}");
    assert_eq!(place.repo.git(&["log", "--format=%s", "main"]).lines().count(), 1, "nothing was merged");
}

// proves W10 W12: a review that is refused, and conflicts
#[test]
fn a_merge_waits_for_its_review_and_conflicts_are_listed_until_they_are_resolved() {
    let place = Place::new();
    let text = "name: merging\nsteps:\n  - { name: work, type: script, command: echo ours >shared.txt }\n  - { name: bring, type: merge }\n";
    let session = place.begin(text, &["--title", "Bring it"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["reject", &session, "--message", "not yet"]);
    let shown = place.wait_for_state(&session, "blocked");
    assert_eq!(step(&shown, "bring")["error"], "rejected: not yet");
    // Meanwhile somebody changes the same file.
    std::fs::write(place.repo.path.join("shared.txt"), "theirs\n").unwrap();
    place.repo.git(&["add", "."]);
    place.repo.git(&["commit", "-qm", "theirs"]);
    place.does(&["retry", &session, "--detach"]);
    let shown = place.wait_for_state(&session, "blocked");
    assert!(step(&shown, "bring")["error"].as_str().unwrap().contains("shared.txt"), "{shown:#}");
    let worktree = shown["worktree_path"].as_str().unwrap().to_owned();
    place.repo.git(&["-C", &worktree, "merge", "-q", "-X", "ours", "main", "-m", "resolved"]);
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.repo.git(&["show", "main:shared.txt"]).trim(), "ours");
}

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

// an agent, and what it starts, neither approves nor rejects nor retries what people decide
#[test]
fn agents_do_not_decide_what_a_session_asks_its_user() {
    let place = Place::new();
    let agency = env!("CARGO_BIN_EXE_agency");
    let session = place.begin("name: x\nsteps:\n  - { name: ok, type: approval, message: 'Go on?' }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let verbs = ["approve", "reject", "retry --detach"];
    let attempts = verbs.map(|verb| format!("'{agency}' --json workflow {verb} {session}; echo \" $?\""));
    place.world.agent("deciding", attempts.join("\n").as_str());
    let run = place.world.begin(&place.repo, "deciding", &["--host", "detached", "--mode", "headless"]);
    place.world.ended(&run);
    let said = place.world.ok(&["logs", &run.id]).stdout;
    assert_eq!(said.matches("E_NOT_ALLOWED").count(), verbs.len(), "{said}");
    assert_eq!(said.matches("\n 8\n").count(), verbs.len(), "{said}");
    assert_eq!(place.shown(&session)["state"], "waiting");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
}

#[test]
fn what_a_script_step_leaves_behind_does_not_decide_either() {
    let place = Place::new();
    let agency = env!("CARGO_BIN_EXE_agency");
    let session = place.begin("name: x\nsteps:\n  - { name: ok, type: approval, message: 'Go on?' }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let result = place.world.root().join("result");
    let (file, draft) = (result.display(), place.world.root().join("draft"));
    let decide = format!("'{agency}' workflow approve {session}; echo $? >'{0}'; mv '{0}' '{file}'", draft.display());
    let program = place.world.root().join("decide.sh");
    std::fs::write(&program, decide).unwrap();
    // Its parent ends, so that the supervisor of the driver takes it over.
    let orphan = format!("setsid -f env -u AGENCY_RUN_ID -u AGENCY_SESSION sh '{}'", program.display());
    let script = format!("{orphan}; until [ -e '{file}' ]; do sleep 0.02; done");
    let other = format!("name: y\nsteps:\n  - name: leave\n    type: script\n    command: |\n      {script}\n");
    let other = place.begin(&other, &[]);
    place.wait_for_state(&other, "completed");
    assert_eq!(std::fs::read_to_string(&result).unwrap(), "8\n");
    assert_eq!(place.shown(&session)["state"], "waiting");
}
