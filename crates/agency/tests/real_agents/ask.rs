//! Questions that the real agents answer: they read the sources, change nothing, and start no MCP server.

use std::fs;
use std::path::Path;

use agency_testkit::{RealAgent, Script, Turn};
use serde_json::{Value, json};

use super::scene::{LIMIT, Scene};

each_agent![
    an_answer_needs_what_two_sources_say,
    no_mcp_server_of_the_user_or_of_a_source_is_started,
    an_agent_that_answers_cannot_write_or_run_anything,
];

/// What a source says, and nothing else does.
pub(super) const SECRET: &str = "the timeout is 4711 seconds";

/// Two sources: a directory with a file that holds the secret, and a file.
pub(super) fn sources(scene: &Scene, note: &Path) {
    let docs = scene.world.root().join("docs");
    fs::create_dir_all(docs.join("deep")).unwrap();
    fs::write(docs.join("deep/limits.txt"), format!("{SECRET}\n")).unwrap();
    fs::write(note, "and the limit is 0815\n").unwrap();
    scene.world.ok(&["source", "add", "docs", "--dir", docs.to_str().unwrap()]);
    scene.world.ok(&["source", "add", "note", "--file", note.to_str().unwrap()]);
}

/// Where the agent finds a source: opencode works in a directory beside them.
pub(super) fn below(agent: RealAgent, name: &str) -> String {
    match agent {
        RealAgent::Opencode => format!("../{name}"),
        RealAgent::Claude | RealAgent::Codex | RealAgent::Gemini => format!("./{name}"),
    }
}

/// A turn in which the model reads a file below the agent's directory.
pub(super) fn read(agent: RealAgent, name: &str) -> Turn {
    match agent {
        RealAgent::Claude => Turn::new().tool("Read", json!({ "file_path": name })),
        RealAgent::Codex => agent.run_command(&format!("cat {name}")),
        RealAgent::Gemini => Turn::new().tool("read_file", json!({ "file_path": name })),
        RealAgent::Opencode => Turn::new().tool("read", json!({ "filePath": name })),
    }
}

#[track_caller]
pub(super) fn ask(scene: &Scene, question: &str) -> Value {
    let words = ["ask", "-s", "docs,note", "--runner", scene.agent.runner(), "--timeout", "170s", "--json", question];
    let asking = scene.world.spawn(&words);
    let output = asking.wait_at_most(LIMIT);
    let mut answer = output.object();
    assert_eq!(answer["ok"], true, "{output}");
    answer["data"].take()
}

// proves A1, A3, A4
fn an_answer_needs_what_two_sources_say(agent: RealAgent) {
    let place = tempfile::tempdir().unwrap();
    let note = place.path().join("note.md");
    let script = Script::new()
        .turn(read(agent, &below(agent, "docs/deep/limits.txt")))
        .turn(read(agent, &below(agent, "note")))
        .say("It is 4711, says docs/deep/limits.txt.");
    let scene = Scene::new(agent, script);
    sources(&scene, &note);
    let answer = ask(&scene, "What is the timeout?");
    assert_eq!(answer["answer"], "It is 4711, says docs/deep/limits.txt.");
    let first = scene.model.wait_for_turn(0);
    assert!(
        first.says("What is the timeout?")
            && first.says(&format!("- {}/\n- {}", below(agent, "docs"), below(agent, "note"))),
        "the prompt itself is told"
    );
    assert!(!first.says(SECRET));
    assert!(scene.model.wait_for_turn(1).says(SECRET), "{:#}", scene.model.wait_for_turn(1).body);
    assert!(scene.model.wait_for_turn(2).says("the limit is 0815"), "{:#}", scene.model.wait_for_turn(2).body);
    assert!(answer["usage"]["output_tokens"].as_u64().unwrap() > 0, "{answer:#}");
    nothing_is_left(&scene);
}

// proves A2
fn no_mcp_server_of_the_user_or_of_a_source_is_started(agent: RealAgent) {
    let scene = Scene::new(agent, Script::new().turn(read(agent, &below(agent, "docs/deep/limits.txt"))).say("Done."));
    sources(&scene, &scene.world.root().join("note.md"));
    let witness = scene.world.root().join("witness");
    let server = scene.world.root().join("evil-server");
    fs::write(&server, format!("#!/bin/sh\necho \"$@\" >> {}\nexec cat\n", witness.display())).unwrap();
    let evil = |place: &str| json!({ "command": "sh", "args": [server, place] });
    let home = scene.world.root().join("home");
    for (place, root) in [("source", scene.world.root().join("docs")), ("home", home.clone())] {
        put(&root.join(".mcp.json"), &json!({ "mcpServers": { "evil": evil(place) } }));
        put(&root.join(".cursor/mcp.json"), &json!({ "mcpServers": { "evil": evil(place) } }));
        let opencode = json!({ "type": "local", "command": ["sh", server, place], "enabled": true });
        put(&root.join("opencode.json"), &json!({ "mcp": { "evil": opencode } }));
        put(&root.join(".opencode/opencode.json"), &json!({ "mcp": { "evil": opencode } }));
        put(&root.join(".config/opencode/opencode.json"), &json!({ "mcp": { "evil.two": opencode } }));
        merge(&root.join(".gemini/settings.json"), "mcpServers", &json!({ "evil": evil(place) }));
        merge(&root.join(".claude.json"), "mcpServers", &json!({ "evil": evil(place) }));
        put(&root.join(".claude/settings.json"), &json!({ "enableAllProjectMcpServers": true }));
        let codex = root.join(".codex/config.toml");
        fs::create_dir_all(codex.parent().unwrap()).unwrap();
        let before = fs::read_to_string(&codex).unwrap_or_default();
        let entry = format!("\n[mcp_servers.evil]\ncommand = \"sh\"\nargs = [{server:?}, \"{place}\"]\n");
        fs::write(&codex, before + &entry).unwrap();
    }
    // Without our doing it would be started: this proves that the trap is one.
    assert!(trap_works(&scene, &witness), "the hostile server is not one that {agent:?} would start");
    fs::remove_file(&witness).unwrap();
    let answer = ask(&scene, "What?");
    assert_eq!(answer["answer"], "Done.");
    assert!(!witness.exists(), "{}", fs::read_to_string(&witness).unwrap_or_default());
    nothing_is_left(&scene);
}

/// Whether an ordinary run of the agent starts the server of the user's home.
fn trap_works(scene: &Scene, witness: &Path) -> bool {
    let run = scene.begin_with(agency_testkit::Form::OneShot, &["--prompt", "do it", "--workspace", "none"]);
    scene.ended(&run);
    witness.exists()
}

// proves A1
fn an_agent_that_answers_cannot_write_or_run_anything(agent: RealAgent) {
    let scene_root = |scene: &Scene, name: &str| scene.world.root().join("docs").join(name);
    let script = Script::new()
        .turn(agent.write_file(&below(agent, "docs/evil.txt"), "written\n"))
        .turn(agent.run_command(&format!("touch {}", below(agent, "docs/evil-too.txt"))))
        .say("I tried.");
    let scene = Scene::new(agent, script);
    sources(&scene, &scene.world.root().join("note.md"));
    let answer = ask(&scene, "Write something.");
    assert!(["I tried.", ""].contains(&answer["answer"].as_str().unwrap()), "{answer:#}");
    for name in ["evil.txt", "evil-too.txt"] {
        assert!(!scene_root(&scene, name).exists(), "{name}");
    }
    nothing_is_left(&scene);
}

#[track_caller]
pub(super) fn nothing_is_left(scene: &Scene) {
    let places = [scene.world.agency_home().join("scratch"), scene.world.root().join("tmp")];
    let entries =
        places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = entries.filter(|name| name.to_str().unwrap().contains("lctx-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(fs::read_to_string(scene.world.root().join("docs/deep/limits.txt")).unwrap(), format!("{SECRET}\n"));
}

pub(super) fn put(path: &Path, content: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content.to_string()).unwrap();
}

/// Adds a key to a JSON file, which may be there with others.
fn merge(path: &Path, key: &str, value: &Value) {
    let mut settings: Value =
        fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_else(|| json!({}));
    settings[key] = value.clone();
    put(path, &settings);
}
