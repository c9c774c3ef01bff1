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
    host = "auto" (default)
    branch_template = "" (default)
    vcs = "auto" (default)
    trust_worktrees = false (default)
    allow_self_answer = false (default)
    wrapper = "" (default)
    diff_tool = "" (default)
    pid_dir = "" (default)
    sources_dir = "" (default)
    tmux.socket = "" (default)
    limits.max_minutes = 5 (config.toml:4)
    limits.no_progress_minutes = 0 (default)
    limits.question_minutes = 0 (default)
    limits.unknown_minutes = 3 (default)
    limits.stop_grace_seconds = 10 (default)
    limits.shutdown_grace_seconds = 30 (default)
    restart.failures = 3 (default)
    restart.pauses_seconds = [1,5,15] (default)
    restart.healthy_minutes = 10 (default)
    database.lock_timeout_seconds = 30 (default)
    approval_policy = [] (default)
    notify.bell = true (default)
    notify.desktop = true (default)
    notify.command = [] (default)
    notify.always = false (default)
    forecast.automatic = true (default)
    forecast.tell_agents = false (default)
    gc.auto = false (default)
    gc.age = "7d" (default)
    gc.landed_after = "1d" (default)
    gc.unused_after = "30d" (default)
    gc.max_gb = 0 (default)
    gc.min_free_gb = 0 (default)
    land.attempts = 2 (default)
    mcp.allow_land = false (default)
    tui.theme = "auto" (default)
    tui.colors = {} (default)
    agents.claude_code.command = "claude" (default)
    agents.claude_code.args = ["-x"] (config.toml:7)
    agents.claude_code.env = {"TOKEN":"***"} (config.toml:8)
    agents.claude_code.screen = "" (default)
    agents.claude_code.interactive = {"args":[],"prompt":"argument","stream":"text","resume":["--resume","{session}"]} (default)
    agents.claude_code.headless = {"args":["-p","--input-format","stream-json","--output-format","stream-json","--verbose","--permission-prompt-tool","stdio"],"prompt":"protocol","stream":"claude","resume":["-p","--input-format","stream-json","--output-format","stream-json","--verbose","--permission-prompt-tool","stdio","--resume","{session}"]} (default)
    agents.claude_code.ask = "" (default)
    agents.claude_code.chat = "" (default)
    agents.claude_code.one_shot = {"args":["-p","--output-format","stream-json","--verbose"],"prompt":"stdin","stream":"claude","resume":["-p","--output-format","stream-json","--verbose","--resume","{session}"]} (default)
    agents.codex.command = "codex" (default)
    agents.codex.args = [] (default)
    agents.codex.env = {} (default)
    agents.codex.screen = "" (default)
    agents.codex.interactive = {"args":["--no-daemon"],"prompt":"argument","stream":"text","resume":["resume","--no-daemon","{session}"]} (default)
    agents.codex.headless = {"args":["app-server","-c","approval_policy=\"on-request\"","-c","sandbox_mode=\"workspace-write\""],"prompt":"protocol","stream":"codex","resume":["app-server","-c","approval_policy=\"on-request\"","-c","sandbox_mode=\"workspace-write\""]} (default)
    agents.codex.ask = "" (default)
    agents.codex.chat = "" (default)
    agents.codex.one_shot = {"args":["exec","--json","-"],"prompt":"stdin","stream":"codex","resume":["exec","resume","--json","{session}","-"]} (default)
    agents.cursor.command = "cursor-agent" (default)
    agents.cursor.args = [] (default)
    agents.cursor.env = {} (default)
    agents.cursor.screen = "" (default)
    agents.cursor.interactive = {"args":[],"prompt":"argument","stream":"text","resume":["--resume","{session}"]} (default)
    agents.cursor.headless = {"args":["-p","--output-format","stream-json"],"prompt":"argument","stream":"claude","resume":["-p","--output-format","stream-json","--resume","{session}"]} (default)
    agents.cursor.ask = "" (default)
    agents.cursor.chat = "" (default)
    agents.gemini.command = "gemini" (default)
    agents.gemini.args = [] (default)
    agents.gemini.env = {} (default)
    agents.gemini.screen = "" (default)
    agents.gemini.interactive = {"args":[],"prompt":"flag:--prompt-interactive","stream":"text","resume":["--resume","{session}"]} (default)
    agents.gemini.headless = {"args":["--acp"],"prompt":"protocol","stream":"acp","resume":["--acp"]} (default)
    agents.gemini.ask = "" (default)
    agents.gemini.chat = "" (default)
    agents.gemini.one_shot = {"args":["-o","stream-json","-p",""],"prompt":"stdin","stream":"gemini","resume":["-o","stream-json","-p","","--resume","{session}"]} (default)
    agents.mine.command = "m" (config.toml:10)
    agents.mine.args = [] (default)
    agents.mine.env = {} (default)
    agents.mine.screen = "" (default)
    agents.mine.interactive = {"args":[],"prompt":"stdin","stream":"text","resume":null} (config.toml:11)
    agents.mine.headless = {"args":[],"prompt":"stdin","stream":"text","resume":null} (config.toml:11)
    agents.mine.ask = "" (default)
    agents.mine.chat = "" (default)
    agents.opencode.command = "opencode" (default)
    agents.opencode.args = [] (default)
    agents.opencode.env = {} (default)
    agents.opencode.screen = "" (default)
    agents.opencode.interactive = {"args":[],"prompt":"flag:--prompt","stream":"text","resume":["-s","{session}"]} (default)
    agents.opencode.headless = {"args":["acp"],"prompt":"protocol","stream":"acp","resume":["acp"]} (default)
    agents.opencode.ask = "" (default)
    agents.opencode.chat = "" (default)
    agents.opencode.one_shot = {"args":["run","--format","json"],"prompt":"stdin","stream":"opencode","resume":["run","--format","json","-s","{session}"]} (default)
    agents.scripted.command = "agency" (default)
    agents.scripted.args = [] (default)
    agents.scripted.env = {} (default)
    agents.scripted.screen = "" (default)
    agents.scripted.interactive = {"args":["scripted"],"prompt":"file","stream":"text","resume":null} (default)
    agents.scripted.headless = {"args":["scripted"],"prompt":"file","stream":"text","resume":null} (default)
    agents.scripted.ask = "" (default)
    agents.scripted.chat = "" (default)
    "#);
    assert!(!format!("{config:?}").contains("s3cret"));
}

#[test]
fn json_has_lines_too() {
    let config = json("{\n  \"limits\": {\n    \"max_minutes\": 5\n  }\n}").unwrap();
    let value = config.values().into_iter().find(|value| value.key == "limits.max_minutes").unwrap();
    assert_eq!(value.origin, Origin::File { path: PathBuf::from("config.json"), line: Some(3) });
}

#[test]
fn rules_are_shown_as_they_were_written() {
    let config = toml("[[approval_policy]]\nname = 'look'\naction = 'allow'\ncommand = ['git', 'log']\n").unwrap();
    let shown = shown(&config);
    let line = shown.lines().find(|line| line.starts_with("approval_policy")).unwrap();
    insta::assert_snapshot!(line, @r#"approval_policy = [{"name":"look","action":"allow","command":["git","log"]}] (config.toml:1)"#);
}
