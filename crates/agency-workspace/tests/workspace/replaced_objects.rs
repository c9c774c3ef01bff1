//! What an agent replaces in the object database (`git replace`, grafts) changes neither what is shown nor what is merged.

use std::fs;

use agency_workspace::{GitWorktree, MergeStrategy, Workspace};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, git, write};

/// A worktree whose only commit has `evil`, and is replaced by one that has `benign`.
fn replaced(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("x.sh"), "benign\n");
    commit_all(&worktree.path, "a script");
    let benign = git(&worktree.path, ["rev-parse", "HEAD"]);
    write(&worktree.path.join("x.sh"), "evil\n");
    git(&worktree.path, ["commit", "-q", "-a", "--amend", "-m", "a script"]);
    git(&worktree.path, ["replace", "HEAD", &benign]);
    git(&worktree.path, ["reset", "-q", "--hard"]);
    assert_eq!(fs::read_to_string(worktree.path.join("x.sh")).unwrap(), "benign\n", "git follows the replacement");
    worktree
}

#[test]
fn what_is_reviewed_is_what_is_merged() {
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let world = World::new();
        let worktree = replaced(&world);
        let review = worktree.review("main").unwrap();
        let diff = String::from_utf8(review.diff).unwrap();
        assert!(diff.contains("+evil") && !diff.contains("benign"), "{strategy:?}: {diff}");
        merged(worktree.merge(&request(strategy)));
        assert_eq!(world.git(["--no-replace-objects", "cat-file", "-p", "main:x.sh"]), "evil", "{strategy:?}");
    }
}

#[test]
fn a_replaced_base_does_not_hide_a_change() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "changed\n");
    commit_all(&worktree.path, "changed");
    git(&worktree.path, ["replace", worktree.base.as_str(), "HEAD"]);
    for _ in 0..2 {
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert!(diff.contains("+changed"), "{diff}");
        assert_eq!(worktree.changes().unwrap().files.len(), 1);
    }
}

#[test]
fn a_replaced_file_is_shown_and_saved_as_it_is() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "changed\n");
    let blob = git(&worktree.path, ["hash-object", "-w", "a.txt"]);
    git(&worktree.path, ["replace", &blob, "HEAD:a.txt"]);
    let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
    assert!(diff.contains("+changed"), "{diff}");
    worktree.snapshot().unwrap().unwrap();
    let saved = format!("{}:a.txt", worktree.run.saved_work_ref());
    assert_eq!(world.git(["--no-replace-objects", "cat-file", "-p", &saved]), "changed");
}

#[test]
fn grafts_do_not_hide_commits() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "evil\n");
    commit_all(&worktree.path, "hidden");
    write(&worktree.path.join("other"), "x\n");
    commit_all(&worktree.path, "shown");
    let [tip, base] = ["HEAD", "HEAD~2"].map(|name| git(&worktree.path, ["rev-parse", name]));
    write(&world.repository.join(".git/info/grafts"), &format!("{tip} {base}\n"));
    let review = worktree.review("main").unwrap();
    let subjects: Vec<_> = review.commits.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects, ["shown", "hidden"]);
}
