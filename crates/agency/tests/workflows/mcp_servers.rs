//! MCP servers of sessions and tasks, scenario by scenario of the document about them.

use agency_testkit::{Agent, conversation};
use serde_json::Value;

use super::fixture::{Place, step};

/// Leaves the servers that it is given by Claude Code's flags in the log.
fn listing() -> Agent {
    conversation::speaking(
        "hear_message\nfor word in \"$@\"; do\n  if [ \"$before\" = --mcp-config ]; then cat \"$word\" >>\"$LOG\"; fi\n  \
         before=$word\ndone\nfinish ok\nhear_the_end",
    )
}

const TWO: &str = r#"
name: servers
mcp_servers:
  first: { command: sh, args: [of-the-session] }
  second: { command: sh, args: [of-the-session] }
defaults: { adapter: claude_code, mode: headless }
steps:
  - { name: plain, type: agent, prompt: go }
  - name: special
    type: agent
    prompt: go
    mcp_servers:
      second: { command: sh, args: [of-the-task] }
      third: { command: sh, args: [of-the-task] }
"#;

/// What the agents of a session were given, in their order: the arguments of each server by its name.
fn given(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.log()).unwrap();
    let configs = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    configs.map(|config| config.unwrap()["mcpServers"].take()).collect()
}

// proves W11
#[test]
fn session_level_mcp_servers() {
    let place = Place::new().with_agent("claude_code", listing());
    let session = place.begin(TWO, &[]);
    place.wait_for_state(&session, "completed");
    for servers in given(&place) {
        assert_eq!(servers["first"]["args"][0], "of-the-session", "{servers:#}");
    }
}

// proves W11
#[test]
fn task_specific_mcp_servers() {
    let place = Place::new().with_agent("claude_code", listing());
    let session = place.begin(TWO, &[]);
    place.wait_for_state(&session, "completed");
    let given = given(&place);
    assert_eq!(given[0]["second"]["args"][0], "of-the-session");
    assert_eq!(given[0].get("third"), None);
    assert_eq!(given[1]["second"]["args"][0], "of-the-task", "the task's comes first");
    assert_eq!(given[1]["third"]["args"][0], "of-the-task");
}

// proves W11
#[test]
fn mcp_server_availability_check() {
    let place = Place::new().with_agent("claude_code", listing());
    let text = TWO.replace("first: { command: sh,", "first: { command: no-such-server,");
    let session = place.begin(&text, &[]);
    let shown = place.wait_for_state(&session, "completed");
    let run = place.world.run_with_id(step(&shown, "plain")["run_id"].as_str().unwrap());
    let told: Vec<Value> = run.events().into_iter().filter(|event| event["type"] == "notice").collect();
    assert!(told.iter().any(|event| event["message"].as_str().unwrap().contains("no-such-server")), "{told:#?}");
}

// proves W11
#[test]
fn common_mcp_server_presets() {
    let place = Place::new().with_agent("claude_code", listing());
    let text = "name: presets\nmcp_servers: [filesystem, puppeteer, github]\ndefaults: { adapter: claude_code, mode: headless }\n\
                steps:\n  - { name: plain, type: agent, prompt: go }\n";
    let session = place.begin(text, &[]);
    let shown = place.wait_for_state(&session, "completed");
    let servers = &given(&place)[0];
    for name in ["filesystem", "puppeteer", "github"] {
        assert!(servers[name]["command"].is_string(), "{servers:#}");
    }
    let worktree = shown["worktree_path"].as_str().unwrap();
    assert!(servers["filesystem"]["args"].as_array().unwrap().contains(&worktree.into()), "{servers:#}");
}
