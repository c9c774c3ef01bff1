//! The process is killed at each step of a checkpoint and of a restore; called again, it ends as if nothing had happened.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use agency_system::fault::POINTS;
use agency_workspace::{GitWorktree, RestoreRequest};

use crate::checkpoints::take;
use crate::world::{World, described_worktree, description, git, try_git, write};

fn act(worktree: &GitWorktree, restores: bool) {
    if restores {
        worktree.restore_checkpoint(&RestoreRequest { number: 1, commits: true }, &worktree.run).unwrap();
    } else {
        take(worktree);
    }
}

/// Runs in the process that is to be killed, and is nothing when it is run as a test.
#[test]
fn victim() {
    let Ok(described) = env::var("CHECKPOINT_OF_VICTIM") else {
        return;
    };
    let (restores, described) = described.split_once('\n').unwrap();
    act(&described_worktree(described), restores == "true");
}

fn kill_at(point: &str, worktree: &GitWorktree, restores: bool) {
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "checkpoints_killed::victim"])
        .env("CHECKPOINT_OF_VICTIM", format!("{restores}\n{}", description(worktree)))
        .env("AGENCY_FAULT_POINT", point)
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}");
}

#[test]
fn a_checkpoint_that_was_killed_at_any_step_is_taken_once() {
    for point in POINTS.iter().filter(|point| point.starts_with("checkpoint.")) {
        let world = World::new();
        let worktree = world.prepared();
        write(&worktree.path.join("new"), "precious\n");
        kill_at(point, &worktree, false);
        assert!(try_git(&world.repository, ["fsck", "--strict"]).0, "{point}");
        act(&worktree, false);
        let all = worktree.checkpoints().unwrap();
        assert_eq!(all.len(), 1, "{point}");
        assert_eq!(world.git(["show", &format!("{}:new", all[0].tree)]), "precious", "{point}");
    }
}

#[test]
fn a_restore_that_was_killed_at_any_step_loses_nothing() {
    let points = POINTS.iter().filter(|point| point.starts_with("restore.") || point.starts_with("checkpoint."));
    for point in points {
        let world = World::new();
        let worktree = world.prepared();
        write(&worktree.path.join("one"), "1\n");
        take(&worktree);
        write(&worktree.path.join("one"), "2\n");
        git(&worktree.path, ["add", "one"]);
        git(&worktree.path, ["commit", "-q", "-m", "work"]);
        let tip = git(&worktree.path, ["rev-parse", "HEAD"]);
        kill_at(point, &worktree, true);
        act(&worktree, true);
        assert_eq!(fs::read_to_string(worktree.path.join("one")).unwrap(), "1\n", "{point}");
        assert_eq!(git(&worktree.path, ["rev-parse", "HEAD"]), worktree.base.as_str(), "{point}");
        let held = world.git(["for-each-ref", "--contains", &tip, "refs/agency/checkpoints"]);
        assert!(!held.is_empty(), "{point}: no checkpoint leads to the commits of before");
        let all = worktree.checkpoints().unwrap();
        let of_before = all.iter().find(|checkpoint| {
            let holds = world.git(["show", &format!("{}:one", checkpoint.tree)]) == "2";
            holds && checkpoint.head.as_ref().is_some_and(|head| head.as_str() == tip)
        });
        assert!(of_before.is_some(), "{point}: {all:?}");
    }
}
