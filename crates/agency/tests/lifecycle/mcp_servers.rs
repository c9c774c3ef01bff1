//! MCP servers of a run: checked before anything is made, warned about, and never shown with their secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_model::ErrorCode;
use agency_testkit::{Repo, World, agent};
use serde_json::json;

use super::world;

fn scene() -> (World, Repo) {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    (world, repo)
}

/// Writes a list of servers and gives its path.
fn config(world: &World, servers: &serde_json::Value) -> String {
    let path = world.root().join("servers.json");
    fs::write(&path, json!({ "mcpServers": servers }).to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn run<'a>(repo: &'a Repo, more: &[&'a str]) -> Vec<&'a str> {
    let always =
        ["run", "--repo", repo.path.to_str().unwrap(), "--runner", "quiet", "--prompt", "x", "--host", "detached"];
    [&always, more].concat()
}

// proves W11
#[test]
fn what_is_missing_is_a_warning_and_a_notice_and_the_run_goes_on() {
    let (world, repo) = scene();
    let file =
        config(&world, &json!({ "lost": { "command": "no-such-server", "env": { "A": "${NO_SUCH_VARIABLE}" } } }));
    let output = world.ok(&run(&repo, &["--mcp-config", &file, "--wait"]));
    let ended = world.json(&["ls", "--all"])["data"]["runs"][0].take();
    assert_eq!(ended["state"], "completed");
    let run = world.run_with_id(ended["id"].as_str().unwrap());
    let notices: Vec<String> = run
        .events()
        .into_iter()
        .filter(|event| event["type"] == "notice")
        .map(|event| event["message"].as_str().unwrap().to_owned())
        .collect();
    for words in
        ["'no-such-server' is not on the PATH", "NO_SUCH_VARIABLE is not set", "quiet does not accept MCP servers"]
    {
        assert!(notices.iter().any(|notice| notice.contains(words)), "{words}: {notices:#?}");
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
}

// proves W11
#[test]
fn a_value_is_never_shown() {
    let (world, repo) = scene();
    let file = config(&world, &json!({ "x": { "command": "sh", "env": { "TOKEN": "s3cret" } } }));
    let planned = world.ok(&run(&repo, &["--mcp-config", &file, "--dry-run", "--json"]));
    assert_eq!(planned.object()["data"]["spec"]["mcp_servers"]["x"]["env"]["TOKEN"], "***");
    let answer = world.json(&run(&repo, &["--mcp-config", &file, "--wait"]));
    let id = answer["data"]["id"].as_str().unwrap();
    let shown = world.ok(&["show", id, "--json"]);
    assert!(shown.stdout.contains("***") && !shown.stdout.contains("s3cret"), "{}", shown.stdout);
    let spec = world.run_with_id(id).file("spec.json");
    assert_eq!(fs::metadata(&spec).unwrap().permissions().mode() & 0o777, 0o600);
}

// proves W11
#[test]
fn what_is_no_server_is_refused_before_anything_is_made() {
    let (world, repo) = scene();
    for (servers, words) in [
        (json!({ "githup": {} }), "did you mean `github`?"),
        (json!({ "a b": { "command": "sh" } }), "`mcp_servers.\"a b\"`"),
        (json!({ "x": { "command": "sh", "url": "http://y" } }), "one or the other"),
    ] {
        let file = config(&world, &servers);
        let error = world.error(&run(&repo, &["--mcp-config", &file]), ErrorCode::InvalidSpec);
        assert!(error["message"].as_str().unwrap().contains(words), "{error:#}");
        assert_eq!(error["details"]["field"], "mcp_servers");
    }
    let error = world.error(&run(&repo, &["--mcp-config", "/no/such/file"]), ErrorCode::InvalidPath);
    assert!(error["message"].as_str().unwrap().contains("/no/such/file"), "{error:#}");
    world.error(&run(&repo, &["--mcp-server", "nobody"]), ErrorCode::Usage);
    assert_eq!(world.json(&["ls", "--all"])["data"]["runs"], json!([]));
}

// proves W11
#[test]
fn flags_come_beside_the_spec_and_win_by_name() {
    let (world, repo) = scene();
    repo.write("task.md", "Do nothing\n");
    let spec = json!({
        "repo": repo.path, "base_ref": "HEAD", "runner": { "kind": "quiet" }, "prompt": { "path": "task.md" },
        "mcp_servers": { "a": { "command": "old" }, "b": { "command": "kept" } },
    });
    let path = world.root().join("run.json");
    fs::write(&path, spec.to_string()).unwrap();
    let file = config(&world, &json!({ "a": { "command": "new" } }));
    let always = ["run", "--spec", path.to_str().unwrap(), "--dry-run", "--mcp-config", &file];
    let planned = world.json(&[&always[..], &["--mcp-server", "puppeteer"]].concat());
    let servers = json!({ "a": { "command": "new" }, "b": { "command": "kept" }, "puppeteer": {} });
    assert_eq!(planned["data"]["spec"]["mcp_servers"], servers);
}
