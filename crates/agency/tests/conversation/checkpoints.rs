//! A checkpoint at the end of each turn, and what can be done with them.

use std::fs;
use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_testkit::{Agent, Repo, Run, World, agent, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, begin, events, open, text, world};

/// Writes each message to a file. After the first turn it waits until the test lets it go on.
fn working() -> Agent {
    conversation::speaking(
        "hear_message\necho one >work.txt\necho secret >.env\ntell ready\n\
         until [ -e \"$0.release\" ]; do sleep 0.05; done\nfinish one\n\
         until [ -e \"$AGENCY_RUN_DIR/go\" ]; do sleep 0.05; done\nhear_message\nbegin_turn\n\
         echo two >work.txt\necho new >new.txt\nfinish two\nhear_the_end",
    )
}

fn wait_for_checkpoint(run: &Run, number: u32) -> Value {
    wait_for(&format!("checkpoint {number} of {}", run.id), LIMIT, || {
        events(run, "checkpoint").into_iter().find(|event| event["number"] == number)
    })
}

fn worktree(world: &World, run: &Run) -> PathBuf {
    text(&world.show(run), "worktree_path").into()
}

/// A run with two turns that has ended.
fn two_turns() -> (World, Repo, Run) {
    let (world, repo) = world(working());
    let run = begin(&world, &repo);
    run.wait_for_output("ready");
    world.ok(&["send", &run.id, "the second message"]);
    world.release("agent");
    wait_for_checkpoint(&run, 1);
    fs::write(run.file("go"), "").unwrap();
    assert_eq!(world.ended(&run)["state"], "completed");
    (world, repo, run)
}

fn work(world: &World, run: &Run) -> String {
    fs::read_to_string(worktree(world, run).join("work.txt")).unwrap_or_default()
}

#[test]
fn each_turn_has_a_checkpoint_with_its_message_and_its_diff() {
    let (world, repo, run) = two_turns();
    let recorded = events(&run, "checkpoint");
    assert_eq!(recorded.len(), 2, "{recorded:#?}");
    assert_eq!(recorded[0]["left_out"][0], ".env");
    assert_eq!(recorded[1]["left_out"], Value::Null, "the same names are not repeated");
    let list = world.json(&["checkpoint", "ls", &run.id])["data"].take();
    let all = list["checkpoints"].as_array().unwrap();
    let numbers: Vec<_> = all.iter().map(|one| (&one["number"], &one["turn"], &one["files"])).collect();
    assert_eq!(numbers, [(&2.into(), &2.into(), &2.into()), (&1.into(), &1.into(), &1.into())], "{list:#}");
    assert_eq!(all[0]["conversation"], format!("conversation-of-{}", run.id));
    assert_eq!(all[0]["commit"], recorded[1]["commit"]);
    assert_eq!(repo.git(&["rev-parse", text(&list, "reference")]).trim(), text(&all[0], "commit"));
    // The second message came before the end of the first turn.
    let first = world.json(&["checkpoint", "show", &run.id, "1"])["data"].take();
    assert_eq!((&first["messages"][0], &first["messages"][1]), (&"do it".into(), &"the second message".into()));
    let shown = world.json(&["checkpoint", "show", &run.id])["data"].take();
    assert_eq!((&shown["number"], shown["changed_files"].as_array().unwrap().len()), (&2.into(), 2), "{shown:#}");
    let diff = world.json(&["checkpoint", "diff", &run.id])["data"].take();
    assert!(text(&diff, "diff").contains("-one\n+two"), "{diff:#}");
    let whole = world.ok(&["checkpoint", "diff", &run.id, "2", "--from", "0", "--name-only"]);
    assert_eq!(whole.stdout, "new.txt\nwork.txt\n");
    let lines = world.ok(&["checkpoint", "ls", &run.id]).stdout;
    assert!(lines.contains("end of turn 2"), "{lines}");
}

#[test]
fn files_of_a_finished_run_are_restored_and_the_restore_is_taken_back() {
    let (world, _repo, run) = two_turns();
    let restored = world.json(&["checkpoint", "restore", &run.id, "1"])["data"].take();
    assert_eq!((work(&world, &run).as_str(), &restored["before"]), ("one\n", &2.into()));
    assert!(!worktree(&world, &run).join("new.txt").exists());
    assert_eq!(fs::read_to_string(worktree(&world, &run).join(".env")).unwrap(), "secret\n");
    let event = &events(&run, "restored")[0];
    assert_eq!((&event["number"], &event["before"]), (&1.into(), &2.into()));
    let undo: Vec<&str> = text(&restored, "undo").split(' ').skip(1).collect();
    world.ok(&undo);
    assert_eq!(work(&world, &run), "two\n");
    world.error(&["checkpoint", "restore", &run.id, "99"], ErrorCode::CheckpointNotFound);
    world.error(&["checkpoint", "diff", &run.id, "99"], ErrorCode::CheckpointNotFound);
    world.error(&["checkpoint", "show", &run.id, "99"], ErrorCode::CheckpointNotFound);
}

#[test]
fn a_removal_takes_the_checkpoints_with_it() {
    let (world, repo, run) = two_turns();
    let refs = || repo.git(&["for-each-ref", "--format=%(refname)", "refs/agency/checkpoints"]);
    assert_eq!(refs().lines().count(), 1);
    world.ok(&["rm", &run.id]);
    assert_eq!(refs(), "");
    assert!(!run.file("checkpoint-index").exists());
    world.error(&["checkpoint", "restore", &run.id, "1"], ErrorCode::InvalidState);
    world.ok(&["restore", &run.id]);
}

/// Interrupted, it gives up its turn; each message after that ends a turn of its own.
fn interruptible() -> Agent {
    conversation::speaking(
        "hear_message\necho one >work.txt\ntell ready\nwhile hear; do\n  if is '\"subtype\":\"interrupt\"'; then\n    \
         say '{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"agency-1\"}}'\n    \
         give_up\n  elif is '\"type\":\"user\"'; then\n    tell \"heard: $(message)\"\n    finish \"$(message)\"\n  \
         fi\ndone",
    )
}

#[test]
fn an_agent_at_work_is_interrupted_only_on_request_and_told_of_the_restore() {
    let (world, repo) = world(interruptible());
    let run = begin(&world, &repo);
    run.wait_for_output("ready");
    world.error(&["checkpoint", "restore", &run.id, "0"], ErrorCode::InvalidState);
    assert_eq!(work(&world, &run), "one\n");
    let restored = world.json(&["checkpoint", "restore", "--interrupt", &run.id, "0"]);
    assert_eq!(restored["ok"], true, "{restored:#}");
    assert!(!worktree(&world, &run).join("work.txt").exists());
    assert_eq!(restored["data"]["before"], 1);
    world.ok(&["send", &run.id, "try again"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let told = text(&events(&run, "message")[0], "text").to_owned();
    assert!(told.starts_with("[agency: the user restored the files") && told.ends_with("try again"), "{told}");
    assert_eq!(open(&world, &run), Vec::<Value>::new());
}

#[test]
fn a_command_without_turns_has_a_checkpoint_of_its_end() {
    let (world, repo) = world(Agent::new("echo made >made.txt"));
    let run = world.begin(&repo, "agent", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let list = world.json(&["checkpoint", "ls", &run.id])["data"]["checkpoints"].take();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["cause"]), (1, &"end".into()), "{list:#}");
    assert_eq!(world.ok(&["checkpoint", "diff", &run.id, "--name-only"]).stdout, "made.txt\n");
}

#[test]
fn a_run_that_changes_nothing_has_no_checkpoint_and_one_in_place_says_why() {
    let (world, repo) = world(agent::quiet());
    let run = world.begin(&repo, "agent", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(world.json(&["checkpoint", "ls", &run.id])["data"]["checkpoints"], Value::Array(vec![]));
    let here = world.begin(&repo, "agent", &["--host", "detached", "--mode", "headless", "--workspace", "none"]);
    assert_eq!(world.ended(&here)["state"], "completed");
    let error = world.error(&["checkpoint", "ls", &here.id], ErrorCode::InvalidState);
    assert!(text(&error, "message").contains("no worktree of its own"), "{error:#}");
    assert_eq!(repo.git(&["for-each-ref", "refs/agency"]), "");
}
