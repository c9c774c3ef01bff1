//! Agents that are unknown or cannot be started.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use agency_model::ErrorCode;
use agency_testkit::agent;

use super::refusal::{hints, path, refused, refused_command, says, world};

/// `agency run` with that agent.
fn with_runner<'a>(repo: &'a str, runner: &'a str) -> [&'a str; 9] {
    ["run", "--repo", repo, "--prompt", "x", "--host", "detached", "--runner", runner]
}

// proves L14
#[test]
fn an_unknown_agent_is_answered_with_the_nearest_one() {
    let (world, repo) = world();
    let arguments = with_runner(path(&repo), "quite");
    let error = refused(&world, &repo, &arguments, ErrorCode::RunnerNotConfigured);
    says(&error, &["'quite'"]);
    hints(&error, "did you mean quiet?");
    let arguments = with_runner(path(&repo), "xylophone");
    let error = refused(&world, &repo, &arguments, ErrorCode::RunnerNotConfigured);
    hints(&error, "configured are claude-code, codex,");
    assert!(!error.to_string().contains("did you mean"), "{error:#}");
}

// proves L14
#[test]
fn an_agent_whose_command_cannot_be_started_is_refused() {
    let (world, repo) = world();
    let plain = world.root().join("plain");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&plain, Permissions::from_mode(0o644)).unwrap();
    let cases = [
        ("missing", Path::new("/nowhere/agent"), "does not exist"),
        ("plain", &plain, "is not an executable file"),
        ("folder", world.root(), "is not an executable file"),
        ("unknown", Path::new("no-such-program-anywhere"), "is not on the PATH"),
    ];
    for (name, command, words) in cases {
        world.configure(&format!("\n[agents.{name}]\ncommand = {command:?}\n"));
        let arguments = with_runner(path(&repo), name);
        let error = refused(&world, &repo, &arguments, ErrorCode::RunnerNotConfigured);
        says(&error, &[name, command.to_str().unwrap(), words]);
        hints(&error, &format!("[agents.{name}] command"));
    }
}

// proves L14
#[test]
fn a_program_without_an_interpreter_is_refused_as_not_configured() {
    let (world, repo) = world();
    let script = world.agent("strange", agent::quiet());
    fs::write(&script, "#!/nowhere/interpreter\n").unwrap();
    let error = world.error(&with_runner(path(&repo), "strange"), ErrorCode::RunnerNotConfigured);
    says(&error, &[script.to_str().unwrap()]);
    assert_eq!((repo.worktrees().len(), repo.branches()), (1, vec!["main".to_owned()]));
    let id = error["details"]["id"].as_str().unwrap();
    assert_eq!(world.json(&["show", id])["data"]["state"], "failed");
}

// proves L14
#[test]
fn a_built_in_agent_that_is_not_installed_is_answered_with_how_to_install_it() {
    let (world, repo) = world();
    let git = world.root().join("bin");
    super::tmux::link_git(&git);
    let command = || {
        let mut command = world.command(&with_runner(path(&repo), "claude-code"));
        command.env("PATH", &git);
        command
    };
    let error = refused_command(&world, &repo, command, ErrorCode::RunnerNotConfigured);
    says(&error, &["claude_code", "'claude'", "is not on the PATH"]);
    hints(&error, "npm install -g @anthropic-ai/claude-code");
}

// proves L14
#[test]
fn both_spellings_of_a_name_are_the_same_agent() {
    let (world, repo) = world();
    let script = world.agent("two_words", agent::quiet());
    for spelling in ["two-words", "two_words"] {
        let run = world.json(&[&with_runner(path(&repo), spelling)[..], &["--dry-run"]].concat());
        assert_eq!(run["data"]["spec"]["runner"]["kind"], "two_words");
        assert_eq!(run["data"]["program"], script.to_str().unwrap());
    }
    // The built-in one is configured under either spelling, too.
    world.configure(&format!("\n[agents.claude-code]\ncommand = {script:?}\n"));
    for spelling in ["claude-code", "claude_code"] {
        let run = world.json(&[&with_runner(path(&repo), spelling)[..], &["--wait"]].concat());
        assert_eq!((&run["data"]["runner"], &run["data"]["state"]), (&"claude_code".into(), &"completed".into()));
    }
}

// proves L14
#[test]
fn the_default_agent_runs_where_none_is_named() {
    let (world, repo) = world();
    let config = world.root().join("default.toml");
    let agent = world.agent("favourite", agent::quiet());
    let text = format!("default_agent = \"favourite\"\n[agents.favourite]\ncommand = {agent:?}\n");
    fs::write(&config, text).unwrap();
    let fixed = ["run", "--repo", path(&repo), "--prompt", "x", "--host", "detached", "--wait"];
    let run = world.json(&[&fixed[..], &["--config", config.to_str().unwrap()]].concat());
    assert_eq!((&run["data"]["runner"], &run["data"]["state"]), (&"favourite".into(), &"completed".into()));
}
