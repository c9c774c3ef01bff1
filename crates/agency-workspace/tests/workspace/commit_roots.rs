//! What a sandbox has to let an agent write to, so that it can commit.

use std::fs;
use std::os::unix::fs::symlink;

use agency_workspace::Workspace;

use crate::world::{World, git, write};

#[test]
fn a_commit_writes_to_four_directories_of_the_repository_and_nothing_above_them() {
    let world = World::new();
    let worktree = world.prepared();
    let common = world.repository.join(".git");
    let (directory, _) = worktree.branch.rsplit_once('/').unwrap();
    let entry = worktree.path.file_name().unwrap();
    let expected = [
        common.join("objects"),
        common.join("worktrees").join(entry),
        common.join("refs/heads").join(directory),
        common.join("logs/refs/heads").join(directory),
    ];
    assert_eq!(worktree.commit_roots().unwrap(), expected);
    assert!(expected.iter().all(|root| root.is_dir()));
    write(&worktree.path.join("a.txt"), "changed\n");
    git(&worktree.path, ["commit", "-qam", "changed"]);
    assert_eq!(worktree.commit_roots().unwrap(), expected);
}

#[test]
fn a_link_that_leads_elsewhere_opens_nothing() {
    let world = World::new();
    let worktree = world.prepared();
    let elsewhere = world.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let (directory, _) = worktree.branch.rsplit_once('/').unwrap();
    let logs = world.repository.join(".git/logs/refs/heads").join(directory);
    fs::create_dir_all(&logs).unwrap();
    fs::remove_dir_all(&logs).unwrap();
    symlink(&elsewhere, &logs).unwrap();
    assert_eq!(worktree.commit_roots().unwrap(), Vec::<std::path::PathBuf>::new());
    // Nor does a worktree whose own link the agent wrote anew.
    let world = World::new();
    let worktree = world.prepared();
    let roots = worktree.commit_roots().unwrap();
    fs::write(worktree.path.join(".git"), format!("gitdir: {}\n", world.root().display())).unwrap();
    assert_eq!(worktree.commit_roots().unwrap_or_default().iter().find(|root| !roots.contains(root)), None);
}

#[test]
fn a_branch_beside_all_others_opens_nothing() {
    let world = World::new();
    let mut worktree = world.prepared();
    git(&worktree.path, ["branch", "-m", "topic"]);
    worktree.branch = "topic".to_owned();
    assert_eq!(worktree.commit_roots().unwrap(), Vec::<std::path::PathBuf>::new());
}
