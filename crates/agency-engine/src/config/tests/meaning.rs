//! What whole files mean.

use super::{json, toml};
use crate::config::{Config, ConfigError, Environment, Location, NamedBy, PromptDelivery};
use agency_model::HostChoice;
use std::{path::PathBuf, time::Duration};

#[test]
fn the_documented_file_is_the_defaults_and_one_custom_agent() {
    let page = include_str!("../../../../../docs/configuration.md");
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut config = toml(block).unwrap();
    let mine = config.agents.remove("mine").unwrap();
    assert_eq!((mine.command.as_str(), mine.args), ("/opt/mine", vec!["--fast".to_owned()]));
    assert_eq!((&mine.interactive.prompt, &mine.headless.prompt), (&PromptDelivery::Stdin, &PromptDelivery::Stdin));
    assert!(!mine.built_in);
    let defaults = Config { file: config.file.clone(), lines: config.lines.clone(), ..Config::default() };
    assert_eq!(config, defaults);
}

#[test]
fn every_documented_file_is_read() {
    let page = include_str!("../../../../../docs/configuration.md");
    for block in page.split("```toml\n").skip(1) {
        toml(block.split("```").next().unwrap()).unwrap();
    }
    for block in page.split("```json\n").skip(1) {
        json(block.split("```").next().unwrap()).unwrap();
    }
}

#[test]
fn an_empty_file_is_the_defaults() {
    let config = toml("").unwrap();
    assert_eq!(config.agents, Config::default().agents);
    assert_eq!(config.file, Some(PathBuf::from("config.toml")));
    assert_eq!(Config::default().file, None);
}

#[test]
fn a_place_for_pid_files_is_meant_from_where_the_file_is() {
    let config = toml("pid_dir = 'run/pids'").unwrap();
    assert_eq!(config.pid_dir, Some(std::path::absolute("run/pids").unwrap()));
    assert_eq!(toml("pid_dir = ''").unwrap().pid_dir, None);
}

#[test]
fn both_formats_say_the_same() {
    let from_toml = toml(
        "default_agent = 'mine'\nmax_agents = 2\nhost = 'detached'\nwrapper = '/w'\npid_dir = '/p'\n\
         tmux.socket = 's'\nlimits = { max_minutes = 3, stop_grace_seconds = 4 }\n\
         database.lock_timeout_seconds = 5\n[agents.mine]\ncommand = 'm'",
    )
    .unwrap();
    let from_json = json(
        r#"{"default_agent": "mine", "max_agents": 2, "host": "detached", "wrapper": "/w", "pid_dir": "/p",
        "tmux": {"socket": "s"}, "limits": {"max_minutes": 3, "stop_grace_seconds": 4},
        "database": {"lock_timeout_seconds": 5}, "agents": {"mine": {"command": "m"}}}"#,
    )
    .unwrap();
    let same = Config { file: from_toml.file.clone(), lines: from_toml.lines.clone(), ..from_json };
    assert_eq!(from_toml, same);
    assert_eq!((same.max_agents, same.host), (2, HostChoice::Detached));
    assert_eq!((same.wrapper, same.tmux_socket), (Some(PathBuf::from("/w")), Some("s".to_owned())));
    assert_eq!(same.pid_dir, Some(PathBuf::from("/p")));
    assert_eq!(same.limits.max_minutes, Some(3));
    assert_eq!((same.stop_grace, same.lock_timeout), (Duration::from_secs(4), Duration::from_secs(5)));
}

#[test]
fn a_built_in_agent_keeps_what_the_file_leaves_out() {
    let config = toml("[agents.claude-code]\ncommand = '/opt/claude'\nargs = ['-x']\nenv = { A = 'b' }").unwrap();
    let (name, agent) = config.agent("claude-code").unwrap();
    assert_eq!((name, agent.command.as_str(), agent.built_in), ("claude_code", "/opt/claude", true));
    assert_eq!((agent.args.as_slice(), agent.env["A"].as_str()), (["-x".to_owned()].as_slice(), "b"));
    assert_eq!(agent.headless, Config::default().agents["claude_code"].headless);
    assert!(agent.adapter.install_hint().is_some());
}

#[test]
fn a_prompt_key_holds_for_both_modes() {
    let config = toml("[agents.gemini]\nprompt = 'flag:--say'").unwrap();
    let (_, agent) = config.agent("gemini").unwrap();
    assert_eq!(agent.interactive.prompt, PromptDelivery::Flag("--say".to_owned()));
    assert_eq!(agent.headless.prompt, PromptDelivery::Flag("--say".to_owned()));
}

#[test]
fn a_custom_agent_takes_its_prompt_as_argument() {
    let config = toml("agents.mine.command = 'm'").unwrap();
    let (_, agent) = config.agent("mine").unwrap();
    assert_eq!(agent.interactive.prompt, PromptDelivery::Argument);
    assert_eq!(agent.headless.prompt, PromptDelivery::Argument);
}

#[test]
fn the_scripted_agent_is_the_program_itself_until_it_has_another_command() {
    let own = |text| toml(text).unwrap().agents["scripted"].own_command;
    assert!(own("agents.scripted.args = ['x']"));
    assert!(!own("agents.scripted.command = 'agency'"));
}

#[test]
fn a_byte_order_mark_and_windows_lines_are_no_mistake() {
    assert_eq!(toml("\u{feff}max_agents = 3\r\nhost = 'tmux'\r\n").unwrap().max_agents, 3);
    assert_eq!(json("\u{feff}{\"max_agents\": 3}").unwrap().max_agents, 3);
}

#[test]
fn an_unknown_agent_is_not_found() {
    assert!(Config::default().agent("nobody").is_none());
}

#[test]
fn a_file_is_loaded_from_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.JSON");
    std::fs::write(&path, r#"{"max_agents": 1}"#).unwrap();
    let config = Config::load(Some(&path), &Environment::default()).unwrap();
    assert_eq!((config.max_agents, config.file.as_ref()), (1, Some(&path)));
    let missing = Location::Platform(folder.path().join("missing.toml"));
    assert_eq!(Config::load_from(&missing).unwrap(), Config::default());
    let missing = Location::Named { path: missing.path().to_owned(), by: NamedBy::Variable };
    assert!(matches!(Config::load_from(&missing), Err(ConfigError::Missing { .. })));
}
