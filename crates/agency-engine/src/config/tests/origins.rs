//! What is shown of whole files.

use super::{json, toml};
use crate::config::{Config, Origin};
use std::path::PathBuf;

fn shown(config: &Config) -> String {
    let lines = config.values().into_iter().map(|value| {
        let origin = match value.origin {
            Origin::Default => "default".to_owned(),
            Origin::File { path, line } => format!("{}:{}", path.display(), line.unwrap()),
        };
        format!("{} = {} ({origin})", value.key, value.value)
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[test]
fn each_value_knows_its_line_and_secrets_are_masked() {
    let text = "max_agents = 2\n\n[limits]\nmax_minutes = 5\n\n[agents.claude-code]\nargs = ['-x']\n\
                env = { TOKEN = 's3cret' }\n[agents.mine]\ncommand = 'm'\nprompt = 'stdin'\n";
    let config = toml(text).unwrap();
    insta::assert_snapshot!(shown(&config), @r#"
    default_agent = "claude_code" (default)
    max_agents = 2 (config.toml:1)
    host = "tmux" (default)
    wrapper = "" (default)
    tmux.socket = "" (default)
    limits.max_minutes = 5 (config.toml:4)
    limits.stop_grace_seconds = 10 (default)
    database.lock_timeout_seconds = 30 (default)
    agents.claude_code.command = "claude" (default)
    agents.claude_code.args = ["-x"] (config.toml:7)
    agents.claude_code.env = {"TOKEN":"***"} (config.toml:8)
    agents.claude_code.prompt = {"interactive":"argument","headless":"stdin"} (default)
    agents.claude_code.stream = "claude" (default)
    agents.codex.command = "codex" (default)
    agents.codex.args = [] (default)
    agents.codex.env = {} (default)
    agents.codex.prompt = {"interactive":"argument","headless":"stdin"} (default)
    agents.codex.stream = "codex" (default)
    agents.cursor.command = "cursor-agent" (default)
    agents.cursor.args = [] (default)
    agents.cursor.env = {} (default)
    agents.cursor.prompt = "argument" (default)
    agents.cursor.stream = "claude" (default)
    agents.gemini.command = "gemini" (default)
    agents.gemini.args = [] (default)
    agents.gemini.env = {} (default)
    agents.gemini.prompt = {"interactive":"flag:--prompt-interactive","headless":"stdin"} (default)
    agents.gemini.stream = "gemini" (default)
    agents.mine.command = "m" (config.toml:10)
    agents.mine.args = [] (default)
    agents.mine.env = {} (default)
    agents.mine.prompt = "stdin" (config.toml:11)
    agents.mine.stream = "text" (default)
    agents.opencode.command = "opencode" (default)
    agents.opencode.args = [] (default)
    agents.opencode.env = {} (default)
    agents.opencode.prompt = {"interactive":"flag:--prompt","headless":"stdin"} (default)
    agents.opencode.stream = "opencode" (default)
    agents.scripted.command = "agency" (default)
    agents.scripted.args = [] (default)
    agents.scripted.env = {} (default)
    agents.scripted.prompt = "file" (default)
    agents.scripted.stream = "text" (default)
    "#);
    assert!(!format!("{config:?}").contains("s3cret"));
}

#[test]
fn json_has_lines_too() {
    let config = json("{\n  \"limits\": {\n    \"max_minutes\": 5\n  }\n}").unwrap();
    let value = config.values().into_iter().find(|value| value.key == "limits.max_minutes").unwrap();
    assert_eq!(value.origin, Origin::File { path: PathBuf::from("config.json"), line: Some(3) });
}
