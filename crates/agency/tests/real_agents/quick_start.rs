//! The quick start of the README, line by line, with the real Claude Code on its own screen.

use std::fs;
use std::path::Path;

use agency_testkit::{RealAgent, Script, wait_for};
use serde_json::Value;

use super::scene::{LIMIT, Scene};

/// The lines of the block that starts an agent, without their comments and without the TUI.
fn lines() -> Vec<String> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let block = readme.split("```sh\n").find(|block| block.starts_with("agency run -a claude \"Fix")).unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let lines = block.lines().map(|line| line.split_once(" #").map_or(line, |(command, _)| command).trim().to_owned());
    lines.filter(|line| line != "agency").collect()
}

/// Types a line into a shell in the repository.
#[track_caller]
fn enter(scene: &Scene, line: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap().display();
    // The agent is on the PATH of the world.
    let like = scene.world.command(&[]);
    let agents = like.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value).unwrap();
    let path = format!("{binary}:{}", agents.to_str().unwrap());
    let output =
        scene.world.run(scene.world.program("sh").args(["-c", line]).env("PATH", path).current_dir(&scene.repo.path));
    assert!(output.status.success(), "{line}: {output}");
    output.stdout
}

fn shown(scene: &Scene) -> Value {
    scene.world.json(&["show", "fix-login-test"])["data"].take()
}

#[test]
fn every_line_works_with_claude_on_its_screen() {
    let claude = RealAgent::Claude;
    let script = Script::new().turn(claude.run_command_if_allowed("echo fixed > login.txt")).say("It is fixed.");
    let scene = Scene::asking(claude, script);
    let [run, inbox, diff, land] = lines().try_into().unwrap();
    enter(&scene, &format!("{run} -- {}", claude.asking().join(" ")));
    let id = shown(&scene)["id"].as_str().unwrap().to_owned();
    let question = scene.question(&scene.world.run_with_id(&id));
    let listed = enter(&scene, &inbox);
    assert!(listed.contains(question["id"].as_str().unwrap()), "{listed}");
    scene.answer(&question, &["allow"]);
    wait_for("the end of the turn", LIMIT, || (shown(&scene)["activity"] == "idle").then_some(()));
    assert!(enter(&scene, &diff).contains("+fixed"));
    let worktree = shown(&scene)["worktree_path"].as_str().unwrap().to_owned();
    enter(&scene, &land);
    assert_eq!(fs::read_to_string(scene.repo.path.join("login.txt")).unwrap(), "fixed\n");
    assert!(!Path::new(&worktree).exists(), "the worktree is removed");
}
