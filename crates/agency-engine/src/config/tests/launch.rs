//! How the built-in agents are started: their entries of the configuration, and what their adapters add.

use std::path::{Path, PathBuf};

use agency_adapters::{AdapterError, FirstInput, LaunchConfig, LaunchRequest, McpRequest, Opening, Prompt};
use agency_model::Mode;

use crate::config::Config;

fn launched(agent: &str, change: impl FnOnce(&mut LaunchRequest<'_>)) -> Result<LaunchConfig, AdapterError> {
    let config = Config::default();
    let (_, agent) = config.agent(agent).unwrap();
    let extra_args = ["--fast".to_owned()];
    let mut request = LaunchRequest {
        mode: Mode::Headless,
        one_shot: false,
        prompt: Some(Prompt { text: "do it", file: "./p.md" }),
        extra_args: &extra_args,
        directory: Path::new("/w \"x\""),
        resume: None,
        session: None,
        trusted: false,
        mcp: &McpRequest::default(),
        commit_roots: &[],
    };
    change(&mut request);
    agent.launch_config(&request)
}

// proves P3
#[test]
fn unified_launch_configuration() {
    let headless = launched("codex", |_| {}).unwrap();
    let interactive = launched("codex", |request| request.mode = Mode::Interactive).unwrap();
    assert_eq!(headless.args[0], "app-server");
    assert_eq!(interactive.args, ["--no-daemon", "--fast", "do it"]);
}

// proves P3
#[test]
fn a_conversation_takes_its_prompt_by_the_protocol_and_the_arguments_of_the_run_come_last() {
    let launch = launched("claude-code", |_| {}).unwrap();
    assert_eq!(launch.args.last().unwrap(), "--fast");
    assert!(!launch.args.contains(&"do it".to_owned()));
    let (prompt, directory) = (Some("do it".to_owned()), "/w \"x\"".into());
    let opening = Opening { prompt, directory, resume: None, mcp_servers: vec![] };
    assert_eq!(launch.first_input, FirstInput::Conversation(opening));
}

#[test]
fn a_one_shot_reads_its_prompt_and_the_end() {
    let launch = launched("codex", |request| request.one_shot = true).unwrap();
    assert_eq!(launch.args, ["exec", "--json", "-", "--fast"]);
    assert_eq!(launch.first_input, FirstInput::Text("do it".to_owned()));
}

#[test]
fn a_screen_gets_the_prompt_by_argument_and_trust_only_where_it_was_asked_for() {
    let interactive = |agent, trusted| {
        launched(agent, |request| {
            request.mode = Mode::Interactive;
            request.trusted = trusted;
        })
        .unwrap()
    };
    assert_eq!(interactive("codex", false).args, ["--no-daemon", "--fast", "do it"]);
    let trusted = interactive("codex", true).args;
    assert_eq!(trusted[2], r#"projects={'/w "x"'={trust_level="trusted"}}"#);
    assert_eq!(interactive("gemini", false).args, ["--fast", "--prompt-interactive", "do it"]);
    assert_eq!(interactive("gemini", true).env["GEMINI_CLI_TRUST_WORKSPACE"], "true");
    assert_eq!(interactive("gemini", false).env["GEMINI_CLI_NO_RELAUNCH"], "");
    assert_eq!(launched("gemini", |_| {}).unwrap().args, ["--acp", "--skip-trust", "--fast"]);
}

#[test]
fn codex_may_write_what_a_commit_writes_in_every_form() {
    let roots: &'static [PathBuf] = vec![PathBuf::from("/repo/.git/objects")].leak();
    let setting = r#"sandbox_workspace_write.writable_roots=["/repo/.git/objects"]"#;
    for (mode, one_shot) in [(Mode::Headless, false), (Mode::Headless, true), (Mode::Interactive, false)] {
        let launch = launched("codex", |request| {
            (request.mode, request.one_shot, request.commit_roots) = (mode, one_shot, roots);
        });
        let args = launch.unwrap().args;
        assert!(args.windows(2).any(|pair| pair == ["-c", setting]), "{args:?}");
        let other = launched("claude_code", |request| request.commit_roots = roots).unwrap().args;
        assert!(!other.iter().any(|arg| arg.contains("objects")), "{other:?}");
    }
}

#[test]
fn a_conversation_on_a_screen_is_named_where_the_agent_takes_a_name() {
    let named = |agent, mode| {
        let launch = launched(agent, |request| {
            request.mode = mode;
            request.session = Some("s1");
        });
        launch.unwrap().args.windows(2).any(|pair| pair == ["--session-id", "s1"])
    };
    for (agent, takes_a_name) in [("claude_code", true), ("gemini", false), ("codex", false), ("opencode", false)] {
        assert_eq!(named(agent, Mode::Interactive), takes_a_name, "{agent}");
        assert!(!named(agent, Mode::Headless), "{agent}");
    }
}

#[test]
fn a_conversation_goes_on_by_its_id_or_says_that_it_cannot() {
    let resumed = |agent, one_shot| {
        launched(agent, |request| {
            request.resume = Some("s1");
            request.one_shot = one_shot;
        })
    };
    let claude = resumed("claude_code", false).unwrap().args;
    assert!(claude.windows(2).any(|pair| pair == ["--resume", "s1"]), "{claude:?}");
    assert_eq!(resumed("codex", true).unwrap().args, ["exec", "resume", "--json", "s1", "-", "--fast"]);
    let FirstInput::Conversation(opening) = resumed("opencode", false).unwrap().first_input else { panic!() };
    assert_eq!(opening.resume.as_deref(), Some("s1"));
    assert_eq!(resumed("scripted", false), Err(AdapterError::NoResume { mode: Mode::Headless }));
}
