//! A database that is locked, damaged, or from the future.

use std::fs;

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World};
use rusqlite::Connection;

use super::refusal::{answers, hints, refused, run_prompted, says, world};

/// A world in which one run is over.
fn with_a_run() -> (World, Repo) {
    let (world, repo) = world();
    world.json(&run_prompted(&repo, &["--wait"]));
    // A supervisor tidies the database after its run is over.
    world.runs().iter().for_each(Run::wait_until_unsupervised);
    (world, repo)
}

fn open(world: &World) -> Connection {
    Connection::open(world.agency_home().join("agency.db")).unwrap()
}

/// Changes the bytes of the database file, once everything is in it.
fn change(world: &World, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let connection = open(world);
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    connection.close().unwrap();
    let file = world.agency_home().join("agency.db");
    let mut bytes = fs::read(&file).unwrap();
    change(&mut bytes);
    fs::write(&file, &bytes).unwrap();
    bytes
}

/// Every way to the database fails alike, and the file stays as it is.
#[track_caller]
fn unusable(world: &World, repo: &Repo, bytes: &[u8], words: &[&str], hint: &str) {
    let run = run_prompted(repo, &[]);
    for arguments in [&run[..], &["ls"], &["show", "r_0"], &["rm", "--all-finished"], &["reconcile"]] {
        let error = answers(world, || world.command(arguments), ErrorCode::DbError);
        says(&error, words);
        hints(&error, hint);
    }
    assert!(fs::read(world.agency_home().join("agency.db")).unwrap() == bytes, "the file was changed");
    assert_eq!((repo.worktrees().len(), repo.branches().len()), (2, 2), "the first run's, and no other");
}

// proves L18
#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let (world, repo) = with_a_run();
    let bytes = change(&world, |bytes| bytes[..16].copy_from_slice(b"not a database!!"));
    unusable(&world, &repo, &bytes, &["agency.db", "is damaged"], "agency doctor");
}

// proves L18
#[test]
fn a_database_with_a_broken_table_is_refused_and_left_as_it_is() {
    let (world, repo) = with_a_run();
    // The first page holds the schema; it begins after the header of a hundred bytes.
    let bytes = change(&world, |bytes| bytes[100..1000].fill(0xa5));
    unusable(&world, &repo, &bytes, &["malformed"], "agency doctor");
}

// proves L18
#[test]
fn the_doctor_names_a_damaged_database() {
    let (world, _) = with_a_run();
    change(&world, |bytes| bytes[..16].fill(0));
    let output = world.agency(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output}");
    let answer = output.object();
    let checks = answer["data"]["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "database").unwrap();
    assert_eq!(check["health"], "problem", "{check:#}");
    assert!(check["fix"].as_str().unwrap().contains("agency.db"), "{check:#}");
}

// proves L10, L18
#[test]
fn a_database_from_a_newer_version_is_refused_and_left_as_it_is() {
    let (world, repo) = with_a_run();
    open(&world).pragma_update(None, "user_version", 999).unwrap();
    let bytes = change(&world, |_| {});
    let words = ["agency.db", "schema version 999", "knows versions up to"];
    unusable(&world, &repo, &bytes, &words, "newer agency");
    let version: i64 = open(&world).query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 999);
}

// proves L18
#[test]
fn a_database_that_stays_locked_is_refused_and_reading_goes_on() {
    let (world, repo) = with_a_run();
    world.configure("[database]\nlock_timeout_seconds = 1\n");
    let holder = open(&world);
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error = refused(&world, &repo, &run_prompted(&repo, &[]), ErrorCode::DbLocked);
    says(&error, &["locked by another process for 1 s"]);
    hints(&error, "another program holds the database");
    holder.execute_batch("ROLLBACK").unwrap();
    let run = world.json(&run_prompted(&repo, &["--wait"]));
    assert_eq!(run["data"]["state"], "completed", "{run:#}");
}

// proves L18
#[test]
fn a_new_database_that_another_process_holds_is_refused() {
    let (world, repo) = world();
    world.configure("[database]\nlock_timeout_seconds = 1\n");
    let holder = open(&world);
    holder.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE strange (x)").unwrap();
    answers(&world, || world.command(&run_prompted(&repo, &[])), ErrorCode::DbLocked);
    drop(holder);
    assert_eq!((repo.worktrees().len(), repo.branches()), (1, vec!["main".to_owned()]));
}
