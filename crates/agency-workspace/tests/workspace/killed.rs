//! The process is killed at each inner step, and what it left is completed or taken back.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use agency_system::fault::POINTS;
use agency_workspace::{DeleteBranch, GitWorktree, RemoveOptions, Workspace};

use crate::world::{World, described_worktree, description, write};

const OPTIONS: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::IfMerged, force: false };

/// Runs in the process that is to be killed, and is nothing when it is run as a test.
#[test]
fn victim() {
    let Ok(described) = env::var("WORKSPACE_OF_VICTIM") else {
        return;
    };
    let worktree = described_worktree(&described);
    if worktree.path.exists() {
        worktree.remove(OPTIONS).unwrap();
    } else {
        worktree.prepare().unwrap();
    }
}

fn kill_at(point: &str, worktree: &GitWorktree) {
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed::victim"])
        .env("WORKSPACE_OF_VICTIM", description(worktree))
        .env("AGENCY_FAULT_POINT", point)
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}");
}

// proves L17
#[test]
fn nothing_is_lost_or_left_at_any_step() {
    for point in POINTS.iter().filter(|point| point.starts_with("worktree.")) {
        let world = World::new();
        let worktree = world.worktree();
        if *point == "worktree.added" {
            kill_at(point, &worktree);
            worktree.undo().unwrap();
        } else {
            worktree.prepare().unwrap();
            write(&worktree.path.join("new"), "precious\n");
            kill_at(point, &worktree);
            let removal = worktree.remove(OPTIONS).unwrap();
            assert_eq!(removal.saved.unwrap().files, 1, "{point}");
            let saved = format!("{}:new", worktree.run.saved_work_ref());
            assert_eq!(world.git(["cat-file", "-p", &saved]), "precious", "{point}");
        }
        assert!(!worktree.path.exists(), "{point}");
        assert!(!world.lists(&worktree.path), "{point}");
        assert!(!world.has_branch(&worktree.branch), "{point}");
        assert_eq!(std::fs::read_dir(world.trash()).map_or(0, Iterator::count), 0, "{point}");
    }
}
