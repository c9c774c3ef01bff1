//! What `agency reconcile --dry-run` says is what `agency reconcile` does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use agency_testkit::agent;
use serde_json::{Value, json};

use super::fixture::{DETACHED, back_up, bring_back, lose_database, world};

/// The answer without what differs between a plan and what was done.
fn comparable(mut answer: Value) -> Value {
    let mut data = answer["data"].take();
    data["dry_run"] = Value::Null;
    data["swept"] = Value::Null;
    data
}

#[test]
fn the_plan_is_what_is_done_for_every_kind_of_trace() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("stubborn", agent::stubborn());
    world.ok(&["ls"]);
    // A run that the database does not know, and one of which it knows less than the files.
    let older = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&older);
    older.wait_until_unsupervised();
    let backup = back_up(&world);
    world.ok(&["rm", &older.id]);
    let unknown = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&unknown);
    unknown.wait_until_unsupervised();
    // One whose supervisor died while its agent lives on, unknown too.
    let unknown_dead = world.begin(&repo, "stubborn", &DETACHED);
    unknown_dead.wait_for_output("ready");
    unknown_dead.kill_supervisor();
    bring_back(&world, &backup);
    // Files that do not record the end.
    let untold = world.begin(&repo, "stubborn", &DETACHED);
    untold.wait_for_output("ready");
    untold.kill_supervisor();
    world.run(world.command(&["ls"]).env("AGENCY_FAULT_POINT", "reconcile.settled"));
    let dead = world.begin(&repo, "stubborn", &DETACHED);
    dead.wait_for_output("ready");
    dead.kill_supervisor();
    // Trash, an empty run directory, a dead pid file, a worktree and a session without a run.
    let home = world.agency_home();
    fs::create_dir_all(home.join("trash/old/below")).unwrap();
    fs::create_dir_all(home.join("runs/r_01ARZ3NDEKTSV4RRFFQ69G5FA0/logs")).unwrap();
    fs::write(home.join("runs/r_01ARZ3NDEKTSV4RRFFQ69G5FA0/creator.lock"), "").unwrap();
    fs::create_dir_all(home.join("worktrees/0123456789abcdef/r_01ARZ3NDEKTSV4RRFFQ69G5FA1")).unwrap();
    world.tmux(&["new-session", "-d", "-s", "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FA2", "cat"]);

    let plan = comparable(world.json(&["reconcile", "--dry-run"]));
    let kinds = |data: &Value, key: &str| data[key].as_array().unwrap().len();
    assert_eq!(kinds(&plan, "adopted"), 3, "{plan:#}");
    assert_eq!(kinds(&plan, "runs"), 2, "{plan:#}");
    assert_eq!(plan["completed"], json!([untold.id]));
    let survivors = plan["found"]["survivors"].as_array().unwrap();
    for run in [&dead, &unknown_dead, &untold] {
        assert!(survivors.iter().any(|survivor| survivor["id"] == run.id.as_str()), "{plan:#}");
        assert!(!run.processes().is_empty(), "a plan does nothing");
    }
    assert_eq!(plan, comparable(world.json(&["reconcile", "--dry-run"])), "a plan changes nothing");
    let done = comparable(world.json(&["reconcile"]));
    assert_eq!(plan, done);
    for run in [&dead, &unknown_dead, &untold] {
        run.wait_until_gone();
    }
    let nothing = comparable(world.json(&["reconcile"]));
    for key in ["adopted", "runs", "completed"] {
        assert_eq!(nothing[key], json!([]), "{nothing:#}");
    }
    for key in ["survivors", "run_directories", "pid_files", "trash", "scratch"] {
        assert_eq!(nothing["found"][key], json!([]), "{nothing:#}");
    }
}

// what a killed command left in the temporary directory
#[test]
fn temporary_directories_of_killed_commands_are_swept() {
    let (world, _) = world();
    world.ok(&["ls"]);
    let make = |name: &str, hours: u64| {
        let path = world.root().join("tmp").join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("HEAD"), "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        let at = SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::File::open(&path).unwrap().set_modified(at).unwrap();
        path
    };
    let (dead, young) = (make("agency-git-dead", 3), make("agency-git-young", 0));
    let killed = make("agency-git-locked-killed", 0);
    let used = make("agency-git-locked-used", 0);
    let user = fs::File::open(&used).unwrap();
    user.lock().unwrap();
    let plan = world.json(&["reconcile", "--dry-run"])["data"]["found"]["temporary"].take();
    assert_eq!(plan, json!([dead, killed]));
    assert!(dead.exists(), "a plan does nothing");
    world.ok(&["reconcile"]);
    assert!(!dead.exists() && !killed.exists() && young.exists() && used.exists());
}

// the advice is given where it helps, and once where it does not
#[test]
fn ls_says_once_that_a_directory_cannot_be_adopted() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&run);
    run.wait_until_unsupervised();
    lose_database(&world);
    let broken = world.agency_home().join("runs/r_01ARZ3NDEKTSV4RRFFQ69G5FA1");
    fs::create_dir_all(broken.join("logs")).unwrap();
    fs::write(broken.join("done.json"), "x").unwrap();
    let said = world.ok(&["ls"]).stderr;
    assert!(said.contains("agency reconcile adopts what it can") && said.contains("agency doctor says why"), "{said}");
    assert!(world.ok(&["reconcile"]).stdout.contains("FA1 cannot be adopted"), "reconcile names it");
    assert_eq!(world.ok(&["ls"]).stderr, "", "reconcile has said it");
    lose_database(&world);
    fs::remove_dir_all(run.file("")).unwrap();
    let said = world.ok(&["ls"]).stderr;
    assert!(!said.contains("agency reconcile") && said.contains("1 of the directories"), "{said}");
    assert_eq!(world.ok(&["ls"]).stderr, "", "it was said");
    assert!(broken.exists());
}
