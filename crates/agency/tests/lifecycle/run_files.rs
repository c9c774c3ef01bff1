//! Files of a run directory that an agent replaced by pipes, and worktrees that git cannot save: every command ends.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agency_testkit::{Output, Repo, World};

use super::world;

/// A command that hangs does so for much longer.
const LIMIT: Duration = Duration::from_secs(40);

/// Every file that commands read, below the directory of a run.
const FILES: [&str; 12] = [
    "spec.json",
    "inputs.json",
    "meta.json",
    "done.json",
    "exit_code.txt",
    "events.ndjson",
    "prompt.md",
    "supervisor.lock",
    "creator.lock",
    "worktree_path.txt",
    "logs/runner.log",
    "logs/runner.stdout.log",
];

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// A finished run.
fn ended(world: &World, script: &str) -> (Repo, String) {
    let repo = world.repo("project");
    world.agent("worker", script);
    let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    run.wait_until_unsupervised();
    (repo, run.id)
}

/// Runs a command that must end.
#[track_caller]
fn ends(world: &World, arguments: &[&str]) -> Output {
    world.start(&mut world.command(arguments)).wait_at_most(LIMIT)
}

#[test]
fn a_pipe_in_the_place_of_any_file_of_a_run_makes_no_command_wait() {
    let world = world();
    let (_repo, id) = ended(&world, "echo done > a.txt");
    let directory = world.agency_home().join("runs").join(&id);
    for name in FILES {
        let (path, aside) = (directory.join(name), directory.join("aside"));
        let was_there = fs::rename(&path, &aside).is_ok();
        pipe(&path);
        for command in ["show", "why", "logs", "events", "diff"] {
            ends(&world, &[command, &id]);
        }
        for command in [&["ls"][..], &["reconcile", "--dry-run"], &["reconcile"], &["doctor"], &["inbox"]] {
            ends(&world, command);
        }
        let shown = ends(&world, &["show", "--json", &id]);
        assert!(shown.status.success(), "{name}: {shown}");
        fs::remove_file(&path).unwrap();
        if was_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
    assert!(ends(&world, &["rm", &id]).status.success());
}

/// The command that a refusal prints solves the problem and deletes nothing.
#[test]
fn what_git_does_not_take_is_kept_by_the_command_that_the_refusal_prints() {
    let world = world();
    let (_repo, id) = ended(&world, "echo loose > b.txt; mkdir .Git; echo odd > .Git/x");
    let refused = ends(&world, &["rm", &id]);
    assert!(!refused.status.success(), "{refused}");
    assert!(refused.stderr.contains("agency rm --force do-it"), "{refused}");
    let removed = ends(&world, &["rm", "--force", "--json", &id]);
    assert!(removed.status.success(), "{removed}");
    let removed: serde_json::Value = serde_json::from_str(&removed.stdout).unwrap();
    let kept = Path::new(removed["data"]["kept"].as_str().unwrap()).join("worktree");
    assert_eq!(fs::read_to_string(kept.join(".Git/x")).unwrap(), "odd\n");
    assert_eq!(removed["data"]["saved_ref"], format!("refs/agency/saved/{id}"));
}

/// Commits that no branch has any more are named by `rm` and by `restore`.
#[test]
fn commits_that_only_the_worktree_led_to_are_named() {
    let world = world();
    let script = "echo loose > b.txt; git checkout -q --detach; git commit -q --allow-empty -m lost; git checkout -q -";
    let (repo, id) = ended(&world, script);
    let other = format!("refs/agency/saved/{id}-log");
    let removed = ends(&world, &["rm", &id]);
    assert!(removed.status.success() && removed.stdout.contains(&other), "{removed}");
    assert_eq!(repo.git(&["show", "-s", "--format=%s", &other]).trim(), "lost");
    let restored = ends(&world, &["restore", &id]);
    assert!(restored.status.success() && restored.stdout.contains(&other), "{restored}");
}
