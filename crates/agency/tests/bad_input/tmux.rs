//! tmux that is missing, or does not start.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_model::ErrorCode;
use agency_testkit::World;

use super::refusal::{hints, path, refused_command, run_prompted, says, world};

/// The real git.
pub(super) fn git() -> PathBuf {
    let search = env::var_os("PATH").unwrap();
    let mut candidates = env::split_paths(&search).map(|place| place.join("git"));
    candidates.find(|path| path.is_file()).unwrap()
}

/// Makes a directory for PATH that holds git and nothing else.
pub(super) fn link_git(directory: &Path) {
    fs::create_dir(directory).unwrap();
    symlink(git(), directory.join("git")).unwrap();
}

fn without_tmux(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(arguments);
    command.env("PATH", world.root().join("bin"));
    command
}

// proves L18
#[test]
fn without_tmux_a_run_is_refused_and_a_detached_one_works() {
    let (world, repo) = world();
    link_git(&world.root().join("bin"));
    let in_tmux = ["run", "--repo", path(&repo), "--runner", "quiet", "--prompt", "x", "--host", "tmux"];
    let error = refused_command(&world, &repo, || without_tmux(&world, &in_tmux), ErrorCode::TmuxNotFound);
    says(&error, &["tmux is not installed"]);
    hints(&error, "--host detached");
    let run = world.run(&mut without_tmux(&world, &run_prompted(&repo, &["--wait", "--json"]))).object();
    assert_eq!(run["data"]["state"], "completed", "{run:#}");
    let id = run["data"]["id"].as_str().unwrap();
    let removed = world.run(&mut without_tmux(&world, &["rm", id, "--json"])).object();
    assert_eq!(removed["data"]["removed"], true, "{removed:#}");
}

// proves L18
#[test]
fn without_tmux_the_doctor_says_so() {
    let (world, _) = world();
    link_git(&world.root().join("bin"));
    let output = world.run(&mut without_tmux(&world, &["doctor"]));
    assert!(output.stdout.contains("warning  tmux: tmux is not installed"), "{output}");
    assert!(output.stdout.contains("until then runs are detached"), "{output}");
    world.set("host", "\"tmux\"");
    let output = world.run(&mut without_tmux(&world, &["doctor"]));
    assert_eq!(output.status.code(), Some(1), "{output}");
    assert!(output.stdout.contains("PROBLEM  tmux: tmux is not installed"), "{output}");
    assert!(output.stdout.contains("fix: apt-get install tmux"), "{output}");
}

// proves L18
#[test]
fn a_tmux_that_does_not_start_ends_the_run_with_its_words_and_nothing_is_left_of_it() {
    let (world, repo) = world();
    let config = world.root().join("other.toml");
    let agent = world.root().join("agents/quiet");
    fs::write(&config, format!("[tmux]\nsocket = \"/nowhere/socket\"\n[agents.quiet]\ncommand = {agent:?}\n")).unwrap();
    let fixed = ["run", "--repo", path(&repo), "--runner", "quiet", "--prompt", "x"];
    let arguments = [&fixed[..], &["--config", config.to_str().unwrap()]].concat();
    let error = world.error(&arguments, ErrorCode::TmuxStartFailed);
    says(&error, &["tmux: ", "/nowhere/socket"]);
    hints(&error, "--host detached");
    assert_eq!((repo.worktrees().len(), repo.branches()), (1, vec!["main".to_owned()]));
    let run = world.json(&["show", error["details"]["id"].as_str().unwrap()]);
    assert_eq!((&run["data"]["state"], &run["data"]["exit_code"]), (&"failed".into(), &serde_json::Value::Null));
    assert!(run["data"]["error"].as_str().unwrap().starts_with("E_TMUX_START_FAILED"), "{run:#}");
}
