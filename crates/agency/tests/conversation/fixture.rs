//! Where conversations happen.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agency_testkit::{Agent, Repo, Run, World, wait_for};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// The options of a run that talks by its protocol.
pub(super) const TALK: [&str; 4] = ["--host", "detached", "--mode", "headless"];

/// A world with a repository and one agent, named `agent`, in which a stop does not take long.
pub(super) fn world(agent: Agent) -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.configure("\n[limits]\nstop_grace_seconds = 1\n");
    world.agent("agent", agent);
    let repo = world.repo("project");
    (world, repo)
}

/// Starts a run of the agent.
#[track_caller]
pub(super) fn begin(world: &World, repo: &Repo) -> Run {
    world.begin(repo, "agent", &TALK)
}

/// Starts a run of the agent with further options and variables.
#[track_caller]
pub(super) fn begin_with(world: &World, repo: &Repo, options: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = world.run_command(repo, "agent", &[&TALK, options, &["--json"]].concat());
    let answer = world.run(command.envs(variables.iter().copied())).object();
    assert_eq!(answer["ok"], true, "{answer:#}");
    world.run_with_id(answer["data"]["id"].as_str().unwrap())
}

/// The open questions of a run, oldest first.
#[track_caller]
pub(super) fn open(world: &World, run: &Run) -> Vec<Value> {
    let mut answer = world.json(&["inbox"]);
    assert_eq!(answer["ok"], true, "{answer:#}");
    let Value::Array(mut questions) = answer["data"]["questions"].take() else { panic!("{answer:#}") };
    questions.retain(|question| question["run_id"] == run.id.as_str());
    questions
}

/// Waits until a run has so many open questions, and gives their ids.
#[track_caller]
pub(super) fn wait_for_questions(world: &World, run: &Run, count: usize) -> Vec<String> {
    let what = format!("{count} open questions of {}", run.id);
    wait_for(&what, LIMIT, || {
        let open = open(world, run);
        (open.len() == count).then(|| open.iter().map(|question| text(question, "id").to_owned()).collect())
    })
}

/// Waits for the only open question of a run, and gives its id.
#[track_caller]
pub(super) fn wait_for_question(world: &World, run: &Run) -> String {
    wait_for_questions(world, run, 1).remove(0)
}

/// Answers a question, which must succeed, and gives the data.
#[track_caller]
pub(super) fn answer(world: &World, question: &str, words: &[&str]) -> Value {
    let mut answer = world.json(&[&["answer", question], words].concat());
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["data"].take()
}

/// What `agency inbox show` says about a question.
#[track_caller]
pub(super) fn shown(world: &World, question: &str) -> Value {
    world.json(&["inbox", "show", question])["data"].take()
}

/// The events of a run that are of this type.
#[track_caller]
pub(super) fn events(run: &Run, kind: &str) -> Vec<Value> {
    run.events().into_iter().filter(|event| event["type"] == kind).collect()
}

/// The agent's last answer, as `done.json` has it.
#[track_caller]
pub(super) fn summary(run: &Run) -> String {
    let done: Value = serde_json::from_slice(&fs::read(run.file("done.json")).unwrap()).unwrap();
    text(&done, "summary").to_owned()
}

#[track_caller]
pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} is no text in {value:#}"))
}

/// What became of the questions of a run, oldest first: state and outcome, read without any of our commands.
#[track_caller]
pub(super) fn rows(world: &World, run: &Run) -> Vec<(String, String)> {
    let path = world.agency_home().join("agency.db");
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT state, coalesce(outcome, '') FROM questions WHERE run_id = ?1 ORDER BY rowid";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([&run.id], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}
