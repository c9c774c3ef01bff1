//! Claude Code as a client of `agency mcp`.

use std::fs;

use agency_testkit::{RealAgent, Script, Turn};
use serde_json::json;

use super::scene::Scene;

// proves A10
#[test]
fn claude_asks_about_a_source_through_our_server() {
    let script = Script::new()
        .turn(Turn::new().tool("mcp__agency__list_sources", json!({})))
        .turn(Turn::new().tool("mcp__agency__ask_sources", json!({ "sources": ["docs"], "question": "How long?" })))
        .say("It is 4711.");
    let scene = Scene::new(RealAgent::Claude, script);
    let docs = scene.world.root().join("docs");
    fs::create_dir_all(&docs).unwrap();
    fs::write(docs.join("limits.txt"), "the timeout is 4711\n").unwrap();
    scene.world.ok(&["source", "add", "docs", "--dir", docs.to_str().unwrap(), "--description", "What holds"]);
    let reader = scene.world.agent("reader", "cat docs/limits.txt");
    scene.world.set("default_agent", "\"reader\"");
    scene.world.configure(&format!("ask = {}\n", json!(format!("'{}'", reader.display()))));
    let config = scene.world.root().join("servers.json");
    let server = json!({ "command": env!("CARGO_BIN_EXE_agency"), "args": ["mcp"] });
    fs::write(&config, json!({ "mcpServers": { "agency": server } }).to_string()).unwrap();

    let repo = scene.repo.path.to_str().unwrap();
    let config = config.to_str().unwrap();
    let always = ["run", "--repo", repo, "--runner", "claude-code", "--mode", "headless", "--host", "detached"];
    let options = ["--one-shot", "--prompt", "How long is it?", "--mcp-config", config, "--"];
    let args = ["--allowedTools", "mcp__agency__list_sources,mcp__agency__ask_sources"];
    let started = scene.world.json(&[&always[..], &options, &args].concat());
    let run = scene.world.run_with_id(started["data"]["id"].as_str().unwrap());
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let listed = scene.model.wait_for_turn(1);
    assert!(listed.says("What holds"), "{:#}", listed.body);
    let answered = scene.model.wait_for_turn(2);
    assert!(answered.says("the timeout is 4711"), "{:#}", answered.body);
    let left = fs::read_dir(scene.world.root().join("tmp")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_str().unwrap().contains("lctx-")));
}
