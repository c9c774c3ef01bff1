//! What something still needs is kept, although it landed or changed nothing.

use std::time::Duration;

use agency_system::lock::Lock;
use agency_testkit::{Run, World, agent, conversation, wait_for};
use rusqlite::Connection;

use super::{AT_ONCE, COMMIT, DETACHED, decision, finished, gc, is_kept, is_removed, started, worktree, world};

fn resumed(world: &World, parent: &Run) -> Run {
    let answer = world.json(&["resume", &parent.id, "--prompt", "go on"]);
    world.run_with_id(answer["data"]["id"].as_str().unwrap_or_else(|| panic!("{answer:#}")))
}

#[test]
fn a_live_run_is_kept() {
    let (world, repo) = world(AT_ONCE);
    let run = started(&world, &repo, agent::waiting());
    run.wait_for_output("ready");
    is_kept(&world, &run, "is running");
    world.ok(&["stop", &run.id]);
}

#[test]
fn a_worktree_in_which_another_run_works_is_kept_and_goes_with_the_last_of_them() {
    let (world, repo) = world(AT_ONCE);
    let agent = conversation::speaking(
        "hear_message\ncase \"$*\" in *--resume*) permission 1; hear_any_reply ;; esac\nfinish done\nhear_the_end",
    );
    let parent = started(&world, &repo, agent);
    world.ended(&parent);
    parent.wait_until_unsupervised();
    let child = resumed(&world, &parent);
    for run in [&parent, &child] {
        is_kept(&world, run, "is running");
    }
    world.ok(&["stop", &child.id]);
    child.wait_until_unsupervised();
    let report = gc(&world, &["--yes"]);
    for run in [&parent, &child] {
        assert_eq!(decision(&report, run).0, "removed", "{report:#}");
        is_removed(&world, run);
    }
}

#[test]
fn work_that_the_first_of_two_runs_landed_goes_with_both() {
    let (world, repo) = world(AT_ONCE);
    let script =
        "hear_message\n[ -e new ] || { echo x >new; git add new; git commit -qm w; }\nfinish done\nhear_the_end";
    let parent = started(&world, &repo, conversation::speaking(script));
    world.ended(&parent);
    world.ok(&["land", &parent.id, "--strategy", "squash"]);
    let child = resumed(&world, &parent);
    world.ended(&child);
    child.wait_until_unsupervised();
    let report = gc(&world, &["--yes"]);
    for run in [&parent, &child] {
        assert_eq!(decision(&report, run).0, "removed", "{report:#}");
        is_removed(&world, run);
    }
}

#[test]
fn a_named_agent_is_kept() {
    let (world, repo) = world(AT_ONCE);
    world.agent("talker", conversation::echoing());
    let path = repo.path.to_str().unwrap();
    let spawned = world.json(&["agent", "spawn", "alice", "--repo", path, "--runner", "talker", "--prompt", "do it"]);
    assert_eq!(spawned["ok"], true, "{spawned:#}");
    world.ok(&["agent", "stop", "alice"]);
    let run = world.runs().remove(0);
    run.wait_until_unsupervised();
    is_kept(&world, &run, "named agent");
}

#[test]
fn open_comments_keep_a_run_until_they_are_settled() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, COMMIT);
    world.ok(&["review", &run.id, "--comment", "new:1:Why?"]);
    world.ok(&["land", &run.id]);
    is_kept(&world, &run, "comments on its work are open");
}

#[test]
fn a_run_that_lands_is_kept_until_the_landing_is_done() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let lock = Lock::take(&run.file("land.lock"), Duration::ZERO).unwrap().unwrap();
    is_kept(&world, &run, "agency land is at work");
    drop(lock);
    gc(&world, &["--yes"]);
    is_removed(&world, &run);
}

#[test]
fn a_run_whose_agent_outlived_its_supervisor_is_kept() {
    let (world, repo) = world(AT_ONCE);
    let run = started(&world, &repo, agent::waiting());
    run.wait_for_output("ready");
    run.kill_supervisor();
    world.ended(&run);
    assert!(!run.processes().is_empty(), "the agent is alive");
    is_kept(&world, &run, "a process of its agent is alive");
    world.kill_everything();
    wait_for("the end of the agent", Duration::from_secs(30), || run.processes().is_empty().then_some(()));
}

#[test]
fn a_run_in_the_users_own_checkout_is_not_decided_about() {
    let (world, repo) = world(AT_ONCE);
    let shared = world.begin(&repo, "scripted", &[&DETACHED[..], &["--workspace", "none"]].concat());
    world.ended(&shared);
    let report = gc(&world, &["--yes"]);
    assert_eq!(report["entries"], serde_json::json!([]), "{report:#}");
    assert!(repo.path.join("README.md").exists() && world.show(&shared)["removed_at"].is_null());
}

#[test]
fn a_run_that_changed_since_the_plan_is_kept() {
    let (world, repo) = world(AT_ONCE);
    let (first, second) = (finished(&world, &repo, "true"), finished(&world, &repo, "true"));
    // The question is asked after the plan is made.
    let terminal = world.terminal(&["gc"]);
    terminal.wait_for_text("Remove 2 runs (");
    std::fs::write(worktree(&world, &second).join("new"), "x").unwrap();
    terminal.send_keys(&["y", "Enter"]);
    assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
    is_removed(&world, &first);
    is_kept(&world, &second, "1 file is not committed");
}

#[test]
fn a_conversation_that_continues_in_another_worktree_keeps_the_first() {
    let (world, repo) = world(AT_ONCE);
    let (first, second) = (finished(&world, &repo, "true"), finished(&world, &repo, "true"));
    let database = Connection::open(world.agency_home().join("agency.db")).unwrap();
    database.execute("UPDATE runs SET parent_id = ?1 WHERE id = ?2", [&first.id, &second.id]).unwrap();
    is_kept(&world, &first, "continues its conversation");
}

#[test]
fn an_open_question_keeps_a_run() {
    let (world, repo) = world(AT_ONCE);
    let run = started(&world, &repo, conversation::asking(1));
    let limit = Duration::from_secs(30);
    wait_for("the question", limit, || world.json(&["inbox"])["data"]["questions"].get(0).map(drop));
    world.ok(&["stop", &run.id]);
    run.wait_until_unsupervised();
    // A question of a finished run is usually expired.
    let database = Connection::open(world.agency_home().join("agency.db")).unwrap();
    let copied = database.execute(
        "INSERT INTO questions (id, run_id, attempt, state, kind, content, asked_at) \
         SELECT 'q_01J0000000000000000000000A', run_id, attempt, 'open', kind, content, asked_at FROM questions",
        [],
    );
    assert_eq!(copied.unwrap(), 1);
    is_kept(&world, &run, "a question of its agent is open");
}
