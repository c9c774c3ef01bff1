//! Steps that take too long, sessions that are cancelled, and merges that do not go through.

use agency_model::ErrorCode;
use agency_testkit::wait_for;

use super::fixture::{LIMIT, PATIENT, Place, step};

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
    let reason = place.wait_for_state(&whole, "failed")["reason"].take();
    assert!(reason.as_str().unwrap().starts_with("the workflow took longer than 0.2s, its `timeout` in "), "{reason}");
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
    place.go();
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["agent", "agent", "command", "command"]);
}

// proves W9: a session whose driver and supervisor died is cancelled by the next command that asks for it
#[test]
fn a_session_that_nobody_drives_is_cancelled_with_what_it_left_running() {
    let place = Place::new();
    let session = place.begin(
        "name: left\nsteps:\n  - { name: command, type: script, command: 'echo $$ >>\"$LOG\"; sleep 600' }\n",
        &[],
    );
    wait_for("the command runs", LIMIT, || (place.lines().len() == 1).then_some(()));
    place.driver(&session).kill_supervisor();
    wait_for("the end of its driver", LIMIT, || (place.shown(&session)["driven"] == false).then_some(()));
    let pid: i32 = place.lines()[0].parse().unwrap();
    assert_eq!(place.does(&["cancel", &session])["state"], "cancelled");
    wait_for("the command is gone", LIMIT, || {
        (!std::path::Path::new(&format!("/proc/{pid}/cwd")).exists()).then_some(())
    });
}

#[test]
fn a_session_whose_supervisor_was_killed_is_continued_by_resume() {
    let place = Place::new();
    let script = "'echo begun >>\"$LOG\"; until [ -e \"$FLAGS/go\" ]; do sleep 0.01; done'";
    let text = format!("name: left\nsteps:\n  - {{ name: command, type: script, command: {script} }}\n");
    let session = place.begin(&text, &[]);
    wait_for("the command runs", LIMIT, || (place.lines().len() == 1).then_some(()));
    place.driver(&session).kill_supervisor();
    wait_for("it has no driver", LIMIT, || (place.shown(&session)["driven"] == false).then_some(()));
    place.does(&["resume", &session, "--detach"]);
    place.go();
    place.wait_for_state(&session, "completed");
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
    assert!(error.starts_with(ErrorCode::MergeFailed.as_str()) && error.contains("not on a Monday"), "{error}");
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
    // Meanwhile the same file is changed.
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
