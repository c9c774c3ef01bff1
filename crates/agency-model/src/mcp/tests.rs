use serde_json::json;

use super::*;

fn read(value: serde_json::Value) -> McpServer {
    serde_json::from_value(value).unwrap()
}

// proves W11
#[test]
fn a_preset_is_known_by_its_name_and_may_be_changed() {
    let transport = read(json!({})).transport("filesystem").unwrap();
    let McpTransport::Program { command, args, env } = transport else { panic!() };
    assert_eq!((command.as_str(), args.len(), env.len()), ("npx", 3, 0));
    assert_eq!(args[1..], ["@modelcontextprotocol/server-filesystem", "{workspace}"]);

    let changed = read(json!({ "preset": "github", "command": "docker", "env": { "X": "1" } }));
    let McpTransport::Program { command, env, .. } = changed.transport("hub").unwrap() else { panic!() };
    assert_eq!(command, "docker");
    assert_eq!(env.keys().collect::<Vec<_>>(), ["GITHUB_PERSONAL_ACCESS_TOKEN", "X"]);
    assert!(read(json!({})).transport("puppeteer").is_ok());
}

// proves W11
#[test]
fn a_program_of_the_users_own_may_have_the_name_of_a_preset() {
    let McpTransport::Program { command, args, env } = read(json!({ "command": "mine" })).transport("github").unwrap()
    else {
        panic!()
    };
    assert_eq!((command.as_str(), args.len(), env.len()), ("mine", 0, 0));
}

// proves W11
#[test]
fn mistakes_say_what_is_wrong() {
    for (name, server, words) in [
        ("githup", json!({}), "did you mean `github`?"),
        ("a b", json!({ "command": "x" }), "not a valid name"),
        ("", json!({ "command": "x" }), "not a valid name"),
        ("x", json!({ "command": "x", "url": "http://y" }), "one or the other"),
        ("x", json!({ "url": "http://y", "env": { "A": "b" } }), "`env`"),
        ("x", json!({ "url": "http://y", "args": [] }), "`args`"),
        ("x", json!({ "command": "x", "env": { "A; touch y #": "b" } }), "the name of a variable"),
        ("x", json!({ "command": "x", "env": { "1A": "b" } }), "the name of a variable"),
        ("x", json!({ "command": "x", "headers": { "A": "b" } }), "`headers`"),
        ("x", json!({ "preset": "github", "url": "http://y" }), "one or the other"),
    ] {
        let error = read(server).transport(name).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

// proves W11
#[test]
fn the_servers_of_a_task_come_with_the_defaults_and_win() {
    let servers = |entries: &[(&str, &str)]| -> McpServers {
        let server = |command: &str| McpServer { command: Some(command.to_owned()), ..McpServer::default() };
        entries.iter().map(|(name, command)| ((*name).to_owned(), server(command))).collect()
    };
    let merged = merged_mcp_servers(&servers(&[("a", "old"), ("b", "kept")]), &servers(&[("a", "new"), ("c", "more")]));
    assert_eq!(merged, servers(&[("a", "new"), ("b", "kept"), ("c", "more")]));
}

#[test]
fn values_are_hidden_where_a_spec_is_shown() {
    let mut spec = json!({ "mcp_servers": { "x": {
        "command": "y", "env": { "TOKEN": "s3cret", "SAFE": "${TOKEN}" }, "headers": { "A": "Bearer s3cret" },
    } } });
    hide_mcp_values(&mut spec);
    assert!(!spec.to_string().contains("s3cret"), "{spec}");
    assert_eq!(spec["mcp_servers"]["x"]["env"]["SAFE"], "${TOKEN}");
    let server = read(json!({ "command": "y", "env": { "TOKEN": "s3cret" } }));
    assert!(!format!("{server:?} {:?}", server.transport("x")).contains("s3cret"));
    for unknown in [json!(["s3cret"]), json!({ "x": { "secrets": "s3cret" } })] {
        let mut spec = json!({ "mcp_servers": unknown });
        hide_mcp_values(&mut spec);
        assert_eq!(spec["mcp_servers"], "***");
    }
}

#[test]
fn a_file_of_servers_is_read_and_its_mistakes_have_places() {
    let text = r#"{"mcpServers": {"x": {"type": "stdio", "command": "y"}}, "other": 1}"#;
    assert_eq!(parse_mcp_config("m.json", text).unwrap()["x"].command.as_deref(), Some("y"));
    let told = |text: &str| parse_mcp_config("m.json", text).unwrap_err().to_string();
    insta::assert_snapshot!(told("{\"mcpServers\": {\n \"x\": {\"comand\": \"y\", \"args\": 5},\n \"z\": 1}}"), @r#"
    m.json:2:8: `mcpServers.x.comand`: unknown key; did you mean `command`?
    m.json:2:31: `mcpServers.x.args`: expected an array, found the number 5
    m.json:3:7: `mcpServers.z`: expected an object, such as {"command": "my-server"}, found the number 1
    "#);
    insta::assert_snapshot!(told("{}"), @"m.json:1:1: it has no object `mcpServers`");
    insta::assert_snapshot!(told("[1"), @"m.json:1:2: not valid JSON: EOF while parsing a list");
}
