//! Merges that have to pass a check, and the tree in which the check looks at them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agency_workspace::{Commit, MergeError, MergeOutcome, MergeStrategy, ProposedMerge, TrialTree};

use crate::merging::{diverged, merged, request};
use crate::world::{World, commit_all, git, write};

const STRATEGIES: [MergeStrategy; 3] = [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase];

#[test]
fn a_merge_that_the_check_refuses_moves_nothing() {
    for strategy in STRATEGIES {
        let world = World::new();
        let worktree = diverged(&world);
        let before = git(&world.repository, ["rev-parse", "main"]);
        let outcome = worktree.merge_checked(&request(strategy), &mut |_| false).unwrap();
        assert!(matches!(outcome, MergeOutcome::Refused { .. }), "{outcome:?}");
        assert_eq!(git(&world.repository, ["rev-parse", "main"]), before);
        merged(worktree.merge(&request(strategy)));
    }
}

#[test]
fn a_target_that_moves_during_the_check_is_checked_again() {
    for strategy in STRATEGIES {
        let world = World::new();
        let worktree = diverged(&world);
        let mut seen: Vec<ProposedMerge> = vec![];
        let done = merged(worktree.merge_checked(&request(strategy), &mut |proposed| {
            seen.push(proposed.clone());
            if seen.len() == 1 {
                world.write("moved", "on\n");
                commit_all(&world.repository, "during the check");
            }
            true
        }));
        assert_eq!(seen.len(), 2, "{strategy:?}");
        assert_ne!(seen[0].before, seen[1].before);
        assert_eq!((&done.before, &done.commit), (&seen[1].before, &seen[1].commit));
        assert_eq!(git(&world.repository, ["show", "main:moved"]), "on");
    }
}

#[test]
fn a_branch_that_moves_during_the_check_is_checked_again() {
    let world = World::new();
    let worktree = diverged(&world);
    let mut tips = vec![];
    merged(worktree.merge_checked(&request(MergeStrategy::Merge), &mut |proposed| {
        tips.push(proposed.tip.clone());
        if tips.len() == 1 {
            write(&worktree.path.join("late"), "late\n");
            commit_all(&worktree.path, "after the check began");
        }
        true
    }));
    assert_ne!(tips[0], tips[1]);
    assert_eq!(git(&world.repository, ["show", "main:late"]), "late");
}

#[test]
fn a_target_that_never_stays_is_given_up() {
    let world = World::new();
    let worktree = diverged(&world);
    let mut round = 0;
    let outcome = worktree.merge_checked(&request(MergeStrategy::Merge), &mut |_| {
        round += 1;
        world.write("moved", &format!("{round}\n"));
        commit_all(&world.repository, "during the check");
        true
    });
    assert!(matches!(outcome, Err(MergeError::KeepsMoving { .. })), "{outcome:?}");
}

fn commit_of(repository: &Path, name: &str) -> Commit {
    git(repository, ["rev-parse", name]).parse().unwrap()
}

#[test]
fn the_tree_has_the_files_of_the_commit_and_keeps_what_is_ignored() {
    let world = World::new();
    world.write(".gitignore", "target/\n");
    world.write("dir/kept", "1\n");
    world.write("gone", "1\n");
    commit_all(&world.repository, "first");
    let first = commit_of(&world.repository, "HEAD");
    fs::remove_file(world.repository.join("gone")).unwrap();
    world.write("dir/kept", "2\n");
    commit_all(&world.repository, "second");
    let second = commit_of(&world.repository, "HEAD");
    let place = world.root().join("trials").join("main");
    let trial = TrialTree::open(&place, &world.repository, Duration::ZERO).unwrap().unwrap();
    trial.check_out(&first).unwrap();
    let file = |name: &str| trial.path().join(name);
    assert!(file("gone").exists());
    // What a check leaves.
    write(&file("target/built"), "kept");
    write(&file("new"), "untracked");
    write(&file("dir/kept"), "3\n");
    git(&trial.path(), ["init", "-q", "nested"]);
    write(&file("nested/file"), "x");
    trial.check_out(&second).unwrap();
    assert_eq!(fs::read_to_string(file("dir/kept")).unwrap(), "2\n");
    assert_eq!(fs::read_to_string(file("target/built")).unwrap(), "kept");
    assert!(!file("gone").exists() && !file("new").exists() && !file("nested").exists());
    // Git in the tree sees the repository with this commit, and nothing changed.
    assert_eq!(git(&trial.path(), ["rev-parse", "HEAD"]), second.as_str());
    assert_eq!(git(&trial.path(), ["status", "--porcelain"]), "");
    assert!(!git(&world.repository, ["worktree", "list"]).contains("trials"), "it is no worktree of the user's");
    trial.clear().unwrap();
    assert!(!file("target/built").exists());
    trial.check_out(&first).unwrap();
    assert!(file("gone").exists());
}

#[test]
fn what_a_check_wrote_into_its_git_is_not_obeyed() {
    let world = World::new();
    let commit = commit_of(&world.repository, "HEAD");
    let trial = TrialTree::open(&world.root().join("trial"), &world.repository, Duration::ZERO).unwrap().unwrap();
    trial.check_out(&commit).unwrap();
    let evil = world.root().join("evil");
    git(&world.root(), ["init", "-q", evil.to_str().unwrap()]);
    let ran = world.root().join("ran");
    git(&evil, ["config", "core.fsmonitor", &format!("touch {}", ran.display())]);
    git(&evil, ["config", "filter.x.clean", &format!("touch {}", ran.display())]);
    fs::remove_file(trial.path().join(".git")).unwrap();
    fs::rename(evil.join(".git"), trial.path().join(".git")).unwrap();
    write(&trial.path().join(".gitattributes"), "* filter=x\n");
    trial.check_out(&commit).unwrap();
    assert!(!ran.exists());
    assert_eq!(git(&trial.path(), ["rev-parse", "HEAD"]), commit.as_str());
}

#[test]
fn a_tree_that_was_replaced_by_a_link_is_made_anew() {
    let world = World::new();
    let commit = commit_of(&world.repository, "HEAD");
    let trial = TrialTree::open(&world.root().join("trial"), &world.repository, Duration::ZERO).unwrap().unwrap();
    trial.check_out(&commit).unwrap();
    let outside = world.root().join("outside");
    write(&outside.join("mine"), "mine");
    fs::remove_dir_all(trial.path()).unwrap();
    std::os::unix::fs::symlink(&outside, trial.path()).unwrap();
    trial.check_out(&commit).unwrap();
    assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(trial.path().join("a.txt").exists());
}

/// The files of a commit are not written through links that a check left in the place of directories.
#[test]
fn links_that_a_check_left_in_the_tree_are_not_followed() {
    let world = World::new();
    let first = commit_of(&world.repository, "HEAD");
    world.write("dir/b.txt", "second\n");
    world.write("dir/c.txt", "second\n");
    commit_all(&world.repository, "second");
    let second = commit_of(&world.repository, "HEAD");
    let trial = TrialTree::open(&world.root().join("trial"), &world.repository, Duration::ZERO).unwrap().unwrap();
    let outside = world.root().join("outside");
    write(&outside.join("b.txt"), "mine\n");
    for commit in [&first, &second, &first] {
        trial.check_out(commit).unwrap();
        fs::remove_dir_all(trial.path().join("dir")).unwrap();
        std::os::unix::fs::symlink(&outside, trial.path().join("dir")).unwrap();
    }
    trial.check_out(&second).unwrap();
    assert_eq!(fs::read_to_string(outside.join("b.txt")).unwrap(), "mine\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(trial.path().join("dir/c.txt")).unwrap(), "second\n");
}

#[test]
fn a_build_in_the_tree_is_not_begun_anew_for_files_that_stay_the_same() {
    let world = World::new();
    world.write("source", "1\n");
    commit_all(&world.repository, "first");
    let first = commit_of(&world.repository, "HEAD");
    world.write("other", "1\n");
    commit_all(&world.repository, "second");
    let trial = TrialTree::open(&world.root().join("trial"), &world.repository, Duration::ZERO).unwrap().unwrap();
    trial.check_out(&first).unwrap();
    let modified = || fs::metadata(trial.path().join("source")).unwrap().modified().unwrap();
    let before = modified();
    trial.check_out(&commit_of(&world.repository, "HEAD")).unwrap();
    assert_eq!(modified(), before, "make and cargo compare times");
}
