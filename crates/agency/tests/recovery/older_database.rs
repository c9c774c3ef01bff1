//! A database of the version before is opened by this one: everything in it is there, and runs that live in it end well.

use std::fs;

use agency_testkit::{World, agent, conversation};
use rusqlite::Connection;

use super::fixture::{DETACHED, all_answers, complaints, lose_database, question_of, question_rows, until, world};

/// Puts a database of version 4 with the same content in place of the current one.
fn become_version_4(world: &World) {
    let path = world.agency_home().join("agency.db");
    let draft = world.agency_home().join("draft.db");
    let old = Connection::open(&draft).unwrap();
    old.execute_batch(include_str!("schema_4.sql")).unwrap();
    let trigger: String = text(&old, "SELECT sql FROM sqlite_master WHERE name = 'runs_begin_queued'");
    old.execute_batch("DROP TRIGGER runs_begin_queued").unwrap();
    old.execute("ATTACH ?1 AS current", [path.to_str().unwrap()]).unwrap();
    for table in ["runs", "requests", "questions"] {
        let columns = text(&old, &format!("SELECT group_concat(name) FROM pragma_table_info('{table}')"));
        old.execute_batch(&format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM current.{table}"))
            .unwrap();
    }
    old.execute_batch("DETACH current").unwrap();
    old.execute_batch(&trigger).unwrap();
    let mode: String = text(&old, "PRAGMA journal_mode = WAL");
    assert_eq!(mode, "wal");
    drop(old);
    lose_database(world);
    fs::rename(draft, path).unwrap();
}

fn text(connection: &Connection, sql: &str) -> String {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn number(world: &World, sql: &str) -> i64 {
    let connection = Connection::open(world.agency_home().join("agency.db")).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn rows_questions_and_answers_of_version_4_are_read_and_its_live_runs_end() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("asking", conversation::asking(1));
    world.agent("waiting", agent::waiting());
    let ended = world.begin(&repo, "quiet", &[&DETACHED[..], &["--name", "ended"]].concat());
    world.ended(&ended);
    let answered = world.begin(&repo, "asking", &DETACHED);
    world.ok(&["answer", &question_of(&world, &answered), "allow"]);
    world.ended(&answered);
    let asking = world.begin(&repo, "asking", &DETACHED);
    let question = question_of(&world, &asking);
    let waiting = world.begin(&repo, "waiting", &DETACHED);
    waiting.wait_for_output("ready");
    until("its output is noticed", || world.show(&waiting)["activity"] == "unknown");
    for run in [&ended, &answered] {
        run.wait_until_unsupervised();
    }
    let (before, questions) = (all_answers(&world), question_rows(&world));
    let current = number(&world, "PRAGMA user_version");

    become_version_4(&world);
    assert_eq!(number(&world, "PRAGMA user_version"), 4);
    assert_eq!(all_answers(&world), before);
    assert_eq!(number(&world, "PRAGMA user_version"), current);
    // Who answered is not recorded in the older form.
    let without_caller = |row: &String| row.rsplit_once(' ').unwrap().0.to_owned();
    let now = question_rows(&world);
    assert_eq!(
        now.iter().map(without_caller).collect::<Vec<_>>(),
        questions.iter().map(without_caller).collect::<Vec<_>>()
    );
    assert!(now.iter().all(|row| row.ends_with(" -")), "{now:?}");
    assert_eq!(number(&world, "SELECT count(*) FROM runs WHERE end_recorded <> 1"), 0);
    assert_eq!(number(&world, "SELECT count(*) FROM runs"), 4);

    world.ok(&["answer", &question, "allow"]);
    world.release("waiting");
    for run in [&asking, &waiting] {
        assert_eq!(world.ended(run)["state"], "completed");
        run.wait_until_unsupervised();
        assert_eq!(run.events().last().unwrap()["type"], "completed");
    }
    assert_eq!(complaints(&world), []);
    assert_eq!(number(&world, "SELECT count(*) FROM questions WHERE answered_from IS NOT NULL"), 1);
}

#[test]
fn a_run_whose_supervisor_died_with_version_4_is_reconciled() {
    let (world, repo) = world();
    world.agent("asking", conversation::asking(1));
    let run = world.begin(&repo, "asking", &DETACHED);
    question_of(&world, &run);
    world.kill_everything();
    become_version_4(&world);
    world.ok(&["reconcile"]);
    let row = world.show(&run);
    assert_eq!((&row["state"], &row["reason"]), (&"failed".into(), &"disappeared".into()), "{row:#}");
    assert_eq!(run.events().last().unwrap()["type"], "completed");
    assert_eq!(world.json(&["inbox"])["data"]["questions"], serde_json::json!([]));
    assert_eq!(complaints(&world), []);
}

// A supervisor of the version before knows neither the column nor the table, and writes its files itself.
#[test]
fn what_a_supervisor_of_version_4_writes_into_a_migrated_database_is_complete() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &DETACHED);
    world.ended(&run);
    run.wait_until_unsupervised();
    let before = all_answers(&world);
    let connection = Connection::open(world.agency_home().join("agency.db")).unwrap();
    let columns = "repo_path, repo_fingerprint, base_ref, base_commit, workspace, runner_kind, runner_args_json, mode, \
                   host, restart_policy, created_at, updated_at, stdout_log_path, stderr_log_path, kind, vcs";
    let insert = format!(
        "INSERT INTO runs (id, state, {columns}) SELECT 'r_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'queued', {columns} FROM runs"
    );
    connection.execute_batch(&insert).unwrap();
    for state in ["running", "completed"] {
        let update = format!("UPDATE runs SET state = '{state}' WHERE id = 'r_01ARZ3NDEKTSV4RRFFQ69G5FAV'");
        connection.execute_batch(&update).unwrap();
    }
    assert_eq!(number(&world, "SELECT count(*) FROM runs WHERE end_recorded = 1"), 2);
    assert_eq!(world.json(&["ls", "--all"])["data"]["runs"].as_array().unwrap().len(), 2);
    assert_eq!(world.json(&["show", &run.id])["data"], before[0]);
}
