//! Registering the server with agents.

use std::collections::BTreeSet;
use std::fs;

use agency_model::ErrorCode;
use serde_json::{Value, json};

use super::fixture::empty;

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
    let (own_home, own_config) = (world.root().join("agency"), home.join("config.toml"));
    let env = json!({ "AGENCY_HOME": own_home, "AGENCY_CONFIG": own_config });
    let entry = json!({ "type": "stdio", "command": agency, "args": ["mcp"], "env": env });
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
    let env = format!("AGENCY_CONFIG = {}, AGENCY_HOME = {}", json!(own_config), json!(own_home));
    let table = format!("[mcp_servers.agency]\nargs = [\"mcp\"]\ncommand = \"{agency}\"\nenv = {{ {env} }}\n");
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let added = after.strip_prefix(&format!("{config}\n\n")).unwrap();
    assert_eq!(lines(added).len(), 4, "{added}");
    let read = |text: &str| text.parse::<toml::Table>().unwrap();
    assert_eq!(read(added), read(&table), "{added}");
}

#[test]
fn another_home_and_configuration_are_passed_on_and_the_usual_ones_are_not() {
    let world = empty();
    let named =
        [("AGENCY_HOME", world.root().join("agency")), ("AGENCY_CONFIG", world.root().join("home/config.toml"))];
    for (client, variables) in
        [("claude", "env"), ("codex", "env"), ("gemini", "env"), ("opencode", "environment"), ("cursor", "env")]
    {
        let answer = world.json(&["mcp", "install", client])["data"].take();
        let entry = answer["entry"].as_str().unwrap();
        for (name, path) in &named {
            let path = path.to_str().unwrap();
            assert!(entry.contains(variables) && entry.contains(name) && entry.contains(path), "{client}: {entry}");
            if let Some(command) = answer["command"].as_str() {
                assert!(command.contains(&format!(" --env {name}={path}")), "{command}");
            }
        }
        let said = world.ok(&["mcp", "install", client]).stdout;
        assert!(said.contains("AGENCY_HOME") && said.contains("AGENCY_CONFIG"), "{said}");
    }

    // An option is an argument of the server, and a home in the usual place needs no variable.
    let usual = world.root().join("home/.agency");
    let config = world.root().join("home/config.toml");
    let said = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("AGENCY_HOME", &usual).env("AGENCY_CONFIG", "");
        world.run(&mut command).object()["data"].take()
    };
    let plain = said(&["mcp", "install", "claude", "--json"]);
    assert!(!plain["entry"].as_str().unwrap().contains("\"env\""), "{plain:#}");
    assert!(!plain["command"].as_str().unwrap().contains("--env"), "{plain:#}");
    let named = said(&["--config", config.to_str().unwrap(), "mcp", "install", "claude", "--json"]);
    let entry: Value = serde_json::from_str(named["entry"].as_str().unwrap()).unwrap();
    assert_eq!(entry["mcpServers"]["agency"]["args"], json!(["--config", config, "mcp"]));
    assert_eq!(entry["mcpServers"]["agency"]["env"], Value::Null);
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
