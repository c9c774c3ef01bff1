//! A restore brings the files back to what they were, and can itself be taken back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use agency_workspace::{CheckpointError, GitWorktree, RestoreRequest, RestoredFiles, Workspace};

use crate::checkpoints::{prepared, take};
use crate::world::{World, commit_all, executable, git, write};

fn restore(worktree: &GitWorktree, number: u32) -> Result<RestoredFiles, CheckpointError> {
    worktree.restore_checkpoint(&RestoreRequest { number, commits: false }, &worktree.run)
}

/// Every file, directory and link with its mode, except git's own.
fn state(directory: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if metadata.is_dir() {
                directories.push(path.clone());
                vec![]
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (metadata.permissions().mode(), content));
        }
    }
    found
}

#[test]
fn a_restore_is_exact_and_can_be_taken_back() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join(".gitignore"), "target\n");
    write(&path.join("untracked/deep/file"), "1\n");
    write(&path.join("script"), "echo\n");
    symlink("a.txt", path.join("link")).unwrap();
    take(&worktree);
    let then = state(path);
    fs::remove_file(path.join("a.txt")).unwrap();
    fs::remove_dir_all(path.join("untracked")).unwrap();
    write(&path.join("untracked"), "now a file\n");
    executable(&path.join("script"), "echo");
    fs::remove_file(path.join("link")).unwrap();
    symlink("dir", path.join("link")).unwrap();
    write(&path.join("later/and/deeper"), "x\n");
    fs::remove_dir_all(path.join("dir")).unwrap();
    write(&path.join("target/cache"), "ignored\n");
    git(path, ["add", "later"]);
    let index = fs::read(Path::new(&git(path, ["rev-parse", "--absolute-git-dir"])).join("index")).unwrap();
    take(&worktree);
    let now = state(path);
    let restored = restore(&worktree, 1).unwrap();
    assert_eq!((restored.before, restored.after), (2, 3));
    assert_eq!(restored.left_alone, Vec::<PathBuf>::new());
    assert!(restored.changed.len() >= 6, "{:?}", restored.changed);
    let mut expected = then;
    for name in ["target", "target/cache"] {
        expected.insert(path.join(name), now[&path.join(name)].clone());
    }
    assert_eq!(state(path), expected);
    let kept = fs::read(Path::new(&git(path, ["rev-parse", "--absolute-git-dir"])).join("index")).unwrap();
    assert_eq!(kept, index, "the agent's index is its own");
    let back = restore(&worktree, restored.before).unwrap();
    assert_eq!(state(path), now);
    assert_eq!((back.before, back.after), (3, 4));
    assert_eq!(restore(&worktree, 4).unwrap().changed, []);
}

#[test]
fn what_was_not_in_a_checkpoint_yet_is_saved_first() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("one"), "1\n");
    take(&worktree);
    write(&worktree.path.join("one"), "not in any checkpoint\n");
    let restored = restore(&worktree, 0).unwrap();
    assert!(!worktree.path.join("one").exists());
    restore(&worktree, restored.before).unwrap();
    assert_eq!(fs::read_to_string(worktree.path.join("one")).unwrap(), "not in any checkpoint\n");
}

#[test]
fn files_that_no_checkpoint_holds_are_left_alone_and_named() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    for name in ["cache", "build/out", "plain"] {
        write(&path.join(name), "then\n");
    }
    take(&worktree);
    write(&path.join(".gitignore"), "cache\nbuild\n");
    write(&path.join("cache"), "worth much\n");
    fs::remove_dir_all(path.join("build")).unwrap();
    write(&path.join("build"), "a file now\n");
    fs::remove_file(path.join("plain")).unwrap();
    fs::create_dir(path.join("plain")).unwrap();
    write(&path.join("plain/.env"), "secret\n");
    write(&path.join("plain/recorded"), "x\n");
    let restored = restore(&worktree, 1).unwrap();
    let mut left_alone = restored.left_alone;
    left_alone.sort();
    assert_eq!(left_alone, ["build/out", "cache", "plain"].map(PathBuf::from));
    let content = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(
        [content("cache"), content("build"), content("plain/.env")],
        ["worth much\n", "a file now\n", "secret\n"]
    );
    assert!(!path.join("plain/recorded").exists());
    assert!(!path.join(".gitignore").exists());
}

#[test]
fn files_that_a_later_gitignore_names_survive_a_restore_and_its_undo() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join("data.bin"), "then\n");
    write(&path.join("plain"), "then\n");
    take(&worktree);
    write(&path.join(".gitignore"), "*.bin\n/modules/\n");
    write(&path.join("sub/.gitignore"), "out\n");
    for name in ["data.bin", "modules/a/b", "sub/out/x", "later"] {
        write(&path.join(name), "worth much\n");
    }
    let now = state(path);
    let restored = restore(&worktree, 1).unwrap();
    assert_eq!(restored.left_alone, [PathBuf::from("data.bin")]);
    assert!(!path.join("later").exists());
    let back = restore(&worktree, restored.before).unwrap();
    assert_eq!(state(path), now);
    assert_eq!(back.left_alone, Vec::<PathBuf>::new());
    assert_eq!(restore(&worktree, back.after).unwrap().changed, []);
}

#[test]
fn commits_are_restored_with_the_files_only_if_that_is_asked_for() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    let tip = || git(path, ["rev-parse", &format!("refs/heads/{}", worktree.branch)]);
    write(&path.join("one"), "1\n");
    commit_all(path, "one");
    take(&worktree);
    let then = tip();
    write(&path.join("two"), "2\n");
    commit_all(path, "two");
    let now = tip();
    let restored = restore(&worktree, 1).unwrap();
    assert_eq!((tip(), restored.branch), (now.clone(), None));
    assert_eq!(git(path, ["status", "--porcelain"]), " D two");
    restore(&worktree, restored.before).unwrap();
    let request = |number| RestoreRequest { number, commits: true };
    let restored = worktree.restore_checkpoint(&request(1), &worktree.run).unwrap();
    let moved = restored.branch.unwrap();
    assert_eq!((moved.from.as_str(), moved.to.as_str()), (now.as_str(), then.as_str()));
    assert_eq!(tip(), then);
    assert_eq!(git(path, ["status", "--porcelain"]), "");
    worktree.restore_checkpoint(&request(restored.before), &worktree.run).unwrap();
    assert_eq!((tip(), git(path, ["status", "--porcelain"])), (now, String::new()));
    // Commits of the same files.
    git(path, ["commit", "-q", "--allow-empty", "-m", "three"]);
    let empty = tip();
    let restored = worktree.restore_checkpoint(&request(1), &worktree.run).unwrap();
    worktree.restore_checkpoint(&request(restored.before), &worktree.run).unwrap();
    assert_eq!(tip(), empty);
    git(path, ["checkout", "-q", "--detach"]);
    let refused = worktree.restore_checkpoint(&request(1), &worktree.run);
    assert!(matches!(refused, Err(CheckpointError::NotOnBranch { .. })), "{refused:?}");
    assert!(path.join("two").exists());
}

#[test]
fn an_unknown_number_changes_nothing() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("one"), "1\n");
    let missing = restore(&worktree, 1);
    assert_eq!(missing.unwrap_err().to_string(), "there is no checkpoint 1; none was taken yet");
    take(&worktree);
    assert_eq!(restore(&worktree, 2).unwrap_err().to_string(), "there is no checkpoint 2; the last one is 1");
    assert_eq!(worktree.checkpoints().unwrap().len(), 1);
}

#[test]
fn a_directory_that_cannot_be_written_is_reported_and_nothing_is_lost() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join("one"), "1\n");
    take(&worktree);
    write(&path.join("closed/two"), "2\n");
    write(&path.join("one"), "changed\n");
    let set = |mode| fs::set_permissions(path.join("closed"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    let failed = restore(&worktree, 1).unwrap_err();
    assert!(
        matches!(&failed, CheckpointError::Incomplete { before: 2, files, .. } if files == &[PathBuf::from("closed/two")]),
        "{failed}"
    );
    set(0o700);
    restore(&worktree, 1).unwrap();
    assert!(!path.join("closed").exists());
    restore(&worktree, 2).unwrap();
    assert_eq!(fs::read_to_string(path.join("closed/two")).unwrap(), "2\n");
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let world = World::new();
    let worktree = prepared(&world);
    let path = &worktree.path;
    git(path, ["sparse-checkout", "set", "--no-cone", "/a.txt"]);
    write(&path.join("a.txt"), "1\n");
    take(&worktree);
    write(&path.join("a.txt"), "2\n");
    restore(&worktree, 1).unwrap();
    assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "1\n");
    assert!(!path.join("dir/b.txt").exists());
    assert_eq!(git(path, ["status", "--porcelain"]), " M a.txt");
    let refused = worktree.restore_checkpoint(&RestoreRequest { number: 1, commits: true }, &worktree.run);
    assert!(matches!(refused, Err(CheckpointError::Sparse { .. })), "{refused:?}");
}

#[test]
fn a_removal_still_saves_everything_after_a_restore() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("one"), "1\n");
    take(&worktree);
    write(&worktree.path.join("one"), "2\n");
    restore(&worktree, 1).unwrap();
    let saved = worktree.snapshot().unwrap().unwrap();
    assert_eq!(world.git(["show", &format!("{}:one", saved.commit)]), "1");
}
