//! Runs of a client.

use agency_testkit::{Agent, agent, wait_for};
use serde_json::json;

use super::client::{Client, text};
use super::fixture::{LIMIT, empty};

// proves A10
#[test]
fn a_client_starts_watches_reads_and_stops_a_run() {
    let world = empty();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let client = Client::new(&world);
    let task = json!({ "prompt": "do it", "runner": "waiting", "repo": repo.path, "base": "main", "name": "fix" });
    let started = client.facts("run_agent", task);
    let run = world.run_with_id(started["run"]["id"].as_str().unwrap());
    assert_eq!((&started["run"]["mode"], &started["run"]["name"]), (&json!("headless"), &json!("fix")), "{started:#}");
    assert_eq!(started["notices"], json!([]));

    let listed = client.facts("list_runs", json!({ "state": "running", "limit": 5 }));
    assert_eq!(listed["runs"][0]["id"], run.id.as_str(), "{listed:#}");
    assert_eq!(client.facts("list_runs", json!({ "state": "failed" }))["runs"], json!([]));
    let shown = client.facts("show_run", json!({ "run": "fix" }));
    assert_eq!((&shown["id"], &shown["state"]), (&json!(run.id), &json!("running")), "{shown:#}");

    let stopped = client.facts("stop_run", json!({ "run": "fix" }));
    assert_eq!((&stopped["state"], &stopped["reason"]), (&json!("killed"), &json!("stopped")), "{stopped:#}");
    assert!(client.news().iter().any(|news| *news == format!("stopping {}", run.id)), "{:?}", client.news());
    run.wait_until_gone();
    assert_eq!(client.error("stop_run", json!({ "run": "fix" }))["code"], "E_INVALID_STATE");
    client.leave();
}

// proves A10
#[test]
fn the_output_of_a_run_is_clean_text_of_a_bounded_length() {
    let world = empty();
    let repo = world.repo("project");
    world.agent("loud", "i=0; while [ $i -lt 20000 ]; do printf '\\033[1mline %s\\033[0m\\n' $i; i=$((i+1)); done");
    let client = Client::new(&world);
    let started = client.facts("run_agent", json!({ "prompt": "x", "runner": "loud", "repo": repo.path }));
    let id = started["run"]["id"].as_str().unwrap().to_owned();
    world.ok(&["wait", &id]);
    let result = client.call("run_output", json!({ "run": id, "tail": 2 }));
    assert_eq!(text(&result), "line 19998\nline 19999\n");
    let facts = result.structured_content.unwrap();
    assert_eq!((&facts["cut"], &facts["state"]), (&json!(true), &json!("completed")));
    let most = client.facts("run_output", json!({ "run": id, "tail": 100_000 }));
    let all = most["text"].as_str().unwrap();
    assert!(all.len() <= 64 * 1024 && all.ends_with("line 19999\n") && !all.contains('\u{1b}'), "{}", all.len());
    assert_eq!(client.facts("run_output", json!({ "run": id }))["text"].as_str().unwrap().lines().count(), 100);
}

/// The tool `run_agent` of a server that was started from inside an ask.
#[test]
fn a_server_inside_an_ask_starts_no_run() {
    let world = empty();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let mut command = world.command(&["mcp"]);
    command.env("AGENCY_ASK", "1");
    let client = Client::started(command);
    let task = json!({ "prompt": "do it", "runner": "quiet", "repo": repo.path });
    assert_eq!(client.error("run_agent", task)["code"], "E_RECURSION");
    assert!(world.runs().is_empty());
    client.leave();
}

// proves A10
#[test]
fn a_client_sees_what_agents_ask() {
    let world = empty();
    let repo = world.repo("project");
    let client = Client::new(&world);
    assert_eq!(client.facts("inbox", json!({})), json!({ "questions": [], "comments": [] }));
    let request = json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "make" } });
    let asked = json!({ "type": "control_request", "request_id": "1", "request": request });
    world.agent("asker", Agent::new(format!("read -r prompt; printf '%s\\n' '{asked}'; cat")).prompt("protocol"));
    world.configure("stream = \"claude\"\n");
    client.facts("run_agent", json!({ "prompt": "x", "runner": "asker", "repo": repo.path, "name": "asker" }));
    let question = wait_for("a question", LIMIT, || {
        let questions = client.facts("inbox", json!({}))["questions"].take();
        questions.as_array().unwrap().first().cloned()
    });
    assert_eq!((&question["run_name"], &question["state"]), (&json!("asker"), &json!("open")), "{question:#}");
    assert!(question["detail"].as_str().unwrap().contains("make"), "{question:#}");
    client.facts("stop_run", json!({ "run": "asker" }));
}
