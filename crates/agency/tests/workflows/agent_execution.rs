//! Agents as steps of a workflow, scenario by scenario of the document about them.

use std::fs;

use agency_testkit::{Agent, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, Place, step};

/// A workflow of one agent that is told something.
const ONE: &str = "name: one\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  - { name: work, type: agent, prompt: do it }\n";

/// Prints a word, leaves a file, and stays until it is ended.
fn staying(on_term: &str) -> Agent {
    Agent::new(format!("trap '{on_term}' TERM\necho partial >partial.txt\necho ready\nwhile :; do sleep 0.05; done"))
}

fn run_of(place: &Place, session: &str) -> agency_testkit::Run {
    let shown = wait_for("its run", LIMIT, || {
        let shown = step(&place.shown(session), "work");
        shown["run_id"].is_string().then_some(shown)
    });
    place.world.run_with_id(shown["run_id"].as_str().unwrap())
}

// proves W5
#[test]
fn spawn_agent_for_workflow_step() {
    let answer = r#"printf '```json\n{"success": true, "summary": "wrote it", "outputs": {"file": "x.txt"}}\n```\n'"#;
    let place = Place::new().with_agent("worker", Agent::new(format!("cat >>\"$LOG\"\n{answer}")).prompt("stdin"));
    fs::create_dir_all(place.repo.path.join(".agency/spells")).unwrap();
    fs::write(place.repo.path.join(".agency/spells/implement.md"), "Task: {{.task.title}}\n").unwrap();
    let session = place.begin(
        "name: x\ndefaults: { adapter: worker }\nsteps:\n  - { name: implement, type: agent, spell: implement }\n  \
         - { name: next, type: script, command: 'echo got {{.implement.outputs.file}} {{.implement.summary}} >>\"$LOG\"' }\n",
        &["--title", "Fix the login"],
    );
    let shown = place.wait_for_state(&session, "completed");
    let lines = place.lines();
    assert!(lines.contains(&"Task: Fix the login".to_owned()), "the rendered spell: {lines:?}");
    assert!(lines.contains(&"got x.txt wrote it".to_owned()), "the captured output: {lines:?}");
    let run = place.world.json(&["show", step(&shown, "implement")["run_id"].as_str().unwrap()]);
    assert_eq!(run["data"]["worktree_path"], shown["worktree_path"]);
}

// proves W5
#[test]
fn agent_working_directory() {
    let place = Place::new().with_agent("worker", "pwd >>\"$LOG\"; cat CLAUDE.md >>\"$LOG\"");
    fs::write(place.repo.path.join("CLAUDE.md"), "Be kind.\n").unwrap();
    place.repo.git(&["add", "."]);
    place.repo.git(&["commit", "-qm", "rules"]);
    let session = place.begin(ONE, &[]);
    let shown = place.wait_for_state(&session, "completed");
    let worktree = shown["worktree_path"].as_str().unwrap();
    assert!(place.lines().contains(&worktree.to_owned()) && place.lines().contains(&"Be kind.".to_owned()));
}

#[test]
fn real_time_output() {
    let place = Place::new().with_agent("worker", agency_testkit::agent::waiting());
    let session = place.begin(ONE, &[]);
    let logs = || place.does(&["logs", &session])["logs"][0]["text"].as_str().unwrap_or_default().to_owned();
    wait_for("what it said while it works", LIMIT, || (logs() == "ready\n").then_some(()));
    assert_eq!(step(&place.shown(&session), "work")["state"], "running");
    place.world.release("worker");
    place.wait_for_state(&session, "completed");
    assert_eq!(logs(), "ready\nreleased\n", "it is kept");
}

fn asked(place: &Place) -> Value {
    wait_for("a question", LIMIT, || {
        let questions = place.world.json(&["inbox"])["data"]["questions"].take();
        questions.get(0).cloned()
    })
}

// proves I1
#[test]
fn question_detection() {
    let place = Place::new().with_agent("worker", conversation::choosing());
    place.begin(ONE, &[]);
    let question = asked(&place);
    assert_eq!(question["kind"], "question");
    let labels: Vec<&str> =
        question["options"].as_array().unwrap().iter().map(|option| option["label"].as_str().unwrap()).collect();
    assert!(labels.iter().any(|label| label.contains("SQLite")), "suggested answers: {question:#}");
}

// proves I3
#[test]
fn response_injection() {
    let place = Place::new().with_agent("worker", conversation::asking(1));
    let session = place.begin(ONE, &[]);
    let question = asked(&place);
    place.world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    place.wait_for_state(&session, "completed");
    assert_eq!(run_of(&place, &session).replies().len(), 1, "the answer came to its standard input, and it went on");
}

// proves I2
#[test]
fn permission_request() {
    let place = Place::new().with_agent("worker", conversation::asking(1));
    place.begin(ONE, &[]);
    let question = asked(&place);
    assert_eq!(question["kind"], "permission");
    assert_eq!(question["actions"], serde_json::json!(["allow", "deny", "allow_all"]));
}

// proves P12
#[test]
fn graceful_termination() {
    let place = Place::new().with_agent("worker", staying("echo bye; exit 0"));
    let session = place.begin(ONE, &[]);
    let run = run_of(&place, &session);
    run.wait_for_output("ready");
    place.does(&["cancel", &session]);
    run.wait_for_output("bye");
    let shown = place.wait_for_state(&session, "cancelled");
    assert_eq!(place.world.show(&run)["signal"], Value::Null, "it ended by itself: {shown:#}");
}

// proves P12
#[test]
fn forced_termination() {
    let place = Place::new().with_agent("worker", staying(""));
    let session = place.begin(ONE, &[]);
    let run = run_of(&place, &session);
    run.wait_for_output("ready");
    place.does(&["cancel", &session]);
    let shown = place.wait_for_state(&session, "cancelled");
    assert_eq!(place.world.show(&run)["signal"], 9);
    let kept = format!("{}/partial.txt", shown["worktree_path"].as_str().unwrap());
    assert_eq!(fs::read_to_string(kept).unwrap(), "partial\n", "its work so far stays");
}

// proves I8, W12
#[test]
fn successful_completion() {
    let place = Place::new()
        .with_agent("worker", conversation::speaking("hear_message\necho x >new.txt\nfinish all-done\nhear_the_end"));
    let session = place.begin(&format!("{ONE}  - {{ name: land, type: merge }}\n"), &["--title", "T"]);
    place.wait_for_state(&session, "pending_merge");
    let run = place.world.show(&run_of(&place, &session));
    assert_eq!((&run["state"], &run["summary"]), (&Value::from("completed"), &Value::from("all-done")));
    assert_eq!(run["changed_files"][0]["path"], "new.txt", "{run:#}");
}

// proves W8, I8
#[test]
fn agent_failure() {
    let place = Place::new().with_agent("worker", agency_testkit::agent::failing(3));
    let session = place.begin(ONE, &[]);
    let shown = place.wait_for_state(&session, "blocked");
    let work = step(&shown, "work");
    assert_eq!(work["state"], "failed");
    assert!(work["error"].as_str().unwrap().contains("exited with code 3"), "{work:#}");
}
