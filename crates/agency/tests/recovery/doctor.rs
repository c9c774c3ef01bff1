//! `agency doctor` answers whatever happened to the database, and its advice loses nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_testkit::{World, agent, conversation};
use serde_json::Value;

use super::fixture::{DETACHED, all_answers, complaints, world};

/// What the check of the database says: its health, message and fix, and the exit code of doctor.
fn database_check(world: &World) -> (Value, Option<i32>) {
    let output = world.agency(&["doctor", "--json"]);
    let mut answer = output.object();
    assert_eq!(answer["ok"], true, "doctor always answers: {output}");
    let checks = answer["data"]["checks"].take();
    let check = checks.as_array().unwrap().iter().find(|check| check["name"] == "database").unwrap().clone();
    (check, output.status.code())
}

#[test]
fn for_a_database_of_a_newer_version_the_advice_is_to_upgrade() {
    let (world, _) = world();
    world.ok(&["ls"]);
    let path = world.agency_home().join("agency.db");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 1000).unwrap();
    let (check, code) = database_check(&world);
    assert_eq!((&check["health"], code), (&"problem".into(), Some(1)));
    let fix = check["fix"].as_str().unwrap();
    assert!(fix.contains("upgrade agency") && !fix.contains("mv"), "{fix}");
}

#[test]
fn doctor_answers_for_every_damaged_page_and_its_fix_rebuilds_the_database() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("asking", conversation::asking(1));
    for number in 0..4 {
        let run = world.begin(&repo, "quiet", &[&DETACHED[..], &["--name", &format!("run-{number}")]].concat());
        world.ended(&run);
        run.wait_until_unsupervised();
    }
    let before = all_answers(&world);
    let path = world.agency_home().join("agency.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(connection);
    let good = fs::read(&path).unwrap();
    let size = 4096;
    let mut rebuilt = 0;
    for page in 0..good.len() / size {
        for filler in [0x00, 0xff, 0x5a] {
            let mut bad = good.clone();
            bad[page * size..(page + 1) * size].fill(filler);
            for leftover in ["agency.db-wal", "agency.db-shm"] {
                let _ = fs::remove_file(world.agency_home().join(leftover));
            }
            fs::write(&path, &bad).unwrap();
            let (check, code) = database_check(&world);
            if check["health"] == "ok" {
                // A page that holds nothing may hold anything.
                assert_eq!(code, Some(0), "page {page}: {check}");
                assert_eq!(all_answers(&world), before, "page {page}");
                continue;
            }
            assert_eq!((&check["health"], code), (&"problem".into(), Some(1)), "page {page}: {check}");
            let fix = check["fix"].as_str().unwrap();
            assert!(fix.contains("agency.db*") && fix.contains("agency reconcile"), "page {page}: {fix}");
            if filler == 0x5a && rebuilt < 3 {
                rebuilt += 1;
                follow(&world, fix);
                assert_eq!(all_answers(&world), before, "page {page}");
                assert_eq!(complaints(&world), [], "page {page}");
            }
        }
    }
    assert_eq!(rebuilt, 3);
}

#[test]
fn a_remote_that_publishes_checkpoints_is_named_until_its_fix_was_followed() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&run);
    let backup = world.root().join("backup.git").display().to_string();
    repo.git(&["init", "-q", "--bare", &backup]);
    repo.git(&["remote", "add", "origin", &backup]);
    let remotes = || {
        let checks = world.agency(&["doctor", "--json"]).object()["data"]["checks"].take();
        checks.as_array().unwrap().iter().find(|check| check["name"] == "remotes").cloned()
    };
    assert_eq!(remotes(), None);
    repo.git(&["remote", "add", "--mirror=push", "backup", &backup]);
    let check = remotes().unwrap();
    assert_eq!(check["health"], "warning", "{check}");
    assert!(check["message"].as_str().unwrap().contains("'backup'"), "{check}");
    let fix = check["fix"].as_str().unwrap().split(',').next().unwrap().to_owned();
    let words: Vec<&str> = fix.split(' ').skip(1).collect();
    repo.git(&words);
    assert_eq!(remotes(), None);
}

#[test]
fn a_run_that_its_id_does_not_lead_to_any_more_is_damage() {
    a_run_that_is_not_in_an_index_is_damage("sqlite_autoindex_runs_1");
}

#[test]
fn a_run_that_a_list_of_runs_would_not_have_is_damage() {
    for index in ["runs_present", "runs_by_state", "runs_by_repo"] {
        a_run_that_is_not_in_an_index_is_damage(index);
    }
}

/// Changes the id of the only run in one index.
#[track_caller]
fn a_run_that_is_not_in_an_index_is_damage(index: &str) {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&run);
    run.wait_until_unsupervised();
    let path = world.agency_home().join("agency.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root: u32 = connection.query_row(root, [index], |row| row.get(0)).unwrap();
    let root = usize::try_from(root).unwrap();
    drop(connection);
    let mut bytes = fs::read(&path).unwrap();
    let page = &mut bytes[(root - 1) * 4096..root * 4096];
    let place = page.windows(run.id.len()).position(|part| part == run.id.as_bytes()).unwrap();
    let last = &mut page[place + run.id.len() - 1];
    *last = if *last == b'0' { b'1' } else { b'0' };
    fs::write(&path, &bytes).unwrap();
    let (check, code) = database_check(&world);
    assert_eq!((&check["health"], code), (&"problem".into(), Some(1)), "{index}: {check}");
    assert!(check["fix"].as_str().unwrap().contains("agency reconcile"), "{index}: {check}");
}

/// Does what an advice says, as a user would.
pub(super) fn follow(world: &World, fix: &str) {
    let (command, _) = fix.split_once(", which").unwrap();
    let command = command.replace("agency reconcile", "\"$AGENCY\" reconcile");
    let agency = world.command(&[]).get_program().to_owned();
    let output = world.run(world.program("sh").args(["-c", &command]).env("AGENCY", agency));
    assert!(output.status.success(), "{command}: {output}");
    // Within one second the next advice has the same name for the place.
    for entry in fs::read_dir(world.agency_home()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("damaged-") {
            assert!(path.join("agency.db").exists(), "what was damaged is kept");
            fs::remove_dir_all(path).unwrap();
        }
    }
}

#[test]
fn a_home_that_cannot_be_created_or_written_is_a_problem() {
    let (world, _) = world();
    let file = world.root().join("file");
    fs::write(&file, "").unwrap();
    for home in [file.join("agency"), file.join("deep/agency"), file.clone(), "/proc/agency".into(), "/proc/1/x".into()]
    {
        let output = world.run(world.command(&["doctor", "--json"]).env("AGENCY_HOME", &home));
        let answer = output.object()["data"].take();
        assert_eq!(
            (&answer["healthy"], output.status.code()),
            (&false.into(), Some(1)),
            "{}: {answer:#}",
            home.display()
        );
        let checks = answer["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "home").unwrap();
        assert_eq!(check["health"], "problem", "{}: {check}", home.display());
    }
    let fresh = world.root().join("not/yet/there");
    let output = world.run(world.command(&["doctor", "--json"]).env("AGENCY_HOME", &fresh));
    assert_eq!(output.object()["data"]["healthy"], true, "{output}");
}

#[test]
fn a_worktree_that_a_resumed_run_still_holds_belongs_to_it() {
    let (world, repo) = world();
    world.agent("brief", conversation::brief());
    let parent = world.begin(&repo, "brief", &DETACHED);
    world.ended(&parent);
    let answer = world.json(&["resume", &parent.id, "--prompt", "go on"]);
    let child = world.run_with_id(answer["data"]["id"].as_str().unwrap());
    world.ended(&child);
    child.wait_until_unsupervised();
    world.ok(&["rm", &parent.id]);
    assert_eq!(complaints(&world), []);
    let plan = world.json(&["reconcile", "--dry-run"])["data"]["found"]["worktrees"].take();
    assert_eq!(plan, serde_json::json!([]));
}

#[test]
fn following_the_advice_about_a_worktree_without_a_run_loses_nothing() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    let worktree = world.ended(&run)["worktree_path"].as_str().unwrap().to_owned();
    world.ok(&["rm", &run.id]);
    fs::create_dir_all(&worktree).unwrap();
    fs::write(format!("{worktree}/late.txt"), "precious\n").unwrap();
    let said = complaints(&world);
    let [(message, fix)] = said.as_slice() else { panic!("{said:?}") };
    assert!(message.contains("belongs to no run") && !fix.contains("rm "), "{said:?}");
    let (_, command) = fix.split_once(": ").unwrap();
    assert!(world.run(world.program("sh").args(["-c", command])).status.success(), "{fix}");
    assert_eq!(complaints(&world), []);
    let (_, aside) = command.rsplit_once(' ').unwrap();
    assert!(aside.starts_with(world.agency_home().join("kept").to_str().unwrap()), "{fix}");
    assert_eq!(fs::read_to_string(format!("{aside}{}/late.txt", run.id)).unwrap(), "precious\n");
}

#[test]
fn git_keeps_what_only_a_worktree_that_was_moved_aside_leads_to() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    let worktree = world.ended(&run)["worktree_path"].as_str().unwrap().to_owned();
    run.wait_until_unsupervised();
    let git = |arguments: &[&str]| repo.git(&[&["-C", worktree.as_str()], arguments].concat()).trim().to_owned();
    git(&["checkout", "-q", "--detach"]);
    git(&["commit", "-q", "--allow-empty", "-m", "only here"]);
    fs::write(format!("{worktree}/staged.txt"), "only staged\n").unwrap();
    git(&["add", "staged.txt"]);
    let only_here = [git(&["rev-parse", "HEAD"]), git(&["rev-parse", ":staged.txt"])];
    // All that agency knew of the run is lost.
    for name in ["agency.db", "agency.db-wal", "agency.db-shm"] {
        let _ = fs::remove_file(world.agency_home().join(name));
    }
    fs::remove_dir_all(world.agency_home().join("runs").join(&run.id)).unwrap();
    world.ok(&["reconcile"]);
    let said = complaints(&world);
    let [(_, fix)] = said.as_slice() else { panic!("{said:?}") };
    let (_, command) = fix.split_once(": ").unwrap();
    assert!(world.run(world.program("sh").args(["-c", command])).status.success(), "{fix}");
    assert_eq!(complaints(&world), []);
    repo.git(&["worktree", "prune", "--expire=now"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    for object in &only_here {
        repo.git(&["cat-file", "-e", object]);
    }
}

#[test]
fn a_session_of_another_home_is_not_mentioned_and_one_without_a_mark_is_only_named() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    // Another home that uses the same tmux server.
    let other = world.root().join("other");
    fs::create_dir(&other).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = world.run_command(&repo, "waiting", &["--host", "tmux", "--json"]);
    let answer = world.run(command.env("AGENCY_HOME", &other)).object();
    let id = answer["data"]["id"].as_str().unwrap().to_owned();
    assert!(world.tmux_sessions().contains(&format!("agency_{id}")));
    assert_eq!(complaints(&world), []);
    // A session of this home whose run is gone with its files, and one of an earlier version.
    let own = world.begin(&repo, "waiting", &["--host", "tmux"]);
    own.wait_for_output("ready");
    world.ok(&["stop", &own.id]);
    let gone = "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FA0";
    let old = "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FA1";
    for session in [gone, old] {
        world.tmux(&["new-session", "-d", "-s", session, "cat"]);
    }
    world.tmux(&["set-option", "-t", gone, "@agency_home", world.agency_home().to_str().unwrap()]);
    let said = complaints(&world);
    assert_eq!(said.len(), 2, "{said:?}");
    let fix_of = |session: &str| &said.iter().find(|(message, _)| message.contains(session)).unwrap().1;
    assert!(fix_of(gone).contains("kill-session"), "{said:?}");
    assert!(!fix_of(old).contains("kill") && fix_of(old).contains("attach"), "{said:?}");
    let mut stop = world.command(&["stop", &id]);
    assert!(world.run(stop.env("AGENCY_HOME", &other)).status.success());
}
