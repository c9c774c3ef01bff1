//! A checkout that git can update only in part is as it was before, and the reason is named.

use std::fs;
use std::path::{Path, PathBuf};

use agency_workspace::{GitWorktree, MergeError, MergeOutcome, MergeStrategy};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, git, write};

/// A repository in which files come from a server that may be away, as with LFS, and work that changes several.
fn far_files() -> (World, GitWorktree, PathBuf) {
    let world = World::new();
    let away = world.root().join("away");
    world.git(["config", "filter.far.clean", "cat"]);
    world.git(["config", "filter.far.smudge", &format!("test ! -e '{}' && cat", away.display())]);
    world.git(["config", "filter.far.required", "true"]);
    world.write(".gitattributes", "*.far filter=far\n");
    world.write("n.far", "before\n");
    world.write("gone", "before\n");
    world.write("link", "before\n");
    commit_all(&world.repository, "with files that a server has");
    let worktree = world.prepared();
    let path = &worktree.path;
    for name in ["a.txt", "n.far", "z.txt"] {
        write(&path.join(name), "after\n");
    }
    write(&path.join("added/deep"), "after\n");
    fs::remove_file(path.join("gone")).unwrap();
    fs::remove_file(path.join("link")).unwrap();
    std::os::unix::fs::symlink("a.txt", path.join("link")).unwrap();
    worktree.commit_all("work").unwrap();
    (world, worktree, away)
}

#[track_caller]
fn is_as_before(world: &World, checkout: &Path, status: &str) {
    assert_eq!(git(checkout, ["status", "--porcelain"]), status);
    assert_eq!(git(checkout, ["show", "HEAD:n.far"]), "before");
    assert_eq!(fs::read_to_string(checkout.join("n.far")).unwrap(), "before\n");
    assert!(!checkout.join("added/deep").exists());
    assert_eq!(world.git(["show", "main:gone"]), "before");
}

#[test]
fn files_that_git_updated_before_it_failed_go_back() {
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash] {
        let (world, worktree, away) = far_files();
        world.write("dir/b.txt", "of the user\n");
        world.write("mine", "of the user\n");
        let status = world.git(["status", "--porcelain"]);
        // The filter does not answer for the file of the merge, and does for the one before.
        world.git([
            "config",
            "filter.far.smudge",
            &format!("if test -e '{}'; then grep -v after; else cat; fi", away.display()),
        ]);
        write(&away, "");
        let error = worktree.merge(&request(strategy)).unwrap_err();
        assert!(matches!(&error, MergeError::NotMoved { message, .. } if message.contains("n.far")), "{error}");
        is_as_before(&world, &world.repository, &status);
        fs::remove_file(&away).unwrap();
        merged(worktree.merge(&request(strategy)));
        assert_eq!(fs::read_to_string(world.repository.join("n.far")).unwrap(), "after\n");
        assert_eq!(world.git(["status", "--porcelain"]), status);
    }
}

#[test]
fn of_several_checkouts_none_is_left_in_between() {
    let (world, worktree, away) = far_files();
    let second = world.root().join("second");
    world.git(["worktree", "add", "-q", "--force", second.to_str().unwrap(), "main"]);
    let smudge = format!("if test -e '{}'; then grep -v after; else cat; fi", away.display());
    world.git(["config", "filter.far.smudge", &smudge]);
    write(&away, "");
    worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
    for checkout in [&world.repository, &second] {
        is_as_before(&world, checkout, "");
    }
    fs::remove_file(&away).unwrap();
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(git(&second, ["status", "--porcelain"]), "");
}

/// Changes that the user made in the meantime are not git's.
#[test]
fn what_the_user_wrote_while_git_failed_stays() {
    let (world, worktree, away) = far_files();
    let users = world.repository.join("z.txt");
    // While git asks for the first file, the user writes another one.
    let smudge = format!("test -e '{}' || cat; echo mine >'{}'; exit 1", away.display(), users.display());
    world.git(["config", "filter.far.smudge", &smudge]);
    write(&away, "");
    let outcome = worktree.merge(&request(MergeStrategy::Merge));
    assert!(!matches!(outcome, Ok(MergeOutcome::Merged(_))), "{outcome:?}");
    assert_eq!(fs::read_to_string(&users).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(world.repository.join("a.txt")).unwrap(), "one\ntwo\n");
}
