//! Work in places that git does not show: it is saved, or named and refused, and never deleted unnamed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_workspace::{DeleteBranch, GitWorktree, RemoveOptions, Repository, Workspace, WorkspaceError, restore};

use crate::world::{World, commit_all, git, try_git, write};

pub(crate) const PLAIN: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: false };
pub(crate) const FORCED: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: true };
const ALLOW: &str = "protocol.file.allow=always";

/// A plain removal and a preview name exactly these repositories, and nothing is touched.
#[track_caller]
fn refused(worktree: &GitWorktree, expected: &[&str]) {
    let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
    assert_eq!(worktree.preview().unwrap().nested, expected);
    let error = worktree.remove(PLAIN).unwrap_err();
    let WorkspaceError::NestedRepositories { nested, .. } = error else { panic!("{error}") };
    assert_eq!(nested, expected);
    assert!(worktree.path.join("a.txt").exists());
}

/// A repository with a submodule, and one of its worktrees with the submodule checked out.
fn with_submodule() -> (World, World, GitWorktree) {
    let (world, library) = (World::new(), World::new());
    library.write(".gitignore", "*.log\nvendor/\n");
    commit_all(&library.repository, "ignore");
    world.git(["-c", ALLOW, "submodule", "--quiet", "add", library.repository.to_str().unwrap(), "lib"]);
    world.git(["commit", "-q", "-m", "submodule"]);
    let worktree = world.prepared();
    git(&worktree.path, ["-c", ALLOW, "submodule", "--quiet", "update", "--init"]);
    (world, library, worktree)
}

/// Makes a commit and returns its id.
pub(crate) fn commit(directory: &Path, message: &str) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", message];
    git(directory, identity);
    git(directory, ["rev-parse", "HEAD"])
}

/// Lets git delete everything that no ref holds.
pub(crate) fn collect_garbage(world: &World) {
    world.git(["worktree", "prune", "--expire=now"]);
    world.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    world.git(["gc", "-q", "--prune=now"]);
}

#[track_caller]
pub(crate) fn still_has(world: &World, commit: &str) {
    assert!(try_git(&world.repository, ["cat-file", "-e", commit]).0, "{commit} is lost");
}

pub(crate) fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn commits_of_a_submodule_that_was_deinitialised_are_named_and_kept() {
    let (world, _library, worktree) = with_submodule();
    let inside = worktree.path.join("lib");
    let only_here = commit(&inside, "only here");
    git(&worktree.path, ["submodule", "--quiet", "deinit", "-f", "lib"]);
    assert!(!inside.join("a.txt").exists());
    refused(&worktree, &[".git/modules/lib"]);
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
    let (first, rest) = only_here.split_at(2);
    assert!(kept.join("modules/lib/objects").join(first).join(rest).exists());
    // One without commits of its own holds nothing up.
    let clean = world.prepared();
    git(&clean.path, ["-c", ALLOW, "submodule", "--quiet", "update", "--init"]);
    git(&clean.path, ["submodule", "--quiet", "deinit", "-f", "lib"]);
    assert!(clean.remove(PLAIN).unwrap().kept.is_none());
}

/// `git submodule update` checks out another commit over one that was made without a branch.
#[test]
fn commits_that_only_the_log_or_a_tag_of_a_submodule_leads_to_are_named_and_kept() {
    let leave: [fn(&Path); 3] = [
        |_| (),
        |inside| drop(git(inside, ["tag", "mine"])),
        |inside| {
            git(inside, ["tag", "mine"]);
            let git_dir = git(inside, ["rev-parse", "--absolute-git-dir"]);
            fs::remove_dir_all(Path::new(&git_dir).join("logs")).unwrap();
        },
    ];
    for leave in leave {
        let (_world, _library, worktree) = with_submodule();
        let inside = worktree.path.join("lib");
        let only_here = commit(&inside, "on no branch");
        leave(&inside);
        git(&worktree.path, ["-c", ALLOW, "submodule", "--quiet", "update"]);
        assert_ne!(git(&inside, ["rev-parse", "HEAD"]), only_here);
        refused(&worktree, &["lib"]);
        let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
        let (first, rest) = only_here.split_at(2);
        assert!(kept.join("modules/lib/objects").join(first).join(rest).exists());
    }
    // Commits and tags of the remote alone hold nothing up.
    let (_world, library, worktree) = with_submodule();
    let inside = worktree.path.join("lib");
    commit(&library.repository, "of the remote");
    library.git(["tag", "theirs"]);
    git(&inside, ["fetch", "-q"]);
    git(&inside, ["checkout", "-q", "theirs"]);
    git(&worktree.path, ["-c", ALLOW, "submodule", "--quiet", "update"]);
    assert!(worktree.remove(PLAIN).unwrap().kept.is_none());
}

#[test]
fn ignored_files_inside_a_submodule_are_named() {
    let (_world, _library, worktree) = with_submodule();
    write(&worktree.path.join("lib/x.log"), "x");
    assert_eq!(worktree.preview().unwrap().ignored, [Path::new("lib/x.log")]);
    assert_eq!(worktree.remove(PLAIN).unwrap().ignored, [Path::new("lib/x.log")]);
}

#[test]
fn repositories_in_ignored_directories_are_named_and_kept() {
    let (world, _library, worktree) = with_submodule();
    let path = &worktree.path;
    write(&path.join(".gitignore"), "vendor/\n/*.cache\n");
    git(path, ["init", "-q", "vendor/deep/inner"]);
    let inner = commit(&path.join("vendor/deep/inner"), "inner");
    git(path, ["init", "-q", "--bare", "vendor/bare"]);
    git(path, ["init", "-q", "x.cache"]);
    git(path, ["init", "-q", "lib/vendor/below"]);
    refused(&worktree, &["lib/vendor/below", "vendor/bare", "vendor/deep/inner", "x.cache"]);
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
    assert_eq!(git(&kept.join("worktree/vendor/deep/inner"), ["rev-parse", "HEAD"]), inner);
    assert!(kept.join("worktree/lib/vendor/below/.git").is_dir());
    // Ignored files that are no repository are only named.
    let plain = world.prepared();
    write(&plain.path.join(".gitignore"), "vendor/\n");
    write(&plain.path.join("vendor/HEAD/objects/refs/file"), "x");
    fs::create_dir_all(plain.path.join("vendor/empty/.git")).unwrap();
    assert_eq!(plain.remove(PLAIN).unwrap().ignored, [Path::new("vendor")]);
}

#[test]
fn commits_and_staged_work_of_a_worktree_inside_outlive_force_and_the_garbage_collection() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["worktree", "add", "-q", "--detach", "inner"]);
    let inside = worktree.path.join("inner");
    let detached = commit(&inside, "only in the worktree inside");
    write(&inside.join("a.txt"), "staged\n");
    git(&inside, ["add", "a.txt"]);
    write(&inside.join("a.txt"), "changed again\n");
    refused(&worktree, &["inner"]);
    let removal = worktree.remove(FORCED).unwrap();
    let saved = |name: &str| format!("{}-worktrees/inner/{name}", worktree.run.saved_work_ref());
    assert_eq!(removal.other_refs, [saved("log"), saved("staged")]);
    assert_eq!(fs::read_to_string(removal.kept.unwrap().join("worktree/inner/a.txt")).unwrap(), "changed again\n");
    collect_garbage(&world);
    still_has(&world, &detached);
    assert_eq!(world.git(["cat-file", "-p", &format!("{}:a.txt", saved("staged"))]), "staged");
}

#[test]
fn refs_of_the_worktree_and_commits_in_the_log_of_its_head_are_saved() {
    let world = World::new();
    let worktree = world.prepared();
    let path = &worktree.path;
    git(path, ["checkout", "-q", "--detach"]);
    let first = commit(path, "left behind");
    git(path, ["checkout", "-q", "--detach", &worktree.branch]);
    let second = commit(path, "left behind, too");
    git(path, ["checkout", "-q", "--detach", &worktree.branch]);
    let marked = commit(path, "marked");
    git(path, ["update-ref", "refs/worktree/mine", &marked]);
    let bisected = commit(path, "bisected");
    git(path, ["update-ref", "refs/bisect/bad", &bisected]);
    let blob = git(path, ["hash-object", "-w", "a.txt"]);
    git(path, ["update-ref", "refs/worktree/blob", &blob]);
    git(path, ["checkout", "-q", &worktree.branch]);
    git(path, ["update-ref", "refs/worktree/of-branch", "HEAD"]);
    write(&path.join("new"), "uncommitted\n");
    let removal = worktree.remove(PLAIN).unwrap();
    let saved = worktree.run.saved_work_ref();
    let named = |name: &str| format!("{saved}-{name}");
    let expected = ["log", "refs/bisect/bad", "refs/worktree/blob", "refs/worktree/mine"].map(named);
    assert_eq!(removal.other_refs, expected);
    collect_garbage(&world);
    for commit in [&first, &second, &marked, &bisected] {
        still_has(&world, commit);
    }
    assert_eq!(world.git(["rev-parse", &named("refs/worktree/mine")]), marked);
    // It can be repeated, and what was saved is listed beside the work that is brought back.
    assert_eq!(worktree.remove(PLAIN).unwrap().other_refs, expected);
    let restored = restore(&Repository::open(&world.repository).unwrap(), &worktree.run, "back").unwrap();
    assert_eq!(restored.other_refs, expected);
    assert_eq!(world.git(["cat-file", "-p", "back:new"]), "uncommitted");
}

/// Commits that the log of the branch still has are not lost by a removal, and a run that only committed leaves no ref.
#[test]
fn commits_of_the_branch_and_of_its_log_need_no_ref() {
    let world = World::new();
    let worktree = world.prepared();
    commit(&worktree.path, "one");
    commit(&worktree.path, "two");
    git(&worktree.path, ["reset", "-q", "--hard", "HEAD~1"]);
    let removal = worktree.remove(PLAIN).unwrap();
    assert_eq!(removal.other_refs, Vec::<String>::new());
    assert_eq!(removal.saved, None);
    let nothing = restore(&Repository::open(&world.repository).unwrap(), &worktree.run, "back").unwrap_err();
    assert_eq!(nothing.to_string(), format!("no work of {} was saved", worktree.run));
}

/// An agent can write anything into git's entry.
#[test]
fn rubbish_among_the_refs_of_a_worktree_holds_nothing_up() {
    let world = World::new();
    let worktree = world.prepared();
    let admin = world.repository.join(".git/worktrees").join(worktree.run.as_str());
    let missing = "1234567890123456789012345678901234567890\n";
    write(&admin.join("refs/worktree/missing"), missing);
    write(&admin.join("refs/worktree/rubbish"), "rubbish");
    write(&admin.join("refs/worktree/-x ~^:"), missing);
    write(&admin.join("refs/worktree/symbolic"), "ref: refs/heads/main\n");
    write(&admin.join("ORIG_HEAD"), missing);
    write(&admin.join("logs/HEAD"), &format!("{missing} x y\n\u{0}\n"));
    std::os::unix::fs::symlink("/etc/passwd", admin.join("refs/worktree/link")).unwrap();
    pipe(&admin.join("refs/worktree/pipe"));
    let removal = worktree.remove(PLAIN).unwrap();
    assert_eq!(removal.other_refs, Vec::<String>::new());
}

/// Something that an agent does to its worktree.
pub(crate) type Deed = fn(&Path);

/// What makes git refuse a whole worktree.
pub(crate) fn oddities() -> [(&'static str, Deed); 3] {
    [
        ("a directory .Git", |path| write(&path.join(".Git/file"), "odd\n")),
        (".gitmodules as a link", |path| std::os::unix::fs::symlink("nowhere", path.join(".gitmodules")).unwrap()),
        ("a pipe for a tracked file", |path| {
            fs::remove_file(path.join("dir/b.txt")).unwrap();
            pipe(&path.join("dir/b.txt"));
        }),
    ]
}

#[test]
fn what_git_does_not_take_is_refused_and_by_force_kept_beside_the_rest() {
    let world = World::new();
    for (what, make) in oddities() {
        let worktree = world.prepared();
        write(&worktree.path.join("a.txt"), "changed\n");
        make(&worktree.path);
        let error = worktree.remove(PLAIN).unwrap_err();
        assert!(error.to_string().contains("could not be saved"), "{what}: {error}");
        let removal = worktree.remove(FORCED).unwrap_or_else(|error| panic!("{what}: {error}"));
        let kept = removal.kept.unwrap().join("worktree");
        assert_eq!(fs::read_to_string(kept.join("a.txt")).unwrap(), "changed\n", "{what}");
        let name = format!("{}:a.txt", removal.saved.unwrap().reference);
        assert_eq!(world.git(["cat-file", "-p", &name]), "changed", "{what}");
        assert!(!worktree.path.exists() && !world.lists(&worktree.path), "{what}");
    }
}

#[test]
fn where_git_would_wait_for_a_pipe_force_keeps_the_worktree() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "changed\n");
    pipe(&worktree.path.join(".gitignore"));
    let error = worktree.remove(PLAIN).unwrap_err();
    assert!(error.to_string().contains("is a named pipe"), "{error}");
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap().join("worktree");
    assert_eq!(fs::read_to_string(kept.join("a.txt")).unwrap(), "changed\n");
    assert!(!world.lists(&worktree.path));
}

#[test]
fn of_a_worktree_that_became_a_link_only_the_link_is_kept() {
    let world = World::new();
    for target in ["moved", "missing"] {
        let worktree = world.prepared();
        write(&worktree.path.join("a.txt"), "changed\n");
        git(&worktree.path, ["checkout", "-q", "--detach"]);
        let detached = commit(&worktree.path, "only here");
        let (moved, target) = (world.root().join(format!("moved-{}", worktree.run)), world.root().join(target));
        fs::rename(&worktree.path, &moved).unwrap();
        let target = if target.ends_with("moved") { &moved } else { &target };
        std::os::unix::fs::symlink(target, &worktree.path).unwrap();
        let error = worktree.remove(PLAIN).unwrap_err();
        assert!(matches!(error, WorkspaceError::Replaced { .. }), "{error}");
        assert!(worktree.undo().is_err());
        let removal = worktree.remove(FORCED).unwrap();
        assert_eq!(fs::read_link(removal.kept.unwrap().join("worktree")).unwrap(), *target);
        assert!(worktree.path.symlink_metadata().is_err());
        assert_eq!(fs::read_to_string(moved.join("a.txt")).unwrap(), "changed\n", "what it led to is not touched");
        assert!(!world.lists(&worktree.path));
        collect_garbage(&world);
        still_has(&world, &detached);
    }
}
