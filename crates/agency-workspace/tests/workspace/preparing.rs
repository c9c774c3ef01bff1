//! Making a worktree, and taking it back when that fails.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::thread;

use agency_model::ErrorCode;
use agency_workspace::{GitWorktree, Workspace, WorkspaceError, registered_worktrees};

use crate::opening::WEIRD_NAMES;
use crate::world::{World, git, write};

// proves L6, L8
#[test]
fn a_worktree_is_made_on_its_own_branch_at_the_base_commit() {
    let world = World::new();
    let first = world.head();
    world.write("a.txt", "later\n");
    world.git(["commit", "-q", "-a", "-m", "second"]);
    let worktree = GitWorktree { base: first.clone(), ..world.worktree() };
    worktree.prepare().unwrap();
    assert_eq!(git(&worktree.path, ["rev-parse", "HEAD"]), first.as_str());
    assert_eq!(git(&worktree.path, ["symbolic-ref", "--short", "HEAD"]), worktree.branch);
    assert_eq!(fs::read_to_string(worktree.directory().join("a.txt")).unwrap(), "one\ntwo\n");
    let mode = fs::metadata(worktree.worktrees_root).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn any_name_of_repository_and_worktree_works() {
    for name in WEIRD_NAMES {
        let world = World::with_repository(OsStr::from_bytes(name));
        let mut worktree = world.worktree();
        worktree.path = worktree.worktrees_root.join(OsStr::from_bytes(name));
        worktree.prepare().unwrap();
        write(&worktree.path.join("new"), "x\n");
        assert_eq!(worktree.changes().unwrap().files.len(), 1);
        let removal = worktree.remove(agency_workspace::RemoveOptions::default()).unwrap();
        assert!(removal.saved.is_some());
        assert!(!worktree.path.exists());
        assert_eq!(registered_worktrees(&world.repository).unwrap(), Vec::new());
    }
}

// proves L6
#[test]
fn an_existing_branch_is_refused_and_stays() {
    let world = World::new();
    let worktree = world.worktree();
    world.git(["branch", &worktree.branch]);
    let error = worktree.prepare().unwrap_err();
    assert_eq!(error.code(), ErrorCode::BranchExists, "{error}");
    assert!(world.has_branch(&worktree.branch));
    assert!(!worktree.path.exists());
}

// proves L6
#[test]
fn a_branch_is_never_shared_by_two_worktrees() {
    let world = World::new();
    let first = world.prepared();
    let second = GitWorktree { branch: first.branch.clone(), ..world.worktree() };
    assert_eq!(second.prepare().unwrap_err().code(), ErrorCode::BranchExists);
    assert!(first.path.join("a.txt").exists());
    assert_eq!(git(&first.path, ["symbolic-ref", "--short", "HEAD"]), first.branch);
}

#[test]
fn a_head_outside_the_branches_is_no_obstacle_and_stays() {
    let world = World::new();
    let worktree = world.worktree();
    world.git(["symbolic-ref", "HEAD", "refs/jj/root"]);
    worktree.prepare().unwrap();
    assert_eq!(git(&worktree.path, ["rev-parse", "HEAD"]), worktree.base.as_str());
    assert_eq!(git(&worktree.path, ["symbolic-ref", "--short", "HEAD"]), worktree.branch);
    assert_eq!(world.git(["symbolic-ref", "HEAD"]), "refs/jj/root");
}

#[test]
fn with_a_head_outside_the_branches_refusals_are_the_same() {
    let world = World::new();
    let (taken, blocked, occupied) = (world.worktree(), world.worktree(), world.worktree());
    world.git(["branch", &taken.branch]);
    world.git(["branch", "topic"]);
    world.git(["symbolic-ref", "HEAD", "refs/jj/root"]);
    assert_eq!(taken.prepare().unwrap_err().code(), ErrorCode::BranchExists);
    assert!(world.has_branch(&taken.branch), "a branch that existed before stays");
    let blocked = GitWorktree { branch: "topic/below".to_owned(), ..blocked };
    let error = blocked.prepare().unwrap_err();
    assert!(error.to_string().contains("'refs/heads/topic' exists"), "{error}");
    // What a kill between the two commands of git leaves is taken back.
    world.git(["update-ref", &format!("refs/heads/{}", occupied.branch), occupied.base.as_str()]);
    occupied.undo().unwrap();
    assert!(!world.has_branch(&occupied.branch));
    for worktree in [taken, blocked, occupied] {
        assert!(!worktree.path.exists() && !world.lists(&worktree.path));
    }
}

#[test]
fn a_branch_that_blocks_the_name_is_named() {
    let world = World::new();
    world.git(["branch", "agency"]);
    let worktree = world.worktree();
    let error = worktree.prepare().unwrap_err();
    assert_eq!(error.code(), ErrorCode::WorktreeCreateFailed);
    assert!(error.to_string().contains("'refs/heads/agency' exists"), "{error}");
    assert!(world.has("refs/heads/agency"));
}

#[test]
fn bad_branch_names_make_nothing() {
    let world = World::new();
    for name in ["-x", "-D", "--help", "a b", "@{-1}", "@", "HEAD", "a\0b"] {
        let worktree = GitWorktree { branch: name.to_owned(), ..world.worktree() };
        let error = worktree.prepare().unwrap_err();
        assert_eq!(error.code(), ErrorCode::BadRef, "{name}: {error}");
        assert!(!worktree.path.exists());
    }
    assert_eq!(world.git(["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn what_is_already_at_the_path_is_left_alone() {
    let world = World::new();
    let worktree = world.worktree();
    write(&worktree.path.join("precious"), "mine");
    let error = worktree.prepare().unwrap_err();
    assert!(matches!(error, WorkspaceError::PathOccupied { .. }), "{error}");
    assert!(worktree.path.join("precious").exists());
    assert!(!world.has_branch(&worktree.branch));
}

#[test]
fn a_checkout_that_fails_halfway_leaves_nothing() {
    let world = World::new();
    world.write(".gitattributes", "*.txt filter=broken\n");
    world.git(["-c", "filter.broken.clean=cat", "add", "-A"]);
    world.git(["commit", "-q", "-m", "filtered"]);
    world.git(["config", "filter.broken.smudge", "false"]);
    world.git(["config", "filter.broken.required", "true"]);
    let worktree = world.worktree();
    let error = worktree.prepare().unwrap_err();
    assert_eq!(error.code(), ErrorCode::WorktreeCreateFailed, "{error}");
    assert!(error.to_string().contains("smudge filter broken failed"), "{error}");
    nothing_left(&world, &worktree);
}

#[test]
fn a_hook_that_fails_after_everything_was_made_leaves_nothing() {
    let world = World::new();
    hook(&world, "echo the hook says no >&2; exit 1");
    let worktree = world.worktree();
    let error = worktree.prepare().unwrap_err();
    assert!(error.to_string().contains("the hook says no"), "{error}");
    nothing_left(&world, &worktree);
}

#[test]
fn a_hook_that_leaves_a_program_behind_does_not_hold_us_up() {
    let world = World::new();
    hook(&world, "sleep 30 & echo $! > \"$(git rev-parse --git-common-dir)/pid\"");
    let started = std::time::Instant::now();
    world.prepared();
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
    let pid = fs::read_to_string(world.repository.join(".git/pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

#[test]
fn every_half_made_state_is_taken_back() {
    let world = World::new();
    // Nothing was made.
    let worktree = world.worktree();
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
    // Only the branch.
    world.git(["branch", &worktree.branch]);
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
    // Only a part of the directory.
    write(&worktree.path.join("part"), "x");
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
    // Everything but the directory.
    worktree.prepare().unwrap();
    fs::remove_dir_all(&worktree.path).unwrap();
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
    // Git was killed while it made the worktree.
    worktree.prepare().unwrap();
    world.git(["worktree", "lock", "--reason", "initializing", worktree.path.to_str().unwrap()]);
    fs::remove_file(worktree.path.join("a.txt")).unwrap();
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
    // Everything was made, and taken back twice.
    worktree.prepare().unwrap();
    worktree.undo().unwrap();
    worktree.undo().unwrap();
    nothing_left(&world, &worktree);
}

#[test]
fn taking_back_keeps_a_branch_that_moved_or_is_used_elsewhere() {
    let world = World::new();
    let moved = world.prepared();
    write(&moved.path.join("new"), "x");
    crate::world::commit_all(&moved.path, "work");
    moved.undo().unwrap();
    assert!(world.has_branch(&moved.branch));
    let used = world.worktree();
    world.git(["checkout", "-q", "-b", &used.branch]);
    used.undo().unwrap();
    assert!(world.has_branch(&used.branch));
}

// proves L6
#[test]
fn twelve_worktrees_are_made_at_once() {
    let world = World::new();
    let worktrees: Vec<GitWorktree> = (0..12).map(|_| world.worktree()).collect();
    thread::scope(|scope| {
        for worktree in &worktrees {
            scope.spawn(|| worktree.prepare().unwrap());
        }
    });
    let listed = registered_worktrees(&world.repository).unwrap();
    assert_eq!(listed.len(), 12);
    for worktree in &worktrees {
        assert!(worktree.path.join("dir/b.txt").exists());
        assert!(
            listed.iter().any(|entry| {
                entry.path == worktree.path && entry.branch.as_deref() == Some(worktree.branch.as_str())
            })
        );
    }
}

#[test]
fn a_worktree_that_is_half_made_by_another_git_is_waited_for() {
    let world = World::new();
    let other = world.prepared();
    let file = world.repository.join(".git/worktrees").join(other.run.as_str()).join("commondir");
    let content = fs::read(&file).unwrap();
    fs::write(&file, "").unwrap();
    let worktree = world.worktree();
    thread::scope(|scope| {
        let prepared = scope.spawn(|| worktree.prepare());
        while !world.has_branch(&worktree.branch) {
            thread::yield_now();
        }
        fs::write(&file, content).unwrap();
        prepared.join().unwrap().unwrap();
    });
    assert!(worktree.path.join("a.txt").exists());
}

fn hook(world: &World, script: &str) {
    let path = world.repository.join(".git/hooks/post-checkout");
    write(&path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    // Relative paths mean the worktree's own directory.
    world.git(["config", "core.hooksPath", world.repository.join(".git/hooks").to_str().unwrap()]);
}

fn nothing_left(world: &World, worktree: &GitWorktree) {
    assert!(!worktree.path.exists());
    assert!(!world.has_branch(&worktree.branch));
    assert_eq!(registered_worktrees(&world.repository).unwrap(), Vec::new());
    assert_eq!(fs::read_dir(world.trash()).map_or(0, Iterator::count), 0);
}
