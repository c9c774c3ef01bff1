//! What a client gets for nonsense: a tool error with a code, a message and a way out, never a dead server.

use serde_json::json;

use super::client::Client;
use super::fixture::world;

// proves A10
#[test]
fn every_wrong_call_is_answered_and_the_server_goes_on() {
    let world = world("cat docs/a.txt");
    let client = Client::new(&world);
    let cases = [
        ("ask_sources", json!({ "sources": ["dosc"], "question": "?" }), "E_SOURCE_NOT_FOUND", "docs"),
        ("ask_sources", json!({ "sources": [], "question": "?" }), "E_USAGE", "source"),
        ("ask_sources", json!({ "sources": ["docs"], "question": "" }), "E_USAGE", "empty"),
        ("ask_sources", json!({ "sources": ["docs"], "question": "a\0b" }), "E_USAGE", "NUL"),
        ("ask_sources", json!({ "sources": ["../docs"], "question": "?" }), "E_SOURCE_NOT_FOUND", "../docs"),
        ("ask_sources", json!({ "sources": "docs", "question": "?" }), "E_USAGE", "sources: "),
        ("ask_sources", json!({ "sources": [1], "question": "?" }), "E_USAGE", "sources[0]: "),
        ("ask_sources", json!({ "sources": ["docs"] }), "E_USAGE", "question"),
        ("ask_sources", json!({ "sources": ["docs"], "question": "?", "groop": 1 }), "E_USAGE", "groop"),
        ("list_sources", json!({ "all": true }), "E_USAGE", "all"),
        ("show_run", json!({ "run": "nobody" }), "E_RUN_NOT_FOUND", "nobody"),
        ("run_output", json!({ "run": "nobody" }), "E_RUN_NOT_FOUND", "nobody"),
        ("run_output", json!({ "run": "nobody", "tail": -1 }), "E_USAGE", "tail: "),
        ("stop_run", json!({ "run": "nobody" }), "E_RUN_NOT_FOUND", "nobody"),
        ("stop_run", json!({}), "E_USAGE", "run"),
        ("list_runs", json!({ "state": "sleepy" }), "E_USAGE", "sleepy"),
        ("list_runs", json!({ "limit": "many" }), "E_USAGE", "limit: "),
        ("run_agent", json!({ "prompt": "x", "runner": "nobody", "repo": "." }), "E_RUNNER_NOT_CONFIGURED", "nobody"),
        ("run_agent", json!({ "prompt": "x" }), "E_NOT_GIT_REPO", "home"),
        ("run_agent", json!({ "prompt": "x", "repo": "/nowhere/at/all" }), "E_NOT_GIT_REPO", "/nowhere"),
        ("run_agent", json!({ "prompt": "x", "mode": "loud" }), "E_USAGE", "mode: "),
        ("run_agent", json!({}), "E_USAGE", "prompt"),
    ];
    for (tool, arguments, code, words) in cases {
        let error = client.error(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error:#}");
        assert!(error["message"].as_str().unwrap().contains(words), "{tool} {arguments}: {error:#}");
        assert!(error["hint"].is_string(), "{tool} {arguments}: {error:#}");
    }
    assert_eq!(
        client.facts("ask_sources", json!({ "sources": ["docs"], "question": "?" }))["answer"],
        "the timeout is 42\n"
    );
    client.leave();
}

#[test]
fn a_tool_that_is_not_there_is_an_error_of_the_protocol() {
    let world = world("true");
    let client = Client::new(&world);
    let error = client.refusal("list_source", json!({}));
    assert!(error.contains("-32602") && error.contains("did you mean list_sources?"), "{error}");
    assert!(client.tools().len() > 1);
}

#[test]
fn a_broken_configuration_is_told_and_mended_without_a_new_server() {
    let world = world("cat docs/a.txt");
    let client = Client::new(&world);
    let path = world.root().join("home/config.toml");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "default_agent = 5\n").unwrap();
    assert_eq!(client.error("list_runs", json!({}))["code"], "E_INVALID_CONFIG");
    std::fs::write(&path, good).unwrap();
    client.facts("list_runs", json!({}));
}
