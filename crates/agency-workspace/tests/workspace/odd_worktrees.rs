//! Worktrees whose `.git` or whose entry in git is not what agency made: their files are saved all the same.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use agency_workspace::{DeleteBranch, GitWorktree, RemoveOptions, Workspace, WorkspaceError, WorktreeOutcome};

use rustix::fs::{Mode, OFlags};

use crate::world::{World, git, write};

const PLAIN: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: false };
const FORCED: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: true };

/// A worktree with one changed and one new file.
fn with_work(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "changed\n");
    write(&worktree.path.join("new"), "precious\n");
    worktree
}

/// Removes a worktree, after which all of its work is in the ref and nothing else is left of it.
#[track_caller]
fn saved_and_gone(world: &World, worktree: &GitWorktree, options: RemoveOptions) {
    let removal = worktree.remove(options).unwrap();
    assert_eq!(removal.worktree, WorktreeOutcome::Removed);
    let reference = removal.saved.unwrap().reference;
    assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:a.txt")]), "changed");
    assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:new")]), "precious");
    assert!(!worktree.path.exists() && !world.lists(&worktree.path));
    assert!(!world.repository.join(".git/worktrees").join(worktree.run.as_str()).exists());
    assert!(!world.repository.join(".git/agency-removed").exists());
}

// proves L17: `.git` file deleted
#[test]
fn a_worktree_without_its_git_file_is_saved_and_removed() {
    let world = World::new();
    let worktree = with_work(&world);
    fs::remove_file(worktree.path.join(".git")).unwrap();
    saved_and_gone(&world, &worktree, PLAIN);
}

// proves L17: admin directory deleted, by hand and by `git worktree prune`
#[test]
fn a_worktree_that_git_has_forgotten_is_saved_and_removed() {
    let world = World::new();
    let by_hand = with_work(&world);
    fs::remove_dir_all(world.repository.join(".git/worktrees").join(by_hand.run.as_str())).unwrap();
    saved_and_gone(&world, &by_hand, PLAIN);
    let pruned = with_work(&world);
    fs::remove_file(pruned.path.join(".git")).unwrap();
    world.git(["worktree", "prune", "--expire=now"]);
    saved_and_gone(&world, &pruned, PLAIN);
    let without_either = world.worktree();
    write(&without_either.path.join("a.txt"), "changed\n");
    write(&without_either.path.join("new"), "precious\n");
    saved_and_gone(&world, &without_either, PLAIN);
}

// proves L17: locked
#[test]
fn force_removes_a_locked_worktree_and_saves_its_work() {
    let world = World::new();
    let worktree = with_work(&world);
    world.git(["worktree", "lock", worktree.path.to_str().unwrap()]);
    assert!(matches!(worktree.remove(PLAIN), Err(WorkspaceError::Locked { .. })));
    saved_and_gone(&world, &worktree, FORCED);
}

// proves L17: `rm .git; git init` by the agent
#[test]
fn a_repository_of_the_agents_own_is_named_and_moved_with_its_history() {
    let world = World::new();
    let worktree = with_work(&world);
    let path = &worktree.path;
    fs::remove_file(path.join(".git")).unwrap();
    git(path, ["init", "-q"]);
    git(path, ["add", "new"]);
    git(path, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "of the agent"]);
    let error = worktree.remove(PLAIN).unwrap_err();
    let WorkspaceError::NestedRepositories { nested, .. } = error else { panic!("{error}") };
    assert_eq!(nested, [Path::new(".git")]);
    assert_eq!(git(path, ["log", "--format=%s"]), "of the agent", "a refusal touches nothing");
    let removal = worktree.remove(FORCED).unwrap();
    let reference = removal.saved.unwrap().reference;
    assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:a.txt")]), "changed");
    let kept = removal.kept.unwrap().join("worktree");
    assert_eq!(git(&kept, ["log", "--format=%s"]), "of the agent");
    assert!(!path.exists() && !world.lists(path));
    assert_eq!(worktree.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed, "it can be repeated");
}

// proves L17: the commits of a submodule are in git's entry for the worktree, which goes with it
#[test]
fn force_keeps_the_repository_of_a_submodule_with_its_commits() {
    let (world, library) = (World::new(), World::new());
    let allow = "protocol.file.allow=always";
    world.git(["-c", allow, "submodule", "--quiet", "add", library.repository.to_str().unwrap(), "lib"]);
    world.git(["commit", "-q", "-m", "submodule"]);
    let worktree = world.prepared();
    git(&worktree.path, ["-c", allow, "submodule", "--quiet", "update", "--init"]);
    let inside = worktree.path.join("lib");
    write(&inside.join("a.txt"), "changed");
    git(&inside, ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "only here"]);
    let commit = git(&inside, ["rev-parse", "HEAD"]);
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
    assert_eq!(fs::read_to_string(kept.join("worktree/lib/a.txt")).unwrap(), "changed");
    let (first, rest) = commit.split_at(2);
    assert!(kept.join("modules/lib/objects").join(first).join(rest).exists());
}

// An entry that the agent rewrote does not lead a removal to another directory.
#[test]
fn an_entry_that_names_another_directory_takes_nothing_from_it() {
    let world = World::new();
    let (worktree, other) = (with_work(&world), with_work(&world));
    let entry = world.repository.join(".git/worktrees").join(worktree.run.as_str());
    fs::write(entry.join("gitdir"), format!("{}\n", other.path.join(".git").display())).unwrap();
    saved_and_gone(&world, &worktree, PLAIN);
    assert!(other.path.join("new").exists());
    assert!(world.lists(&other.path));
}

/// Makes directories within each other whose path is longer than any that can be opened, with a file in the innermost.
fn make_deep_file(top: &Path) {
    let name = "d".repeat(200);
    let mode = Mode::from_raw_mode(0o700);
    let mut here: OwnedFd = fs::File::open(top).unwrap().into();
    for _ in 0..30 {
        rustix::fs::mkdirat(&here, &name, mode).unwrap();
        here = rustix::fs::openat(&here, &name, OFlags::RDONLY | OFlags::DIRECTORY, mode).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY;
    let file = rustix::fs::openat(&here, "precious", flags, Mode::from_raw_mode(0o600)).unwrap();
    rustix::io::write(&file, b"deep\n").unwrap();
}

/// The content of the file in the innermost directory, which is reached one directory after the other.
fn read_deep_file(top: &Path) -> String {
    let mut here: OwnedFd = fs::File::open(top).unwrap().into();
    for _ in 0..30 {
        here = rustix::fs::openat(&here, "d".repeat(200), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let file = rustix::fs::openat(&here, "precious", OFlags::RDONLY, Mode::empty()).unwrap();
    std::io::read_to_string(fs::File::from(file)).unwrap()
}

// proves L17: git warns of a directory that it cannot open, passes it over and succeeds
#[test]
fn files_in_a_directory_that_git_cannot_open_are_not_removed() {
    let world = World::new();
    let worktree = with_work(&world);
    make_deep_file(&worktree.path);
    let unread = worktree.changes().unwrap().unread;
    assert!(unread.iter().any(|warning| warning.contains("could not open directory")), "{unread:?}");
    // The same from what is kept of the last look.
    assert_eq!(worktree.changes().unwrap().unread, unread);
    assert_eq!(worktree.patch().unwrap().unread, unread);
    let obstacle = worktree.preview().unwrap().obstacle.unwrap();
    assert!(obstacle.to_string().contains("could not open directory"), "{obstacle}");
    let refused = worktree.remove(PLAIN).unwrap_err();
    assert!(refused.to_string().contains("could not open directory"), "{refused}");
    assert_eq!(read_deep_file(&worktree.path), "deep\n");
    let removal = worktree.remove(FORCED).unwrap();
    let reference = removal.saved.unwrap().reference;
    assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:new")]), "precious");
    assert_eq!(read_deep_file(&removal.kept.unwrap().join("worktree")), "deep\n");
}

// The repository would miss them, and nothing that was committed since could be read.
#[test]
fn objects_of_the_repository_that_lie_in_the_worktree_are_not_deleted() {
    let by_link: fn(&World, &Path) = |world, inside| {
        fs::rename(world.repository.join(".git/objects/pack"), inside).unwrap();
        symlink(inside, world.repository.join(".git/objects/pack")).unwrap();
    };
    let by_alternates: fn(&World, &Path) = |world, inside| {
        fs::create_dir(inside).unwrap();
        fs::rename(world.repository.join(".git/objects/pack"), inside.join("pack")).unwrap();
        write(&world.repository.join(".git/objects/info/alternates"), &format!("{}\n", inside.display()));
    };
    for moved_by in [by_link, by_alternates] {
        let world = World::new();
        let worktree = with_work(&world);
        world.git(["repack", "-q", "-a", "-d"]);
        write(&worktree.path.join(".gitignore"), "store\n");
        moved_by(&world, &worktree.path.join("store"));
        let obstacle = worktree.preview().unwrap().obstacle;
        assert!(matches!(obstacle, Some(WorkspaceError::ObjectsInside { .. })), "{obstacle:?}");
        let error = worktree.remove(PLAIN).unwrap_err();
        let WorkspaceError::ObjectsInside { directories, .. } = &error else { panic!("{error}") };
        assert_eq!(directories, &[Path::new("store")]);
        assert_eq!(world.git(["fsck", "--no-dangling"]), "");
        let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
        let packs = |directory: &Path| fs::read_dir(directory).map_or(0, Iterator::count);
        let store = kept.join("worktree/store");
        assert!(packs(&store) + packs(&store.join("pack")) > 1, "the objects are kept");
    }
}
