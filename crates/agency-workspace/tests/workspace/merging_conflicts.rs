//! What does not merge is listed by file, and nothing is changed.

use std::fs;
use std::path::Path;

use agency_workspace::{MergeOutcome, MergeStrategy, Mergeable};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, git, write};

/// Every ref of the repository with its commit.
fn refs(world: &World) -> String {
    world.git(["for-each-ref"])
}

// proves W10
#[test]
fn conflicts_are_listed_by_file_and_kind_and_nothing_is_changed() {
    let world = World::new();
    write(&world.repository.join("bin"), "a\0b");
    world.write("moved", &"line\n".repeat(20));
    world.write("gone", "x\n");
    commit_all(&world.repository, "more");
    let worktree = world.prepared();
    let path = &worktree.path;
    write(&path.join("a.txt"), "theirs\n");
    write(&path.join("bin"), "a\0theirs");
    git(path, ["mv", "moved", "moved away"]);
    write(&path.join("gone"), "changed\n");
    write(&path.join("both"), "theirs\n");
    commit_all(path, "theirs");
    world.write("a.txt", "ours\n");
    write(&world.repository.join("bin"), "a\0ours");
    fs::remove_file(world.repository.join("moved")).unwrap();
    fs::remove_file(world.repository.join("gone")).unwrap();
    world.write("both", "ours\n");
    commit_all(&world.repository, "ours");

    let before = refs(&world);
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let outcome = worktree.merge(&request(strategy)).unwrap();
        let MergeOutcome::Conflicts { conflicts, at, target } = outcome else { panic!("{outcome:?}") };
        let listed: Vec<_> =
            conflicts.iter().map(|found| (found.path.to_str().unwrap(), found.kind.as_str())).collect();
        let wanted = [
            ("a.txt", "contents"),
            ("bin", "binary"),
            ("both", "contents"),
            ("gone", "modify/delete"),
            ("moved away", "rename/delete"),
        ];
        assert_eq!(listed, wanted, "{strategy:?}");
        assert_eq!(target, "main");
        assert_eq!(at.is_some(), strategy == MergeStrategy::Rebase);
        assert!(conflicts.iter().all(|found| !found.message.is_empty()));
    }
    assert_eq!(refs(&world), before);
    assert_eq!(world.git(["status", "--porcelain"]), "");
    assert_eq!(git(path, ["status", "--porcelain"]), "");
    assert!(matches!(worktree.review("main").unwrap().mergeable, Mergeable::Conflicts(found) if found.len() == 5));

    // Resolved in the worktree, as a person would.
    git(path, ["merge", "-q", "-X", "ours", "-s", "ours", "main"]);
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(world.git(["show", "main:a.txt"]), "theirs");
}

// proves W10
#[test]
fn a_rebase_names_the_commit_that_does_not_fit() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("fine"), "x\n");
    commit_all(&worktree.path, "fits");
    write(&worktree.path.join("a.txt"), "theirs\n");
    commit_all(&worktree.path, "does not");
    let culprit = git(&worktree.path, ["rev-parse", "HEAD"]);
    world.write("a.txt", "ours\n");
    commit_all(&world.repository, "ours");
    let head = world.head();
    let outcome = worktree.merge(&request(MergeStrategy::Rebase)).unwrap();
    let MergeOutcome::Conflicts { at, conflicts, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(at.unwrap().as_str(), culprit);
    assert_eq!(conflicts[0].path, Path::new("a.txt"));
    assert_eq!(world.head(), head);
}

// proves W10
#[test]
fn attributes_of_the_target_decide_how_files_merge() {
    let world = World::new();
    world.write(".gitattributes", "log merge=union\n");
    world.write("log", "first\n");
    commit_all(&world.repository, "a log");
    world.git(["branch", "release"]);
    let worktree = world.prepared();
    write(&worktree.path.join("log"), "first\ntheirs\n");
    commit_all(&worktree.path, "theirs");
    world.write("log", "first\nours\n");
    commit_all(&world.repository, "ours");
    world.git(["branch", "-f", "release"]);
    // What is checked out says nothing about the branch that is merged into.
    world.git(["switch", "-q", "--orphan", "empty"]);
    let wish = agency_workspace::MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    merged(worktree.merge(&wish));
    let log = world.git(["show", "release:log"]);
    assert!(log.contains("ours") && log.contains("theirs"), "{log}");
}

// proves W10
#[test]
fn histories_without_a_common_commit_are_an_error_in_gits_words() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--orphan", "fresh"]);
    git(&worktree.path, ["commit", "-q", "-m", "from nothing"]);
    git(&worktree.path, ["branch", "-q", "-M", "fresh", &worktree.branch]);
    let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
    assert!(error.to_string().contains("unrelated histories"), "{error}");
}
