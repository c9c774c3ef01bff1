//! Real clients of `agency mcp`: Claude Code, Gemini CLI, and the client of the protocol's official TypeScript SDK.

use std::fs;

use agency_testkit::{Form, RealAgent, Script, Turn, mcp_sdk};
use serde_json::json;

use super::scene::{LIMIT, Scene};

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

#[test]
fn gemini_lists_our_tools_and_calls_one() {
    let call = || Turn::new().tool("mcp_agency_list_sources", json!({}));
    let script = Script::new().turn(call()).say("There is one.").turn(call()).say("There is one.");
    let scene = Scene::new(RealAgent::Gemini, script);
    let docs = scene.world.root().join("docs");
    fs::create_dir_all(&docs).unwrap();
    scene.world.ok(&["source", "add", "docs", "--dir", docs.to_str().unwrap(), "--description", "What holds"]);
    let config = scene.world.root().join("servers.json");
    let entry = scene.world.json(&["mcp", "install", "gemini"])["data"]["entry"].take();
    fs::write(&config, entry.as_str().unwrap()).unwrap();
    for form in [Form::Conversation, Form::OneShot] {
        let before = scene.model.turns().len();
        let options = ["--prompt", "Which sources are there?", "--mcp-config", config.to_str().unwrap()];
        let run = scene.begin_of(form, &options, RealAgent::Gemini.permissive(form));
        let ended = scene.ended(&run);
        assert_eq!(ended["state"], "completed", "{ended:#}");
        let turns = scene.model.turns();
        assert!(turns[before..].iter().any(|turn| turn.says("What holds")), "{form:?}: {turns:#?}");
    }
}

#[test]
fn the_official_sdk_lists_our_tools_and_calls_them() {
    const CLIENT: &str = r#"
const [sdk, agency] = process.argv.slice(2);
const { Client } = await import(`${sdk}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/dist/esm/client/stdio.js`);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: agency, args: ["mcp"], env: process.env }));
const { tools } = await client.listTools();
const called = {};
for (const name of ["list_sources", "list_runs", "inbox"]) {
    called[name] = (await client.callTool({ name, arguments: {} })).structuredContent;
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), called }));
"#;
    let scene = Scene::new(RealAgent::Gemini, Script::new().say("Hello."));
    let run = scene.begin();
    scene.ended(&run);
    let script = scene.world.root().join("client.mjs");
    fs::write(&script, CLIENT).unwrap();
    let mut node = scene.world.program("node");
    node.arg(&script).arg(mcp_sdk()).arg(env!("CARGO_BIN_EXE_agency"));
    let output = scene.world.start(&mut node).wait_at_most(LIMIT);
    assert!(output.status.success(), "{output}");
    let said = output.object();
    assert_eq!(said["tools"].as_array().unwrap().len(), 15, "{said:#}");
    assert_eq!(said["called"]["list_runs"]["runs"][0]["id"], run.id.as_str(), "{said:#}");
    assert!(said["called"]["inbox"]["questions"].is_array() && said["called"]["list_sources"]["sources"].is_array());
}
