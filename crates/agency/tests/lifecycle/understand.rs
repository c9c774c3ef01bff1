//! What headless agents say in their own protocol, as typed events. The agents print recorded streams.

use std::path::Path;
use std::time::Duration;

use agency_testkit::agent::Agent;
use agency_testkit::{World, wait_for};
use serde_json::Value;

use super::{end, start, text, world};

/// An agent that prints a recorded stream of a real one, and exits with `code`.
fn recorded(world: &World, name: &str, stream: &str, file: &str, code: u8) {
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agency-adapters/tests/fixtures/agents").join(file);
    assert!(recording.exists(), "{}", recording.display());
    world.agent(name, Agent::new(format!("cat '{}'; exit {code}", recording.display())));
    world.configure(&format!("stream = \"{stream}\"\n"));
}

fn kinds(world: &World, run: &Value) -> Vec<String> {
    let events = world.ok(&["events", "--json", text(run, "id")]).stdout;
    events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
        .collect()
}

// proves P5, P6, P7
#[test]
fn a_recorded_stream_becomes_typed_events_a_session_and_usage() {
    let world = world();
    let repo = world.repo("project");
    recorded(&world, "like_claude", "claude", "claude/a2-acceptEdits-stream-json.ndjson", 0);
    let run = start(&world, &repo, "like_claude", &["--mode", "headless"]);
    assert_eq!(end(&world, &run)["state"], "completed");
    let kinds = kinds(&world, &run);
    for kind in ["tool_use", "tool_result", "output", "usage", "completed"] {
        assert!(kinds.iter().any(|found| found == kind), "{kind} in {kinds:?}");
    }
    let shown = world.json(&["show", text(&run, "id")])["data"].take();
    assert!(shown["agent_session"].is_string(), "{shown}");
    assert!(shown["usage"]["output_tokens"].is_u64(), "{shown}");
    let done = std::fs::read(Path::new(text(&run, "run_dir")).join("done.json")).unwrap();
    let done: Value = serde_json::from_slice(&done).unwrap();
    assert!(done["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{done}");
    let log = world.ok(&["logs", "--stdout", text(&run, "id")]).stdout;
    assert!(log.starts_with('{'), "the log holds what the agent wrote: {log}");
}

// proves P5
#[test]
fn an_agent_that_reports_a_failure_has_failed_although_it_exits_with_0() {
    let world = world();
    let repo = world.repo("project");
    recorded(&world, "like_claude", "claude", "claude/c2-http400.ndjson", 0);
    let run = start(&world, &repo, "like_claude", &["--mode", "headless", "--host", "detached"]);
    let ended = end(&world, &run);
    assert_eq!((&ended["state"], &ended["exit_code"]), (&Value::from("failed"), &Value::from(0)));
    assert!(text(&ended, "error").starts_with("E_RUN_FAILED: the agent reported a failure: "), "{ended}");
}

#[test]
fn the_pane_of_a_headless_agent_reads_well() {
    let world = world();
    let repo = world.repo("project");
    recorded(&world, "like_claude", "claude", "claude/a2-acceptEdits-stream-json.ndjson", 0);
    let run = start(&world, &repo, "like_claude", &["--mode", "headless"]);
    end(&world, &run);
    let target = format!("=agency_{}:", text(&run, "id"));
    // The row has the end before the pane.
    let pane = wait_for("the end in the pane", Duration::from_secs(20), || {
        let pane = world.tmux(&["capture-pane", "-p", "-t", &target]);
        pane.contains("[agency: the run is completed").then_some(pane)
    });
    assert!(pane.contains("\u{2192} "), "{pane}");
    assert!(!pane.contains("session_id"), "no raw lines: {pane}");
}
