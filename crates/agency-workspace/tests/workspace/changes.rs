//! What differs from the base commit, and that looking changes nothing.

use std::fs;
use std::path::Path;

use agency_workspace::{ChangedFile, ChangedLines, FileStatus, InPlace, RemoveOptions, Workspace, WorktreeOutcome};

use crate::world::{World, commit_all, git, write};

fn counted(path: &str, status: FileStatus, added: u64, removed: u64) -> ChangedFile {
    ChangedFile { path: path.into(), status, lines: Some(ChangedLines { added, removed }) }
}

#[test]
fn committed_uncommitted_and_untracked_files_are_all_listed() {
    let world = World::new();
    let worktree = world.prepared();
    let path = &worktree.path;
    write(&path.join("committed"), "1\n2\n");
    commit_all(path, "work");
    write(&path.join("a.txt"), "one\nzwei\n");
    git(path, ["add", "a.txt"]);
    fs::remove_file(path.join("dir/b.txt")).unwrap();
    write(&path.join("new\nline"), "x\n");
    fs::write(path.join("binary"), b"\0\x01").unwrap();
    write(&path.join(".gitignore"), "*.log\n");
    write(&path.join("noise.log"), "ignored");
    let objects = object_count(&world);
    let status = git(path, ["status", "--porcelain"]);
    let index = fs::read(world.repository.join(".git/worktrees").join(path.file_name().unwrap()).join("index"));

    let changes = worktree.changes().unwrap();
    assert_eq!(
        changes.files,
        vec![
            counted(".gitignore", FileStatus::Added, 1, 0),
            counted("a.txt", FileStatus::Modified, 1, 1),
            ChangedFile { path: "binary".into(), status: FileStatus::Added, lines: None },
            counted("committed", FileStatus::Added, 2, 0),
            counted("dir/b.txt", FileStatus::Deleted, 0, 1),
            counted("new\nline", FileStatus::Added, 1, 0),
        ]
    );
    let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
    for line in ["+zwei", "-two", "+2", "-bee", "+*.log", "Binary files /dev/null and b/binary differ"] {
        assert!(diff.lines().any(|found| found == line), "{line} in {diff}");
    }
    let after = fs::read(world.repository.join(".git/worktrees").join(path.file_name().unwrap()).join("index"));
    assert_eq!(index.unwrap(), after.unwrap());
    assert_eq!(git(path, ["status", "--porcelain"]), status);
    assert_eq!(object_count(&world), objects);
}

#[test]
fn a_rename_keeps_its_old_name_and_no_change_is_no_file() {
    let world = World::new();
    let worktree = world.prepared();
    assert!(worktree.changes().unwrap().files.is_empty());
    assert!(worktree.diff().unwrap().is_empty());
    fs::rename(worktree.path.join("a.txt"), worktree.path.join("z.txt")).unwrap();
    let files = worktree.changes().unwrap().files;
    assert_eq!(files, vec![counted("z.txt", FileStatus::Renamed { from: "a.txt".into() }, 0, 0)]);
}

#[test]
fn a_conflict_and_a_nested_repository_do_not_stop_the_list() {
    let world = World::new();
    let worktree = world.prepared();
    crate::saving::conflict(&world, &worktree.path);
    git(&worktree.path, ["init", "-q", "vendor"]);
    write(&worktree.path.join("vendor/file"), "x");
    let changes = worktree.changes().unwrap();
    assert_eq!(changes.files.iter().map(|file| file.path.as_path()).collect::<Vec<_>>(), [Path::new("a.txt")]);
    assert_eq!(changes.nested, [Path::new("vendor")]);
}

#[test]
fn in_place_shows_changes_and_never_touches_a_file() {
    let world = World::new();
    let workspace = InPlace {
        repository: world.repository.clone(),
        base: world.head(),
        worktrees_root: world.root().join("home/worktrees"),
        looks: None,
    };
    workspace.prepare().unwrap();
    world.write("a.txt", "mine\n");
    world.write("new", "x\n");
    assert_eq!(workspace.directory(), world.repository);
    assert_eq!(workspace.changes().unwrap().files.len(), 2);
    assert!(!workspace.diff().unwrap().is_empty());
    workspace.undo().unwrap();
    assert_eq!(workspace.snapshot().unwrap(), None);
    let removal = workspace.remove(RemoveOptions { force: true, ..RemoveOptions::default() }).unwrap();
    assert_eq!(removal.worktree, WorktreeOutcome::KeptInPlace);
    assert_eq!(fs::read_to_string(world.repository.join("a.txt")).unwrap(), "mine\n");
    assert!(world.repository.join("new").exists());
}

fn object_count(world: &World) -> String {
    world.git(["count-objects"])
}

#[test]
fn attributes_of_the_agent_do_not_hide_text() {
    let world = World::new();
    world.write(".gitattributes", "*.lock -diff\n");
    commit_all(&world.repository, "attributes");
    let worktree = world.prepared();
    write(&worktree.path.join(".gitattributes"), "*.lock -diff\n*.sh -diff\n");
    write(&worktree.path.join("x.sh"), "evil\n");
    write(&worktree.path.join("x.lock"), "long\n");
    let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
    assert!(diff.contains("+evil"), "{diff}");
    assert!(diff.contains("Binary files /dev/null and b/x.lock differ"), "those of the base apply: {diff}");
    let files = worktree.changes().unwrap().files;
    assert_eq!(files[2], counted("x.sh", FileStatus::Added, 1, 0));
    assert_eq!(files[1].lines, None);
}
