//! Branches are merged as git itself would merge them, and no more than once.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use agency_workspace::{
    DirtyFiles, GitWorktree, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Merged, Repository, default_target,
};

use crate::world::{World, commit_all, git, write};

pub(crate) fn request(strategy: MergeStrategy) -> MergeRequest {
    MergeRequest {
        into: "main".to_owned(),
        tip: None,
        strategy,
        message: Some("the merge".to_owned()),
        dirty: DirtyFiles::Block,
        record: None,
    }
}

#[track_caller]
pub(crate) fn merged(outcome: Result<MergeOutcome, MergeError>) -> Merged {
    match outcome {
        Ok(MergeOutcome::Merged(merged)) => merged,
        Ok(other) => panic!("{other:?}"),
        Err(error) => panic!("{error}"),
    }
}

/// A worktree with two commits, while `main` has moved on.
pub(crate) fn diverged(world: &World) -> GitWorktree {
    world.write("long", "1\n2\n3\n4\n5\n6\n7\n8\n");
    world.write("old name", &"some line\n".repeat(20));
    world.write("script", "echo\n");
    world.write("bin", "\0\x01");
    commit_all(&world.repository, "more files");
    let worktree = world.prepared();
    let path = &worktree.path;
    write(&path.join("long"), "one\n2\n3\n4\n5\n6\n7\n8\n");
    write(&path.join("new"), "new\n");
    git(path, ["mv", "old name", "dir/new name"]);
    commit_all(path, "first of the agent");
    fs::set_permissions(path.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", path.join("link")).unwrap();
    write(&path.join("bin"), "\0\x02");
    commit_all(path, "second of the agent\n\nWith a body.");
    world.write("long", "1\n2\n3\n4\n5\n6\n7\neight\n");
    world.write("old name", &("some line\n".repeat(20) + "and one\n"));
    commit_all(&world.repository, "meanwhile");
    worktree
}

/// The tree that plain git makes of the same merge, elsewhere.
fn tree_by_git(world: &World, worktree: &GitWorktree, words: &[&str]) -> String {
    let place = world.root().join("plain");
    git(&world.repository, ["worktree", "add", "-q", "--detach", place.to_str().unwrap(), "main"]);
    let branch = format!("refs/heads/{}", worktree.branch);
    match words {
        ["rebase"] => {
            git(&place, ["checkout", "-q", "--detach", &branch]);
            git(&place, ["rebase", "-q", "main"]);
        }
        [word] => {
            git(&place, ["merge", "-q", word, "-m", "x", &branch]);
        }
        _ => panic!("{words:?}"),
    }
    git(&place, ["write-tree"])
}

// proves W10
#[test]
fn every_strategy_makes_the_tree_that_git_makes() {
    for (strategy, word, parents) in [
        (MergeStrategy::Merge, "--no-ff", 2),
        (MergeStrategy::Squash, "--squash", 1),
        (MergeStrategy::Rebase, "rebase", 1),
    ] {
        let world = World::new();
        let worktree = diverged(&world);
        let tree = tree_by_git(&world, &worktree, &[word]);
        let before = world.head();
        let merged = merged(worktree.merge(&request(strategy)));
        assert_eq!(world.git(["rev-parse", "main^{tree}"]), tree, "{strategy:?}");
        assert_eq!(merged.before, before);
        assert_eq!(merged.commit, world.head());
        let listed = world.git(["rev-list", "--parents", "-1", "main"]);
        assert_eq!(listed.split(' ').count() - 1, parents, "{strategy:?}");
        assert_eq!(world.git(["status", "--porcelain"]), "", "{strategy:?}");
        // The branch itself is as it was.
        assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
        world.git(["fsck", "--strict"]);
    }
}

// proves W10
#[test]
fn a_rebase_keeps_authors_dates_and_messages() {
    let world = World::new();
    let worktree = diverged(&world);
    let author = "--author=Ägnes Ägent <a@example.org>";
    git(&worktree.path, ["commit", "-q", "--amend", "--no-edit", author, "--date=2001-02-03T04:05:06+0200"]);
    let format = "--format=%an %ae %ad%n%B";
    let wanted = git(&worktree.path, ["log", format, "--date=iso", "-2"]);
    let merged = merged(worktree.merge(&request(MergeStrategy::Rebase)));
    assert_eq!(world.git(["log", format, "--date=iso", "-2", "main"]), wanted);
    assert_eq!(world.git(["rev-parse", "main~2"]), merged.before.as_str());
}

// proves W10
#[test]
fn a_rebase_drops_what_the_target_has_and_keeps_commits_that_fit_as_they_are() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x\n");
    commit_all(&worktree.path, "same");
    write(&worktree.path.join("other"), "y\n");
    commit_all(&worktree.path, "different");
    let tip = git(&worktree.path, ["rev-parse", "HEAD"]);
    git(&world.repository, ["branch", "straight"]);
    let straight = MergeRequest { into: "straight".to_owned(), ..request(MergeStrategy::Rebase) };
    assert_eq!(merged(worktree.merge(&straight)).commit.as_str(), tip, "nothing had to be made anew");

    world.write("new", "x\n");
    world.write("third", "z\n");
    commit_all(&world.repository, "also here");
    merged(worktree.merge(&request(MergeStrategy::Rebase)));
    assert_eq!(world.git(["log", "--format=%s", "-2"]), "different\nalso here");
}

// proves W10
#[test]
fn a_merge_commit_is_made_even_where_the_target_could_just_move_on() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x\n");
    worktree.commit_all("work").unwrap();
    let wish = MergeRequest { message: None, ..request(MergeStrategy::Merge) };
    merged(worktree.merge(&wish));
    assert_eq!(world.git(["rev-list", "--count", "--merges", "main"]), "1");
    let subject = format!("Merge branch '{}' into main", worktree.branch);
    assert_eq!(world.git(["log", "-1", "--format=%s"]), subject);
    assert!(world.git(["log", "-1", "-g", "--format=%gs", "main"]).starts_with("merge "));
}

// proves W10
#[test]
fn a_squash_without_a_message_tells_what_it_holds() {
    let world = World::new();
    let worktree = diverged(&world);
    merged(worktree.merge(&MergeRequest { message: None, ..request(MergeStrategy::Squash) }));
    let message = world.git(["log", "-1", "--format=%b"]);
    assert_eq!(message.trim(), "* first of the agent\n* second of the agent");

    let single = world.prepared();
    write(&single.path.join("single"), "x\n");
    commit_all(&single.path, "only one\n\nand why");
    merged(single.merge(&MergeRequest { message: None, ..request(MergeStrategy::Squash) }));
    assert_eq!(world.git(["log", "-1", "--format=%B"]).trim(), "only one\n\nand why");
}

// proves W10
#[test]
fn what_was_merged_is_not_merged_again_even_after_it_was_taken_back() {
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let world = World::new();
        let worktree = diverged(&world);
        let first = merged(worktree.merge(&request(strategy)));
        let again = worktree.merge(&request(strategy)).unwrap();
        assert_eq!(
            again,
            MergeOutcome::AlreadyMerged { target: "main".to_owned(), commit: first.commit, saved: vec![] }
        );
        // Somebody takes it back with another commit: that stands.
        world.git(["read-tree", "-u", "--reset", first.before.as_str()]);
        world.git(["commit", "-q", "-m", "taken back"]);
        let head = world.head();
        assert!(matches!(worktree.merge(&request(strategy)), Ok(MergeOutcome::AlreadyMerged { .. })), "{strategy:?}");
        assert_eq!(world.head(), head);
        // More work is merged.
        write(&worktree.path.join("later"), "x\n");
        worktree.commit_all("later").unwrap();
        let outcome = worktree.merge(&request(strategy)).unwrap();
        assert!(!matches!(outcome, MergeOutcome::AlreadyMerged { .. }), "{strategy:?}: {outcome:?}");
    }
}

// proves W10
#[test]
fn a_branch_without_work_is_merged_already() {
    let world = World::new();
    let worktree = world.prepared();
    let outcome = worktree.merge(&request(MergeStrategy::Merge)).unwrap();
    assert!(matches!(outcome, MergeOutcome::AlreadyMerged { .. }), "{outcome:?}");
}

// proves W10
#[test]
fn the_target_is_what_the_work_began_from() {
    let world = World::new();
    world.git(["branch", "release/1"]);
    world.git(["tag", "v1"]);
    let root = &world.repository;
    let then = Repository::from_root(root.clone()).current_branch().unwrap();
    assert_eq!(then.as_deref(), Some("main"));
    assert_eq!(default_target(root, "release/1", then.as_deref()).unwrap(), "release/1");
    assert_eq!(default_target(root, "refs/heads/release/1", None).unwrap(), "release/1");
    world.git(["switch", "-q", "release/1"]);
    for base in ["HEAD", "@", "v1", "main~0", "-x", "no such ref"] {
        assert_eq!(default_target(root, base, then.as_deref()).unwrap(), "main", "{base}");
    }
    let error = default_target(root, "v1", None).unwrap_err();
    assert!(matches!(error, MergeError::TargetUnknown { .. }) && error.to_string().contains("into"), "{error}");
    world.git(["switch", "-q", "--detach"]);
    assert_eq!(Repository::from_root(root.clone()).current_branch().unwrap(), None);
}

// proves W10
#[test]
fn a_target_that_cannot_be_one_is_refused() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x");
    worktree.commit_all("x").unwrap();
    let into = |name: &str| worktree.merge(&MergeRequest { into: name.to_owned(), ..request(MergeStrategy::Merge) });
    for name in ["gone", "", "--force", "main~0", "a\0b"] {
        assert!(matches!(into(name), Err(MergeError::TargetMissing { .. })), "{name:?}");
    }
    assert!(matches!(into(&worktree.branch), Err(MergeError::IntoItself { .. })));
    world.git(["update-ref", "-d", &format!("refs/heads/{}", worktree.branch)]);
    assert!(matches!(into("main"), Err(MergeError::BranchMissing { .. })));
}

// proves W10
#[test]
fn work_is_merged_after_its_worktree_is_gone() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x");
    worktree.commit_all("x").unwrap();
    world.git(["worktree", "remove", worktree.path.to_str().unwrap()]);
    merged(worktree.merge(&request(MergeStrategy::Squash)));
    assert!(world.repository.join("new").exists());
}

// proves W10
#[test]
fn merges_that_are_made_at_once_all_arrive() {
    let world = World::new();
    let worktrees: Vec<GitWorktree> = (0..6)
        .map(|number| {
            let worktree = world.prepared();
            write(&worktree.path.join(format!("new{number}")), "x");
            worktree.commit_all("x").unwrap();
            worktree
        })
        .collect();
    std::thread::scope(|scope| {
        for (number, worktree) in worktrees.iter().enumerate() {
            let strategy = [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase][number % 3];
            scope.spawn(move || merged(worktree.merge(&request(strategy))));
        }
    });
    for number in 0..6 {
        assert!(world.repository.join(format!("new{number}")).exists(), "{number}");
    }
    assert_eq!(world.git(["status", "--porcelain"]), "");
}

// proves W10
#[test]
fn a_merge_is_signed_if_the_user_signs_commits() {
    let world = World::new();
    let key = world.root().join("key");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f", key.to_str().unwrap()])
        .status();
    assert!(made.unwrap().success());
    for (name, value) in [("gpg.format", "ssh"), ("user.signingKey", key.to_str().unwrap()), ("commit.gpgSign", "true")]
    {
        world.git(["config", name, value]);
    }
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x");
    worktree.commit_all("x").unwrap();
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    for commit in ["main", "main^2"] {
        assert!(world.git(["cat-file", "commit", commit]).contains("\ngpgsig "), "{commit}");
    }
    world.git(["config", "user.signingKey", "/nonexistent"]);
    write(&worktree.path.join("newer"), "x");
    let error = worktree.commit_all("x").unwrap_err();
    assert!(matches!(error, MergeError::NotCommitted { .. }), "{error}");
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "?? newer", "the work is still there");
}

/// Says in the agent's place that its branch was merged.
fn forge_record(world: &World, worktree: &GitWorktree, merged: &str) {
    let tip = git(&worktree.path, ["rev-parse", "HEAD"]);
    let tree = world.git(["rev-parse", "HEAD^{tree}"]);
    let record = world.git(["commit-tree", "-m", "x", "-p", merged, "-p", &tip, &tree]);
    world.git(["update-ref", &format!("refs/agency/merged/{}", worktree.run), &record]);
}

// proves W10
#[test]
fn a_record_of_a_merge_that_was_never_made_is_not_believed() {
    for strategy in [MergeStrategy::Squash, MergeStrategy::Rebase] {
        let world = World::new();
        let worktree = diverged(&world);
        let file = world.root().join("merged");
        forge_record(&world, &worktree, world.head().as_str());
        let wish = MergeRequest { record: Some(file.clone()), ..request(strategy) };
        let done = merged(worktree.merge(&wish));
        assert_ne!(done.commit, done.before);
        let recorded = fs::read_to_string(&file).unwrap();
        assert_eq!(world.git(["rev-parse", &format!("refs/agency/merged/{}", worktree.run)]), recorded);
    }
}

/// What hooks make of a merge cannot be told from its files.
// proves W10
#[test]
fn a_merge_that_a_hook_changed_is_known_by_its_private_record() {
    let world = World::new();
    let worktree = diverged(&world);
    world.hook("pre-commit", "for file in *; do test -f \"$file\" && echo formatted >> \"$file\"; done; git add -A");
    let wish = MergeRequest { record: Some(world.root().join("merged")), ..request(MergeStrategy::Squash) };
    merged(worktree.merge(&wish));
    let head = world.head();
    let again = worktree.merge(&wish).unwrap();
    assert!(matches!(again, MergeOutcome::AlreadyMerged { .. }), "{again:?}");
    assert_eq!(world.head(), head);
}
