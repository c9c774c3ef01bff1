//! Agents get MCP servers in their own ways, and call them.

use std::fs;

use agency_testkit::{Form, McpServer, RealAgent, Script, wait_for};
use serde_json::json;

use super::scene::{LIMIT, Scene};

each_agent![
    a_server_is_called_in_a_conversation,
    a_server_is_called_in_one_shot,
    a_server_is_there_on_a_screen,
    a_conversation_goes_on_with_its_servers
];

const TOKEN: &str = "t0ken-of-the-server";

/// A server under the name `probe`, in a file for `--mcp-config`.
fn configured(scene: &Scene, mark: &str, token: &str) -> (McpServer, String) {
    let server = McpServer::new(&scene.world, mark);
    let path = scene.world.root().join(format!("{mark}.json"));
    fs::write(&path, json!({ "mcpServers": { "probe": server.entry(token) } }).to_string()).unwrap();
    (server, path.to_str().unwrap().to_owned())
}

fn a_server_is_called_in_a_conversation(agent: RealAgent) {
    a_server_is_called(agent, Form::Conversation);
}

fn a_server_is_called_in_one_shot(agent: RealAgent) {
    a_server_is_called(agent, Form::OneShot);
}

// proves W11
fn a_server_is_called(agent: RealAgent, form: Form) {
    let script = Script::new().turn(agent.remember("probe", "the milk")).say("Remembered.");
    let scene = Scene::new(agent, script);
    // Those that hold for all, and those of the task: the task's wins.
    let (for_all, first) = configured(&scene, "all", "x");
    let (own, second) = configured(&scene, "own", TOKEN);
    let args = [agent.permissive(form), agent.permissive_of_tools()].concat();
    let run = scene.begin_of(form, &["--prompt", "do it", "--mcp-config", &first, "--mcp-config", &second], &args);
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");

    let notes = own.notes();
    assert!(notes.contains(&format!("started with {TOKEN}")), "{notes:#?}");
    assert!(notes.iter().any(|note| note.starts_with("called: ") && note.contains("the milk")), "{notes:#?}");
    assert!(scene.model.wait_for_turn(1).says("remembered by own"), "the model was told what the tool said");
    assert_eq!(for_all.notes(), [""; 0], "the server that was replaced was not started");
    let lines: Vec<_> = notes.iter().filter(|note| note.starts_with("parent: ")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| !line.contains(TOKEN)), "{lines:#?}");
    assert!(!scene.world.ok(&["show", &run.id, "--json"]).stdout.contains(TOKEN));
}

// proves W11
fn a_server_is_there_on_a_screen(agent: RealAgent) {
    let scene = Scene::new(agent, Script::new().say("Hello from the model."));
    let (server, config) = configured(&scene, "own", TOKEN);
    let options = ["--host", "detached", "--mode", "interactive", "--mcp-config", &config];
    let run = scene.world.begin(&scene.repo, agent.runner(), &options);
    assert!(scene.model.wait_for_turn(0).says("do it"));
    wait_for("the server", LIMIT, || server.notes().contains(&format!("started with {TOKEN}")).then_some(()));
    scene.stop(&run);
}

// proves W11
fn a_conversation_goes_on_with_its_servers(agent: RealAgent) {
    let script = Script::new().say("The first answer.").turn(agent.remember("probe", "the milk")).say("Remembered.");
    let scene = Scene::new(agent, script);
    let (server, config) = configured(&scene, "own", TOKEN);
    let args = [agent.permissive(Form::OneShot), agent.permissive_of_tools()].concat();
    let run = scene.begin_of(Form::OneShot, &["--prompt", "do it", "--mcp-config", &config], &args);
    assert_eq!(scene.ended(&run)["state"], "completed");
    let answer = scene.world.json(&["resume", &run.id, "--prompt", "go on"]);
    let resumed = scene.world.run_with_id(answer["data"]["id"].as_str().unwrap());
    let ended = scene.ended(&resumed);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert!(scene.model.wait_for_turn(1).says("The first answer."), "the conversation went on");
    let notes = server.notes();
    assert!(notes.iter().any(|note| note.starts_with("called: ")), "{notes:#?}");
}
