use std::path::Path;

use super::*;
use crate::{AgentAdapter, PromptDelivery, StreamFormat, adapter};

const SECRET: &str = "s3cret";

fn request(settings: Option<&str>) -> McpRequest {
    let pair = |name: &str| BTreeMap::from([(name.to_owned(), SECRET.to_owned())]);
    let program = McpTransport::Program {
        command: "/bin/server".to_owned(),
        args: vec!["it's \"odd\"\n".to_owned()],
        env: pair("TOKEN"),
    };
    let address = McpTransport::Address { url: "https://example.org/mcp".to_owned(), headers: pair("X-Key") };
    let servers = [("files", program), ("far", address)];
    McpRequest {
        servers: servers.map(|(name, transport)| ReadyServer { name: name.to_owned(), transport }).into(),
        directory: "/run".into(),
        settings: settings.map(str::to_owned),
        beside_settings: vec!["/home/.gemini/tmp".into()],
    }
}

fn passed(agent: &str, one_shot: bool, request: &McpRequest) -> PassedServers {
    let adapter = adapter(agent);
    let Ok(passed) = pass(adapter.mcp_servers(), &form(adapter, one_shot), request) else { panic!() };
    passed
}

/// The form in which an agent is started on pipes.
fn form(adapter: &dyn AgentAdapter, one_shot: bool) -> Form {
    let defaults: toml::Table = adapter.defaults().parse().unwrap();
    let agent = &defaults["agents"][adapter.name()];
    let form = agent.get("one_shot").filter(|_| one_shot).or_else(|| agent.get("headless"));
    let field = |name: &str| form.and_then(|form| form.get(name)).cloned();
    let prompt = field("prompt").map_or(PromptDelivery::Argument, |prompt| prompt.try_into().unwrap());
    let stream = field("stream").map_or(StreamFormat::Text, |stream| stream.try_into().unwrap());
    Form { args: vec![], prompt, stream, resume: None }
}

fn text(file: &LaunchFile) -> Value {
    match &file.content {
        FileContent::Text(text) => serde_json::from_str(text).unwrap(),
        FileContent::Link(_) => panic!("{file:?}"),
    }
}

// proves W11
#[test]
fn no_secret_is_an_argument_and_nothing_is_passed_where_there_are_no_servers() {
    for agent in ["claude_code", "codex", "gemini", "opencode", "cursor", "scripted"] {
        for one_shot in [true, false] {
            let args = passed(agent, one_shot, &request(None)).args.join(" ");
            assert!(!args.contains(SECRET), "{agent}: {args}");
            let none = passed(agent, one_shot, &McpRequest::default());
            assert!(none.args.is_empty() && none.env.is_empty() && none.files.is_empty(), "{agent}");
        }
    }
}

// proves W11
#[test]
fn claude_gets_a_file_and_only_that() {
    let passed = passed("claude_code", false, &request(None));
    assert_eq!(passed.args, ["--mcp-config", "/run/mcp.json", "--strict-mcp-config"]);
    let servers = text(&passed.files[0])["mcpServers"].take();
    assert_eq!(servers["files"]["env"]["TOKEN"], SECRET);
    assert_eq!(servers["far"]["type"], "http");
    assert_eq!(passed.files[0].path, Path::new("/run/mcp.json"));
    assert!(!format!("{:?}", passed.files).contains(SECRET));
}

// proves W11
#[test]
fn codex_gets_arguments_that_its_toml_reads_and_variables_of_other_names() {
    let passed = passed("codex", true, &request(None));
    let [_, first, _, second] = passed.args.as_slice() else { panic!("{:?}", passed.args) };
    let read = |text: &str| -> toml::Table { text.split_once('=').unwrap().1.to_owned().parse_value() };
    let program = read(first);
    assert!(first.starts_with("mcp_servers.files="));
    assert_eq!(program["command"].as_str(), Some("/bin/sh"));
    assert_eq!(program["args"][3].as_str(), Some("it's \"odd\"\n"));
    assert_eq!(program["env_vars"][0].as_str(), Some("AGENCY_MCP_0_TOKEN"));
    assert_eq!(passed.env["AGENCY_MCP_0_TOKEN"], SECRET);
    let address = read(second);
    assert_eq!(address["env_http_headers"]["X-Key"].as_str(), Some("AGENCY_MCP_1_HEADER_0"));
    assert_eq!(passed.env["AGENCY_MCP_1_HEADER_0"], SECRET);
}

/// Reads a value as Codex does: behind a key of its own.
trait ParseValue {
    fn parse_value(self) -> toml::Table;
}

impl ParseValue for String {
    fn parse_value(self) -> toml::Table {
        let whole: toml::Table = format!("x={self}").parse().unwrap();
        whole["x"].as_table().unwrap().clone()
    }
}

// proves W11
#[test]
fn gemini_gets_the_users_settings_with_the_servers_and_links_to_all_else() {
    let own = r#"{"ui": {"theme": "dark"}, "mcpServers": {"mine": {"command": "m"}, "files": {"command": "old"}}}"#;
    let passed = passed("gemini", true, &request(Some(own)));
    assert_eq!(passed.env["GEMINI_CLI_HOME"], "/run/gemini");
    let link =
        LaunchFile { path: "/run/gemini/.gemini/tmp".into(), content: FileContent::Link("/home/.gemini/tmp".into()) };
    assert_eq!(passed.files[0], link);
    let settings = text(&passed.files[1]);
    assert_eq!(settings["ui"]["theme"], "dark");
    assert_eq!(settings["mcpServers"]["mine"]["command"], "m");
    assert_eq!(settings["mcpServers"]["files"]["command"], "/bin/server");
    assert_eq!(settings["mcpServers"]["far"]["httpUrl"], "https://example.org/mcp");
}

// proves W11
#[test]
fn opencode_gets_the_users_settings_with_the_servers() {
    let passed = passed("opencode", true, &request(Some(r#"{"model": "x/y"}"#)));
    let settings: Value = serde_json::from_str(&passed.env["OPENCODE_CONFIG_CONTENT"]).unwrap();
    assert_eq!(settings["model"], "x/y");
    assert_eq!(settings["mcp"]["files"]["command"][0], "/bin/server");
    assert_eq!(settings["mcp"]["files"]["environment"]["TOKEN"], SECRET);
    assert_eq!(settings["mcp"]["far"]["type"], "remote");
}

// proves W11
#[test]
fn settings_that_are_not_understood_are_not_lost_silently() {
    for (agent, settings) in [("gemini", "// a comment\n{}"), ("opencode", "[]"), ("gemini", r#"{"mcpServers": 1}"#)] {
        let adapter = adapter(agent);
        let passed = pass(adapter.mcp_servers(), &form(adapter, true), &request(Some(settings)));
        assert!(matches!(passed, Err(AdapterError::Settings)));
    }
}

// proves W11
#[test]
fn a_protocol_says_the_servers_itself() {
    for agent in ["gemini", "opencode"] {
        let passed = passed(agent, false, &request(None));
        assert!(passed.args.is_empty() && passed.env.is_empty() && passed.files.is_empty());
        let said = serde_json::to_value(in_protocol(&passed.by_protocol)).unwrap();
        assert_eq!(said[0]["env"][0], json!({ "name": "TOKEN", "value": SECRET }));
        assert_eq!((&said[1]["type"], &said[1]["headers"][0]["name"]), (&json!("http"), &json!("X-Key")));
    }
}
