//! What the agents of a session report and ask, and what the session stores of it.

use agency_testkit::conversation;
use serde_json::Value;

use super::fixture::{Place, step};

// proves I4
#[test]
fn interaction_needed() {
    let place = Place::new().with_agent("asker", conversation::asking(1));
    let session = place.begin(
        "name: asks\ndefaults: { adapter: asker, mode: headless }\nsteps:\n  - { name: ask, type: agent, prompt: go }\n",
        &[],
    );
    let waiting = place.wait_for_step(&session, "ask", "waiting");
    let inbox = place.world.json(&["inbox"]);
    let question = &inbox["data"]["questions"][0];
    assert_eq!(question["run_id"], waiting["run_id"], "{inbox:#}");
    place.world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    place.wait_for_state(&session, "completed");
}

// proves W9
#[test]
fn checkpoint_saving() {
    let place = Place::new();
    let session = place.begin(
        "name: goal\ngoal: the usual\nsteps:\n  - { name: say, type: script, command: 'echo {{.goal}} >>\"$LOG\"' }\n",
        &["--goal", "peace", "--title", "T"],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!((&shown["goal"], &shown["task"]), (&Value::from("peace"), &Value::from("T")));
    assert_eq!(place.lines(), ["peace"]);
    let names: Vec<String> =
        place.facts(&session).iter().map(|fact| fact["fact"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["session_started", "step_started", "step_ended", "session_ended"]);
}

// proves W8 I8: agent step failure, missing output
#[test]
fn an_agent_has_to_report_its_result() {
    let place = Place::new();
    place.world.agent("silent", "echo I did something");
    place.world.agent(
        "honest",
        "printf 'Well.\\n```json\\n{\"success\": false, \"summary\": \"s\", \"error\": \"too hard\"}\\n```\\n'",
    );
    place.world.agent(
        "good",
        "printf '```json\\n{\"success\": true, \"summary\": \"did it\", \"outputs\": {\"n\": 7}}\\n```\\n'",
    );
    let session = place.begin(
        r#"
name: contract
defaults: { mode: headless }
steps:
  - { name: silent, type: agent, adapter: silent, spell: "say\nnothing", on_fail: continue }
  - { name: honest, type: agent, adapter: honest, spell: "be\nhonest", on_fail: continue }
  - { name: seen, type: script, command: 'echo "{{.previous.failed}} {{.honest.error}}" >>"$LOG"' }
  - { name: good, type: agent, adapter: good, spell: "do\nit" }
  - { name: used, type: script, command: 'echo "{{.good.outputs.n}} {{.previous.success}}" >>"$LOG"' }
"#,
        &["--title", "T"],
    );
    let shown = place.wait_for_state(&session, "completed");
    assert_eq!(step(&shown, "silent")["state"], "failed");
    assert!(step(&shown, "silent")["error"].as_str().unwrap().contains("JSON"), "{shown:#}");
    assert_eq!(step(&shown, "honest")["error"], "too hard");
    assert_eq!(step(&shown, "good")["summary"], "did it");
    assert_eq!(place.lines(), ["7 true", "true too hard"]);
}
