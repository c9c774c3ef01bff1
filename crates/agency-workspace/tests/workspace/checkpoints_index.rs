//! The index that is kept between checkpoints never hides a change.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use agency_workspace::GitWorktree;

use crate::checkpoints::{number, prepared, take};
use crate::world::{World, commit_all, executable, git, write};

/// An agent that edits within the second of the last look, without a change of size.
#[test]
fn a_change_in_the_same_second_is_seen() {
    let world = World::new();
    let worktree = prepared(&world);
    for round in 0..20 {
        write(&worktree.path.join("a.txt"), &format!("round {round:02}\n"));
        write(&worktree.path.join("new"), &format!("round {round:02}\n"));
        let taken = take(&worktree);
        assert_eq!((number(&taken), taken.files), (round + 1, 2));
        let tree = taken.checkpoint.unwrap().tree;
        for name in ["a.txt", "new"] {
            assert_eq!(world.git(["show", &format!("{tree}:{name}")]), format!("round {round:02}"));
        }
    }
}

/// What a look without anything kept records.
fn fresh_tree(worktree: &GitWorktree) -> String {
    let other = GitWorktree { looks: None, ..worktree.clone() };
    take(&other).checkpoint.map_or_else(
        || git(&worktree.repository, ["rev-parse", &format!("{}^{{tree}}", worktree.base)]),
        |found| found.tree,
    )
}

#[test]
fn whatever_the_agent_does_the_kept_index_records_the_same_as_a_new_one() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    let same = |what: &str| {
        let taken = take(&worktree);
        assert_eq!(
            taken.checkpoint.map_or_else(|| fresh_tree(&worktree), |found| found.tree),
            fresh_tree(&worktree),
            "{what}"
        );
    };
    write(&path.join("new/one"), "1\n");
    same("untracked");
    write(&path.join(".gitignore"), "*.log\n");
    write(&path.join("kept.log"), "x\n");
    same("ignored");
    git(path, ["add", "-f", "kept.log"]);
    same("ignored, but added");
    git(path, ["rm", "-q", "--cached", "kept.log"]);
    same("ignored again");
    write(&path.join("later"), "later\n");
    same("one more");
    write(&path.join(".gitignore"), "*.log\nlater\n");
    write(&path.join("later"), "changed, too\n");
    same("ignored later on");
    fs::remove_file(path.join("a.txt")).unwrap();
    same("deleted");
    fs::create_dir(path.join("a.txt")).unwrap();
    write(&path.join("a.txt/inside"), "x\n");
    same("a directory in place of a file");
    fs::remove_dir_all(path.join("a.txt")).unwrap();
    symlink("dir/b.txt", path.join("a.txt")).unwrap();
    same("a symlink in place of a directory");
    fs::remove_dir_all(path.join("dir")).unwrap();
    write(&path.join("dir"), "a file\n");
    same("a file in place of a directory");
    executable(&path.join("new/one"), "exit 0");
    same("executable");
    commit_all(path, "work");
    same("committed");
    git(path, ["reset", "-q", "--soft", worktree.base.as_str()]);
    same("reset softly");
    git(path, ["reset", "-q", "--hard", worktree.base.as_str()]);
    same("reset");
    git(path, ["checkout", "-q", "--detach"]);
    write(&path.join("other"), "x\n");
    same("detached");
    write(&path.join("vendor/file"), "x\n");
    same("a directory");
    git(path, ["init", "-q", "vendor"]);
    same("which became a repository");
    crate::saving::conflict(&world, path);
    same("conflicts");
}

/// A kill leaves locks, half an index or objects that git has cleaned away.
#[test]
fn whatever_was_left_in_the_kept_directory_the_checkpoint_is_right() {
    let world = World::new();
    let worktree = prepared(&world);
    let kept = worktree.looks.as_ref().unwrap().with_file_name("checkpoint-index");
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("a lock of git", |kept| fs::write(kept.join("index.lock"), b"").unwrap()),
        ("rubbish as index", |kept| fs::write(kept.join("index"), b"rubbish").unwrap()),
        ("no index", |kept| fs::remove_file(kept.join("index")).unwrap()),
        ("another tree", |kept| fs::write(kept.join("tree"), "1".repeat(40)).unwrap()),
        ("everything gone", |kept| fs::remove_dir_all(kept).unwrap()),
    ];
    for (round, (what, damage)) in damages.into_iter().enumerate() {
        write(&worktree.path.join("before"), what);
        take(&worktree);
        damage(&kept);
        write(&worktree.path.join("new"), what);
        let taken = take(&worktree);
        assert_eq!(number(&taken), 2 * u32::try_from(round).unwrap() + 2, "{what}");
        assert_eq!(world.git(["show", &format!("{}:new", taken.checkpoint.unwrap().tree)]), what);
    }
}
