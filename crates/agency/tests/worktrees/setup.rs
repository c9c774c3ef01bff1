//! The commands of `setup`: before the agent, once, in the run's logs, and ended with all they started.

use std::fs;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::{ProcessTable, conversation, wait_for};

use super::{begin, finished, propose, worktree, world};

const LIMIT: Duration = Duration::from_secs(30);

// A Node project whose tests need installed modules, and a project with a build.
#[test]
fn the_tests_of_a_project_run_only_after_its_setup() {
    let (world, repo) = world();
    repo.commit_file("test.js", "require('left'); console.log('node passes');\n");
    let install = "mkdir -p node_modules/left && echo 'module.exports = 1' >node_modules/left/index.js";
    world.agent("tester", "node test.js && ./built");
    repo.write(".agency/project.toml", "");
    let bare = begin(&world, &repo, "tester");
    assert_eq!(world.ended(&bare)["state"], "failed", "without a setup the tests do not run");
    let build = "printf '#!/bin/sh\\\\necho build passes\\\\n' >built && chmod +x built";
    propose(&world, &repo, &format!("[worktree]\nsetup = [\"{install}\", \"{build}; echo said\"]\n"));
    let run = finished(&world, &repo, "tester");
    let said = String::from_utf8(run.log("runner.stdout.log")).unwrap();
    assert_eq!(said, "node passes\nbuild passes\n");
    let log = fs::read_to_string(run.file("setup.log")).unwrap();
    assert!(log.contains("$ mkdir -p") && log.ends_with("said\n"), "{log}");
    assert!(run.messages().iter().any(|message| message.contains("setup.log")), "{:?}", run.messages());
}

#[test]
fn a_setup_that_fails_fails_the_run_and_its_agent_is_not_started() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nsetup = [\"echo broken >&2; exit 7\", \"touch built\"]\n");
    let run = begin(&world, &repo, "looker");
    let ended = world.ended(&run);
    assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"could_not_start".into()), "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("E_SETUP_FAILED"), "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("failed with code 7"), "{ended}");
    assert_eq!(fs::read_to_string(run.file("setup.log")).unwrap(), "$ echo broken >&2; exit 7\nbroken\n");
    assert!(!worktree(&world, &run).join("built").exists());
    assert!(run.events().iter().all(|event| event["type"] != "attempt"));
    world.ok(&["rm", &run.id]);
}

#[test]
fn a_setup_is_shown_stopped_and_ended_with_all_its_children() {
    let (world, repo) = world();
    let hanging = "echo begun; env -i setsid sleep 611 & setsid sleep 612 & trap '' TERM; sleep 613; sleep 614";
    propose(&world, &repo, &format!("[worktree]\nsetup = [\"{hanging}\"]\n"));
    let run = begin(&world, &repo, "looker");
    wait_for("the setup begins", LIMIT, || {
        fs::read_to_string(run.file("setup.log")).is_ok_and(|log| log.ends_with("begun\n")).then_some(())
    });
    assert_eq!(world.json(&["ls"])["data"]["runs"][0]["status"], "setup");
    let shown = world.show(&run);
    assert_eq!((&shown["state"], &shown["activity"]), (&"running".into(), &"setup".into()));
    world.error(&["rm", &run.id], ErrorCode::InvalidState);
    world.ok(&["stop", &run.id]);
    assert_eq!(world.ended(&run)["state"], "killed");
    run.wait_until_unsupervised();
    run.wait_until_gone();
    let table = ProcessTable::read();
    for seconds in ["611", "612", "613", "614"] {
        assert!(table.started_with(&["sleep", seconds]).is_empty(), "sleep {seconds} is left");
    }
}

#[test]
fn what_a_setup_leaves_running_is_ended_before_the_agent_starts() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nsetup = [\"env -i setsid sleep 621 >/dev/null 2>&1 & sleep 622 & true\"]\n");
    world.agent("counter", "pgrep -f 'sleep 62[12]$'; exit 0");
    let run = finished(&world, &repo, "counter");
    assert_eq!(String::from_utf8(run.log("runner.stdout.log")).unwrap(), "");
}

#[test]
fn a_setup_that_takes_too_long_is_ended() {
    let (mut world, repo) = world();
    world.shorten_minutes(Duration::from_millis(300));
    propose(&world, &repo, "[worktree]\nsetup = [\"sleep 631\"]\nsetup_minutes = 1\n");
    let run = begin(&world, &repo, "looker");
    let ended = world.ended(&run);
    assert!(ended["error"].as_str().unwrap().contains("took longer than"), "{ended}");
}

#[test]
fn a_message_during_the_setup_reaches_the_agent_when_it_has_started() {
    let (world, repo) = world();
    world.agent("chatty", conversation::echoing());
    propose(&world, &repo, "[worktree]\nsetup = [\"until test -e \\\"$AGENCY_RUN_DIR/go\\\"; do sleep 0.05; done\"]\n");
    let run = begin(&world, &repo, "chatty");
    wait_for("the setup is shown", LIMIT, || (world.show(&run)["activity"] == "setup").then_some(()));
    let sending = world.spawn(&["send", &run.id, "hello there"]);
    assert!(sending.is_running() && run.heard().is_empty());
    fs::write(run.file("go"), "").unwrap();
    let sent = sending.wait();
    assert!(sent.status.success(), "{sent}");
    wait_for("the agent has read it", LIMIT, || {
        run.heard().iter().any(|line| line.to_string().contains("hello there")).then_some(())
    });
    world.ok(&["stop", &run.id]);
}

#[test]
fn a_run_that_continues_in_the_worktree_keeps_its_ports_and_is_not_set_up_again() {
    let (world, repo) = world();
    let script = "hear_message\necho port $AGENCY_PORT_WEB >>ports\nfinish done\nhear_the_end";
    world.agent("again", conversation::speaking(script));
    propose(&world, &repo, "[worktree]\nsetup = [\"echo once >>built\"]\nports = { web = 3000 }\n");
    let run = finished(&world, &repo, "again");
    let worktree = worktree(&world, &run);
    let state: serde_json::Value = serde_json::from_slice(&fs::read(run.file("setup.json")).unwrap()).unwrap();
    assert_eq!(state["done"], true);
    // What is not needed any more needs no approval.
    repo.write(".agency/project.toml", "[worktree]\nsetup = [\"echo twice >>built\"]\n");
    world.ok(&["resume", &run.id, "--prompt", "again", "--wait"]);
    assert_eq!(fs::read_to_string(worktree.join("built")).unwrap(), "once\n");
    let ports = fs::read_to_string(worktree.join("ports")).unwrap();
    let ports: Vec<&str> = ports.lines().collect();
    assert!(ports.len() == 2 && ports[0] == ports[1] && ports[0].len() > "port ".len(), "{ports:?}");
}
