//! Rows are rebuilt from the files of the runs.

use std::fs;
use std::path::Path;

use agency_testkit::{JjKind, World, agent, conversation};
use serde_json::{Value, json};

use super::fixture::{
    DETACHED, all_answers, back_up, bring_back, complaints, lose_database, prepare, question_of, question_rows, until,
    world,
};

const WORKFLOW: &str = "name: two\ndefaults: { adapter: quiet, mode: headless }\nsteps:\n  \
    - { name: work, type: agent, prompt: go }\n  - { name: agree, type: approval, message: Shall we }\n";

#[test]
fn a_lost_database_is_recovered_completely_with_every_kind_of_run() {
    let world = World::with_jj(Path::new(env!("CARGO_BIN_EXE_agency")));
    prepare(&world);
    world.set("max_agents", "3");
    let repo = world.repo("project");
    for (name, agent) in [
        ("quiet", agent::quiet()),
        ("failing", agent::failing(3)),
        ("waiting", agent::waiting()),
        ("asking", conversation::asking(1)),
        ("brief", conversation::brief()),
        ("staying", conversation::staying()),
    ] {
        world.agent(name, agent);
    }
    // What ended, in every way.
    let completed = world.begin(&repo, "quiet", &[&DETACHED[..], &["--name", "tidy"]].concat());
    let in_tmux = world.begin(&repo, "quiet", &["--host", "tmux"]);
    let failed = world.begin(&repo, "failing", &DETACHED);
    for run in [&completed, &in_tmux, &failed] {
        world.ended(run);
    }
    let killed = world.begin(&repo, "waiting", &DETACHED);
    killed.wait_for_output("ready");
    world.ok(&["stop", &killed.id]);
    let dead = world.begin(&repo, "waiting", &DETACHED);
    dead.wait_for_output("ready");
    dead.kill_supervisor();
    world.ok(&["reconcile"]);
    let removed = world.begin(&repo, "brief", &DETACHED);
    world.ended(&removed);
    world.ok(&["rm", &removed.id]);
    assert!(world.show(&removed)["saved_ref"].is_string());
    let parent = world.begin(&repo, "brief", &DETACHED);
    world.ended(&parent);
    world.ok(&["resume", &parent.id, "--prompt", "go on"]);
    let jj = world.jj_repo("jj", JjKind::Alone);
    let with_jj = world.begin(&jj, "quiet", &[&DETACHED[..], &["--vcs", "jj"]].concat());
    world.ended(&with_jj);
    let answered = world.begin(&repo, "asking", &DETACHED);
    world.ok(&["answer", &question_of(&world, &answered), "allow"]);
    world.ended(&answered);
    let docs = world.root().join("docs");
    fs::create_dir(&docs).unwrap();
    fs::write(world.root().join("home/sources.toml"), format!("[sources.docs]\ndir = {docs:?}\n")).unwrap();
    world.agency(&["ask", "-s", "docs", "--runner", "failing", "What?"]);
    let file = world.root().join("workflow.yaml");
    fs::write(&file, WORKFLOW).unwrap();
    let mut command = world.command(&["--json", "workflow", "run", file.to_str().unwrap(), "--detach"]);
    let session = world.run(command.current_dir(&repo.path)).object()["data"]["session"].as_str().unwrap().to_owned();
    let state = || world.json(&["workflow", "show", &session])["data"]["state"].take();
    until("the workflow waits", || state() == "waiting");
    // What lives.
    let path = repo.path.to_str().unwrap();
    world.ok(&["agent", "spawn", "helper", "--repo", path, "--runner", "staying", "--prompt", "hello"]);
    let asking = world.begin(&repo, "asking", &[&DETACHED[..], &["--name", "asker"]].concat());
    question_of(&world, &asking);
    let running = world.begin(&repo, "waiting", &DETACHED);
    running.wait_for_output("ready");
    // The row changes once more after the output is in the log.
    until("its output is noted as an activity", || world.show(&running)["activity"] == "unknown");
    let queued = world.begin(&repo, "quiet", &DETACHED);
    assert_eq!(world.show(&queued)["state"], "queued");
    for run in [&completed, &in_tmux, &failed, &killed, &parent, &with_jj, &answered] {
        run.wait_until_unsupervised();
    }
    let helper = || world.json(&["agent", "show", "helper"])["data"]["agent_state"].take();
    until("the helper is idle", || helper() == "idle");

    let before = all_answers(&world);
    let questions = question_rows(&world);
    lose_database(&world);
    let lost = world.ok(&["ls", "--all"]);
    assert!(lost.stderr.contains("agency reconcile"), "{lost}");
    let said = complaints(&world);
    assert!(said.iter().any(|(said, fix)| said.contains("contain more") && fix == "agency reconcile"), "{said:?}");
    assert!(said.iter().all(|(_, fix)| fix == "agency reconcile"), "nothing else is advised: {said:?}");
    let adopted = world.json(&["reconcile"])["data"].take();
    assert_eq!(adopted["adopted"].as_array().unwrap().len(), world.runs().len(), "{adopted:#}");
    assert_eq!((&adopted["runs"], &adopted["swept"]), (&json!([]), &json!([])), "{adopted:#}");
    let after = all_answers(&world);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
    assert_eq!(questions, question_rows(&world));
    let quiet = world.ok(&["ls", "--all"]);
    assert!(!quiet.stderr.contains("agency reconcile"), "{quiet}");
    assert_eq!(complaints(&world), []);

    // Everybody goes on with the new database.
    world.ok(&["answer", &question_of(&world, &asking), "allow"]);
    assert_eq!(world.ended(&asking)["state"], "completed");
    world.release("waiting");
    assert_eq!(world.ended(&running)["state"], "completed");
    assert_eq!(world.ended(&queued)["state"], "completed");
    world.ok(&["workflow", "approve", &session]);
    until("the workflow is over", || state() == "completed");
    world.ok(&["agent", "stop", "helper"]);
}

/// The rows of the older copy lag behind the files in every way.
#[test]
fn rows_of_an_older_copy_of_the_database_are_brought_up_to_the_files() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("brief", conversation::brief());
    world.agent("waiting", agent::waiting());
    world.agent("asking", conversation::asking(1));
    let removed = world.begin(&repo, "brief", &DETACHED);
    world.ended(&removed);
    let ended = world.begin(&repo, "waiting", &DETACHED);
    ended.wait_for_output("ready");
    let [killed, gone, live] = [(), (), ()].map(|()| {
        let run = world.begin(&repo, "asking", &DETACHED);
        question_of(&world, &run);
        run
    });
    let backup = back_up(&world);
    world.ok(&["rm", &removed.id]);
    world.release("waiting");
    world.ended(&ended);
    world.ok(&["stop", &killed.id]);
    gone.kill_supervisor();
    world.ok(&["reconcile"]);
    let new = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&new);
    for run in [&removed, &ended, &killed, &new] {
        run.wait_until_unsupervised();
    }
    let before = all_answers(&world);
    let questions = question_rows(&world);
    bring_back(&world, &backup);
    world.ok(&["reconcile"]);
    for (before, after) in before.iter().zip(&all_answers(&world)) {
        assert_eq!(before, after);
    }
    assert_eq!(questions, question_rows(&world));
    world.ok(&["answer", &question_of(&world, &live), "allow"]);
    assert_eq!(world.ended(&live)["state"], "completed");
}

#[test]
fn a_run_whose_snapshot_is_rubbish_is_rebuilt_from_its_spec_and_events() {
    let (world, repo) = world();
    world.agent("failing", agent::failing(3));
    let mut before = vec![];
    let runs = [world.begin(&repo, "failing", &DETACHED), world.begin(&repo, "failing", &["--name", "fix"])];
    for run in &runs {
        world.ended(run);
        run.wait_until_unsupervised();
        before.push(world.show(run));
    }
    fs::write(runs[0].file("meta.json"), "{\"id\": 7").unwrap();
    fs::remove_file(runs[1].file("meta.json")).unwrap();
    lose_database(&world);
    world.ok(&["reconcile"]);
    for (run, before) in runs.iter().zip(&before) {
        let after = world.show(run);
        for field in [
            "id",
            "name",
            "state",
            "exit_code",
            "reason",
            "error",
            "repo",
            "base_ref",
            "base_commit",
            "new_branch",
            "worktree_path",
            "runner",
            "mode",
            "host",
            "attempt",
            "kind",
            "vcs",
            "changed_files",
        ] {
            assert_eq!(before[field], after[field], "{field} of {after:#}");
        }
        world.ok(&["rm", "--delete-branch", &run.id]);
    }
    assert_eq!(repo.branches(), ["main"]);
}

#[test]
fn a_hostile_snapshot_leads_nowhere() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let precious = world.root().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "mine").unwrap();
    let other = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&other);
    let outside = [
        json!({"worktree_path": precious}),
        json!({"worktree_path": format!("{}/worktrees/x/../../../precious", world.agency_home().display())}),
        json!({"worktree_path": world.agency_home().join("worktrees")}),
        json!({"workspace": "scratch", "repo_path": precious, "worktree_path": null}),
        json!({"id": other.id}),
        json!({"new_branch": "--force"}),
        json!({"base_commit": "--output=x"}),
    ];
    for change in outside {
        let run = world.begin(&repo, "quiet", &DETACHED);
        world.ended(&run);
        run.wait_until_unsupervised();
        let worktree = world.show(&run)["worktree_path"].take();
        let mut meta: Value = serde_json::from_slice(&fs::read(run.file("meta.json")).unwrap()).unwrap();
        for (name, value) in change.as_object().unwrap() {
            meta[name] = value.clone();
        }
        fs::write(run.file("meta.json"), meta.to_string()).unwrap();
        lose_database(&world);
        world.ok(&["reconcile"]);
        assert_eq!(world.show(&run)["worktree_path"], worktree, "{change}: the other files are believed");
        world.ok(&["rm", "--delete-branch", "--force", &run.id]);
        assert_eq!(fs::read_to_string(precious.join("file")).unwrap(), "mine", "{change}");
    }
}

#[test]
fn only_a_directory_that_holds_nothing_is_deleted() {
    let (world, _) = world();
    world.ok(&["ls"]);
    let runs = world.agency_home().join("runs");
    let make = |id: &str, files: &[&str]| {
        let directory = runs.join(id);
        fs::create_dir_all(directory.join("logs")).unwrap();
        files.iter().for_each(|name| fs::write(directory.join(name), "x").unwrap());
        directory
    };
    let empty = make("r_01ARZ3NDEKTSV4RRFFQ69G5FA0", &["creator.lock"]);
    let kept = [
        make("r_01ARZ3NDEKTSV4RRFFQ69G5FA1", &["creator.lock", "logs/runner.log"]),
        make("r_01ARZ3NDEKTSV4RRFFQ69G5FA2", &["creator.lock", "done.json"]),
        make("r_01ARZ3NDEKTSV4RRFFQ69G5FA3", &["creator.lock", "notes.txt"]),
    ];
    let found = world.json(&["reconcile"])["data"].take();
    assert!(!empty.exists());
    assert!(found["swept"].to_string().contains("FA0"), "{found:#}");
    for directory in &kept {
        assert!(directory.exists());
        assert!(found["found"]["unadoptable"].to_string().contains(directory.to_str().unwrap()), "{found:#}");
    }
    // What the advice says is safe to do, and ends the complaint.
    for (said, fix) in complaints(&world) {
        let (_, command) = fix.split_once(": ").unwrap_or_else(|| panic!("{said}: {fix}"));
        assert!(world.run(world.program("sh").args(["-c", command])).status.success(), "{fix}");
    }
    assert_eq!(complaints(&world), []);
    let aside = || fs::read_dir(world.agency_home().join("kept")).unwrap().map(|entry| entry.unwrap().path());
    for directory in &kept {
        let moved = aside().find(|place| place.join(directory.file_name().unwrap()).join("creator.lock").exists());
        assert!(moved.is_some(), "{}", directory.display());
    }
}

#[test]
fn a_recovery_that_is_killed_half_way_is_completed_by_the_next() {
    let (world, repo) = world();
    world.agent("asking", conversation::asking(1));
    let run = world.begin(&repo, "asking", &DETACHED);
    question_of(&world, &run);
    run.kill_supervisor();
    lose_database(&world);
    let killed = world.run(world.command(&["reconcile"]).env("AGENCY_FAULT_POINT", "reconcile.adopted"));
    assert!(!killed.status.success());
    world.ok(&["reconcile"]);
    assert_eq!(world.show(&run)["state"], "failed");
    let questions = question_rows(&world);
    assert!(questions.len() == 1 && questions[0].contains("expired"), "{questions:?}");
    run.wait_until_gone();
    assert_eq!(complaints(&world), []);
}
