//! Registering the server with agents.

use std::fs;

use agency_model::ErrorCode;
use serde_json::{Value, json};

use super::place::empty;

const FILES: [(&str, &str); 5] = [
    ("claude", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("opencode", ".config/opencode/opencode.json"),
    ("cursor", ".cursor/mcp.json"),
];

// proves A10
#[test]
fn nothing_is_written_unless_it_is_asked_for_and_then_only_once() {
    let world = empty();
    for (client, name) in FILES {
        let file = world.root().join("home").join(name);
        let said = world.ok(&["mcp", "install", client]).stdout;
        assert!(said.contains(file.to_str().unwrap()) && said.contains(env!("CARGO_BIN_EXE_agency")), "{said}");
        assert!(!file.exists());
        let written = world.json(&["mcp", "install", client, "--write"])["data"].take();
        assert_eq!((&written["written"], &written["client"]), (&json!(true), &json!(client)));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(written["entry"].as_str().unwrap()), "{text}");
        assert_eq!(world.json(&["mcp", "install", client, "--write"])["data"]["written"], false);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

// proves A10
#[test]
fn what_is_there_stays_byte_for_byte() {
    let world = empty();
    let agency = env!("CARGO_BIN_EXE_agency");
    let home = world.root().join("home");
    let entry = json!({ "type": "stdio", "command": agency, "args": ["mcp"] });
    let cases = [
        (["{\"a\" : 1.0,\n\t\"mcpServers\":{", "\"other\":{\"command\":\"x\"}} }"], "\n  \"agency\": ENTRY,\n"),
        (["{\"a\":{\"mcpServers\":{}},  \"mcpServers\": {", "}}\n"], "\n  \"agency\": ENTRY\n"),
        (["{", "\n \"z\":[ ] }"], "\n  \"mcpServers\": { \"agency\": ENTRY },"),
        ([" {", "}"], "\n  \"mcpServers\": { \"agency\": ENTRY }\n"),
    ];
    for (before, added) in cases {
        fs::write(home.join(".claude.json"), before.concat()).unwrap();
        world.ok(&["mcp", "install", "claude", "--write"]);
        let after = fs::read_to_string(home.join(".claude.json")).unwrap();
        assert_eq!(after, before.join(&added.replace("ENTRY", &entry.to_string())));
        let value: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(value["mcpServers"]["agency"], entry, "{after}");
    }
    let config = "# mine\nmodel = \"x\"   # why\n\n[mcp_servers.other]\ncommand = 'y'";
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::write(home.join(".codex/config.toml"), config).unwrap();
    world.ok(&["mcp", "install", "codex", "--write"]);
    let after = fs::read_to_string(home.join(".codex/config.toml")).unwrap();
    assert_eq!(after, format!("{config}\n\n[mcp_servers.agency]\ncommand = \"{agency}\"\nargs = [\"mcp\"]\n"));
}

// proves A10
#[test]
fn settings_that_are_not_understood_are_left_alone() {
    let world = empty();
    let home = world.root().join("home");
    fs::create_dir_all(home.join(".codex")).unwrap();
    let cases = [
        ("claude", ".claude.json", "// mine\n{}"),
        ("claude", ".claude.json", "[]"),
        ("claude", ".claude.json", "{\"mcpServers\": 5}"),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/config.toml", "mcp_servers = { other = { command = \"x\" } }\n"),
    ];
    for (client, name, text) in cases {
        fs::write(home.join(name), text).unwrap();
        world.error(&["mcp", "install", client, "--write"], ErrorCode::InvalidConfig);
        assert_eq!(fs::read_to_string(home.join(name)).unwrap(), text);
    }
    world.error(&["mcp", "install", "emacs"], ErrorCode::Usage);
}

#[test]
fn a_link_stays_a_link_and_a_private_file_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = empty();
    let (link, file) = (world.root().join("home/.claude.json"), world.root().join("dotfiles.json"));
    fs::write(&file, "{}").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    world.ok(&["mcp", "install", "claude", "--write"]);
    assert!(link.is_symlink() && fs::read_to_string(&file).unwrap().contains("agency"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}
