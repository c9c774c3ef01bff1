//! What is never removed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use agency_model::ErrorCode;
use agency_workspace::{DeleteBranch, GitWorktree, RemoveOptions, Workspace, WorkspaceError, WorktreeOutcome};

use crate::world::{World, commit_all, git, write};

const PLAIN: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: false };
const FORCED: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: true };

/// The removal is refused as a failed cleanup, and the message holds these words.
fn refused(worktree: &GitWorktree, options: RemoveOptions, words: &str) -> WorkspaceError {
    let error = worktree.remove(options).unwrap_err();
    assert_eq!(error.code(), ErrorCode::CleanupFailed, "{error}");
    assert!(error.to_string().contains(words), "{words} in {error}");
    error
}

// proves L17
#[test]
fn a_locked_worktree_is_refused_with_its_reason_and_the_way_out() {
    let world = World::new();
    let worktree = world.prepared();
    world.git(["worktree", "lock", "--reason", "on a stick", worktree.path.to_str().unwrap()]);
    refused(&worktree, PLAIN, "on a stick");
    let error = refused(&worktree, PLAIN, "worktree unlock");
    let command = format!("git -C {} worktree unlock {}", world.repository.display(), worktree.path.display());
    assert!(error.to_string().contains(&command), "{error}");
    assert!(worktree.undo().is_err());
    assert!(worktree.path.join("a.txt").exists());
}

// proves L17
#[test]
fn the_main_working_tree_is_never_removed() {
    let world = World::new();
    let ours = world.prepared();
    let main = GitWorktree { path: world.repository.clone(), worktrees_root: world.root(), ..ours.clone() };
    refused(&main, FORCED, "main working tree");
    // The same when the record believes the repository to be somewhere else.
    let linked = GitWorktree { repository: ours.path.clone(), ..main };
    refused(&linked, FORCED, "main working tree");
    assert!(linked.undo().is_err());
    assert!(world.repository.join("a.txt").exists());
}

// proves L17
#[test]
fn what_is_not_below_the_worktree_root_is_never_removed() {
    let world = World::new();
    let ours = world.prepared();
    let outside = world.root().join("outside");
    world.git(["worktree", "add", "-q", "-b", "mine", outside.to_str().unwrap()]);
    let dotted = ours.worktrees_root.join("../../outside");
    let link = ours.worktrees_root.join("link");
    symlink(&outside, &link).unwrap();
    for path in [outside.clone(), dotted, link, ours.worktrees_root.clone(), world.root().join("missing")] {
        let worktree = GitWorktree { path, ..ours.clone() };
        refused(&worktree, FORCED, "is not removed");
        assert!(worktree.undo().is_err());
    }
    assert!(outside.join("a.txt").exists());
    assert!(ours.path.join("a.txt").exists());
}

#[test]
fn a_worktree_of_another_repository_is_refused() {
    let (world, stranger) = (World::new(), World::new());
    let worktree = world.worktree();
    fs::create_dir_all(worktree.path.parent().unwrap()).unwrap();
    stranger.git(["worktree", "add", "-q", "-b", "theirs", worktree.path.to_str().unwrap()]);
    refused(&worktree, PLAIN, "belongs to");
    assert!(worktree.undo().is_err());
    assert!(worktree.path.join("a.txt").exists());
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
    assert!(kept.join("worktree/a.txt").exists(), "force moves it and deletes nothing");
}

// proves L17
#[test]
fn a_moved_or_deleted_repository_has_its_own_message_and_keeps_the_files() {
    let world = World::new();
    let worktree = world.prepared();
    fs::rename(&world.repository, world.root().join("moved")).unwrap();
    let error = refused(&worktree, PLAIN, "worktree repair");
    assert!(matches!(error, WorkspaceError::RepositoryGone { .. }), "{error}");
    // Another repository has taken its place.
    fs::create_dir(&world.repository).unwrap();
    world.git(["init", "-q"]);
    refused(&worktree, PLAIN, "worktree repair");
    assert!(worktree.path.join("a.txt").exists());
    let kept = worktree.remove(FORCED).unwrap().kept.unwrap();
    assert!(kept.join("worktree/a.txt").exists(), "force moves the files and deletes none");
    // Repository and worktree are both gone: there is nothing to do.
    fs::remove_dir_all(&world.repository).unwrap();
    fs::remove_dir_all(&kept).unwrap();
    assert_eq!(worktree.remove(PLAIN).unwrap().worktree, WorktreeOutcome::AlreadyGone);
    worktree.undo().unwrap();
}

// proves L17
#[test]
fn nested_repositories_are_named_and_force_moves_them_with_the_worktree() {
    let world = World::new();
    let worktree = world.prepared();
    let path = &worktree.path;
    git(path, ["init", "-q", "empty"]);
    write(&path.join("empty/file"), "x");
    git(path, ["init", "-q", "deep/it's"]);
    write(&path.join("deep/it's/file"), "x");
    git(
        &path.join("deep/it's"),
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    );
    write(&path.join("new"), "x");
    write(&path.join(".gitignore"), "hidden\n");
    git(path, ["worktree", "add", "-q", "-b", "inner", "hidden/inner"]);
    let error = refused(&worktree, PLAIN, "cannot be saved");
    let WorkspaceError::NestedRepositories { nested, .. } = error else { panic!("{error}") };
    assert_eq!(nested, [Path::new("deep/it's"), Path::new("empty"), Path::new("hidden/inner")]);
    assert!(path.join("empty/file").exists());
    let removal = worktree.remove(FORCED).unwrap();
    assert_eq!(removal.saved.unwrap().files, 2, "everything else is saved");
    assert!(!path.exists());
    let kept = removal.kept.unwrap().join("worktree");
    for file in ["empty/file", "deep/it's/file", "hidden/inner/a.txt", "new"] {
        assert!(kept.join(file).exists(), "{file}");
    }
    git(&kept.join("deep/it's"), ["log", "-1"]);
}

// proves L17
#[test]
fn a_submodule_is_refused_only_while_it_holds_work_of_its_own() {
    let (world, library) = (World::new(), World::new());
    let allow = "protocol.file.allow=always";
    world.git(["-c", allow, "submodule", "--quiet", "add", library.repository.to_str().unwrap(), "lib"]);
    commit_all(&world.repository, "submodule");
    let checked_out = || {
        let worktree = world.prepared();
        git(&worktree.path, ["-c", allow, "submodule", "--quiet", "update", "--init"]);
        worktree
    };
    let clean = checked_out();
    assert_eq!(clean.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    let changed = checked_out();
    write(&changed.path.join("lib/a.txt"), "changed");
    refused(&changed, PLAIN, "'lib'");
    let ahead = checked_out();
    write(&ahead.path.join("lib/a.txt"), "changed");
    git(&ahead.path.join("lib"), ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "-m", "x"]);
    commit_all(&ahead.path, "link to a commit that is nowhere else");
    refused(&ahead, PLAIN, "'lib'");
}

// proves L17
#[test]
fn work_that_cannot_be_saved_is_not_removed() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "precious");
    // The ref cannot be written while another process holds its lock.
    write(&world.repository.join(".git").join(format!("{}.lock", worktree.run.saved_work_ref())), "");
    refused(&worktree, FORCED, "could not be saved");
    assert_eq!(fs::read_to_string(worktree.path.join("a.txt")).unwrap(), "precious");
    assert!(world.lists(&worktree.path));
}
