//! Where databases are lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_testkit::{Repo, Run, World, wait_for};
use serde_json::Value;

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// Hosts that need no tmux.
pub(super) const DETACHED: [&str; 4] = ["--host", "detached", "--mode", "headless"];

/// A world with a repository, in which a stop does not take long.
pub(super) fn world() -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    prepare(&world);
    let repo = world.repo("project");
    (world, repo)
}

/// Makes a world quick to stop and to restart.
pub(super) fn prepare(world: &World) {
    world.set("host", "\"detached\"");
    world.configure("\n[limits]\nstop_grace_seconds = 1\n\n[restart]\npauses_seconds = [0]\n");
}

/// The files of the database.
fn database_files(world: &World) -> Vec<PathBuf> {
    let entries = fs::read_dir(world.agency_home()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("agency.db")).collect()
}

/// Deletes the database with its log.
pub(super) fn lose_database(world: &World) {
    database_files(world).iter().for_each(|path| fs::remove_file(path).unwrap());
}

/// Copies the database with its log to another directory.
pub(super) fn back_up(world: &World) -> PathBuf {
    let backup = world.root().join("backup");
    fs::create_dir(&backup).unwrap();
    for path in database_files(world) {
        fs::copy(&path, backup.join(path.file_name().unwrap())).unwrap();
    }
    backup
}

/// Puts a copy of the database where it was.
pub(super) fn bring_back(world: &World, backup: &Path) {
    lose_database(world);
    for entry in fs::read_dir(backup).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), world.agency_home().join(entry.file_name())).unwrap();
    }
}

/// Everything that the database answers: all runs, each of them in full, and all questions.
#[track_caller]
pub(super) fn all_answers(world: &World) -> Vec<Value> {
    let mut runs = world.json(&["ls", "--all"])["data"]["runs"].take();
    let mut answers = vec![];
    for run in runs.as_array_mut().unwrap() {
        let mut shown = world.json(&["show", run["id"].as_str().unwrap()])["data"].take();
        for view in [&mut shown, &mut *run] {
            // Of a run that lives, the row changes whenever its supervisor writes it.
            if ["queued", "running"].contains(&view["state"].as_str().unwrap()) {
                view["updated_at"] = Value::Null;
            }
            view["activity_at"] = Value::Null;
        }
        answers.push(shown);
    }
    answers.push(runs);
    let mut questions = world.json(&["inbox"])["data"].take();
    without_times(&mut questions);
    answers.push(questions);
    answers
}

/// Questions are rebuilt with the times of their events, which are milliseconds later.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if ["asked_at", "answered_at", "settled_at", "age_seconds", "waits_seconds"].contains(&name.as_str()) {
                    *field = Value::Null;
                }
                without_times(field);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The rows of a table, each as JSON, without the times that events tell milliseconds later.
pub(super) fn question_rows(world: &World) -> Vec<String> {
    let sql = "SELECT id || ' ' || run_id || ' ' || attempt || ' ' || state || ' ' || kind || ' ' || content || ' ' \
               || coalesce(answer, '-') || ' ' || coalesce(answered_by, '-') || ' ' || coalesce(outcome, '-') \
               || ' ' || coalesce(repeats, '-') || ' ' || coalesce(answered_from, '-') FROM questions ORDER BY rowid";
    let connection = rusqlite::Connection::open(world.agency_home().join("agency.db")).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Waits until something is so.
#[track_caller]
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait_for(what, LIMIT, || is_so().then_some(()));
}

/// Waits for an open question of a run, and gives its id. Its event is written after its row, and may be killed before.
#[track_caller]
pub(super) fn question_of(world: &World, run: &Run) -> String {
    wait_for(&format!("a question of {}", run.id), LIMIT, || {
        run.events().iter().find(|event| event["type"] == "question")?;
        let questions = world.json(&["inbox"])["data"]["questions"].take();
        let own = questions.as_array()?.iter().find(|question| question["run_id"] == run.id.as_str())?;
        Some(own["id"].as_str()?.to_owned())
    })
}

/// The checks of `agency doctor` that are not fine, as `name: message`, and their fixes.
#[track_caller]
pub(super) fn complaints(world: &World) -> Vec<(String, String)> {
    let checks = world.agency(&["doctor", "--json"]).object()["data"]["checks"].take();
    let bad = checks.as_array().unwrap().iter().filter(|check| check["health"] != "ok");
    let unexcused = bad.filter(|check| {
        let said = (check["name"].as_str().unwrap(), check["health"].as_str().unwrap());
        // The world has no claude on its PATH, and everybody may look into its home.
        said.0 != "agent claude_code" && said != ("home", "warning")
    });
    let words = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    unexcused
        .map(|check| (format!("{}: {}", words(check, "name"), words(check, "message")), words(check, "fix")))
        .collect()
}
