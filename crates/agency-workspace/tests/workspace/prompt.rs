//! The prompt in the worktree, out of every commit.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;

use agency_model::ErrorCode;
use agency_workspace::{Workspace, write_prompt};

use crate::world::{World, commit_all, git};

// proves L15
#[test]
fn the_prompt_is_readable_and_in_no_commit() {
    let world = World::new();
    let worktree = world.prepared();
    write_prompt(&worktree.path, "do it").unwrap();
    write_prompt(&worktree.path, "then").unwrap();
    assert_eq!(fs::read_to_string(worktree.path.join(".agency/prompt.md")).unwrap(), "then");
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
    fs::write(worktree.path.join("x"), "x").unwrap();
    commit_all(&worktree.path, "work");
    assert_eq!(git(&worktree.path, ["show", "--name-only", "--format="]), "x");
    assert_eq!(worktree.changes().unwrap().files.len(), 1);
    let exclude = fs::read_to_string(world.repository.join(".git/info/exclude")).unwrap();
    assert_eq!(exclude.matches("/.agency/prompt.md\n").count(), 1);
}

// proves L15
#[test]
fn the_line_is_added_once_to_whatever_the_exclude_file_is() {
    let world = World::new();
    let exclude = world.repository.join(".git/info/exclude");
    fs::write(&exclude, "*.log").unwrap();
    let worktrees: Vec<_> = (0..6).map(|_| world.prepared()).collect();
    thread::scope(|scope| {
        for worktree in &worktrees {
            scope.spawn(|| write_prompt(&worktree.path, "go").unwrap());
        }
    });
    assert_eq!(fs::read_to_string(&exclude).unwrap(), "*.log\n/.agency/prompt.md\n");
    fs::remove_dir_all(exclude.parent().unwrap()).unwrap();
    write_prompt(&world.repository, "in place").unwrap();
    assert_eq!(fs::read_to_string(&exclude).unwrap(), "/.agency/prompt.md\n");
}

#[test]
fn a_symlink_of_the_repository_is_not_followed() {
    let world = World::new();
    let outside = world.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("prompt.md"), "precious").unwrap();
    symlink(&outside, world.repository.join(".agency")).unwrap();
    let error = write_prompt(&world.repository, "bad").unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidPath, "{error}");
    fs::remove_file(world.repository.join(".agency")).unwrap();
    fs::create_dir(world.repository.join(".agency")).unwrap();
    let file = world.repository.join(".agency/prompt.md");
    symlink(outside.join("prompt.md"), &file).unwrap();
    assert_eq!(write_prompt(&world.repository, "bad").unwrap_err().code(), ErrorCode::InvalidPath);
    assert_eq!(fs::read_to_string(outside.join("prompt.md")).unwrap(), "precious");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(write_prompt(&world.repository, "bad").unwrap_err().code(), ErrorCode::InvalidPath);
}
