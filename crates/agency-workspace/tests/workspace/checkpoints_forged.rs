//! What an agent writes at the ref of its checkpoints harms nothing outside of its worktree, and takes no work away.

use std::fs;
use std::path::Path;

use agency_workspace::{CheckpointError, GitWorktree, RemoveOptions, RestoreRequest, RestoredFiles, Workspace};

use crate::checkpoints::{prepared, take};
use crate::world::{World, commit_all, git, git_with_input, try_git, write};

fn restore(worktree: &GitWorktree, number: u32) -> Result<RestoredFiles, CheckpointError> {
    worktree.restore_checkpoint(&RestoreRequest { number, commits: false }, &worktree.run)
}

/// Lets the ref lead to a commit of a tree that looks like a checkpoint.
fn forge(world: &World, worktree: &GitWorktree, number: u32, tree: &str) {
    let message = format!("Checkpoint {number}\n\nRun: {}\nCause: turn\n", worktree.run);
    let commit = world.git(["commit-tree", "-m", &message, "-p", "HEAD", "-p", "HEAD", tree]);
    world.git(["update-ref", "--no-deref", &worktree.run.checkpoints_ref(), &commit]);
}

#[test]
fn a_restore_can_be_taken_back_whatever_number_an_agent_wrote() {
    for forged in [u32::MAX - 1, u32::MAX] {
        let world = World::new();
        let worktree = prepared(&world);
        let file = worktree.path.join("new");
        write(&file, "of the agent\n");
        forge(&world, &worktree, forged, "HEAD^{tree}");
        let restored = restore(&worktree, 0).unwrap();
        assert!(!file.exists(), "{forged}");
        restore(&worktree, restored.before).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "of the agent\n", "{forged}");
        let numbers: Vec<u32> = worktree.checkpoints().unwrap().iter().map(|one| one.number).collect();
        assert!(numbers.is_sorted_by(|one, next| one > next), "{numbers:?}");
    }
}

/// The tree with one entry, whatever its name.
fn tree_of(world: &World, mode: &str, name: &str, object: &str) -> String {
    let id: Vec<u8> =
        (0..object.len() / 2).map(|at| u8::from_str_radix(&object[2 * at..2 * at + 2], 16).unwrap()).collect();
    let content = world.root().join("tree");
    fs::write(&content, [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat()).unwrap();
    world.git(["hash-object", "-t", "tree", "-w", "--literally", content.to_str().unwrap()])
}

#[test]
fn names_that_lead_out_of_the_worktree_are_not_restored() {
    let world = World::new();
    let blob = git_with_input(&world.repository, ["hash-object", "-w", "--stdin"], "evil\n").trim().to_owned();
    let config = tree_of(&world, "100644", "config", &blob);
    let trees = [
        ("..", tree_of(&world, "40000", "..", &config)),
        (".git", tree_of(&world, "40000", ".git", &config)),
        (".GIT", tree_of(&world, "40000", ".GIT", &config)),
        ("a slash", tree_of(&world, "100644", "../escaped", &blob)),
        ("an absolute path", tree_of(&world, "100644", world.root().join("escaped").to_str().unwrap(), &blob)),
        ("inside", tree_of(&world, "40000", "sub", &tree_of(&world, "40000", ".git", &config))),
    ];
    for (what, tree) in trees {
        let worktree = prepared(&world);
        write(&worktree.path.join("new"), "of the agent\n");
        let link = fs::read(worktree.path.join(".git")).unwrap();
        forge(&world, &worktree, 1, &tree);
        let outcome = restore(&worktree, 1);
        assert_eq!(fs::read(worktree.path.join(".git")).unwrap(), link, "{what}");
        assert!(!worktree.path.join("sub/.git").exists(), "{what}");
        assert!(!world.root().join("escaped").exists() && !worktree.path.join("../escaped").exists(), "{what}");
        if outcome.is_err() {
            assert_eq!(fs::read_to_string(worktree.path.join("new")).unwrap(), "of the agent\n", "{what}");
        }
        take(&worktree);
        worktree.checkpoint_sizes().unwrap();
        worktree.remove(RemoveOptions::default()).unwrap();
    }
}

/// Files of a checkpoint are not written through a link that the agent put in the place of their directory.
#[test]
fn a_link_in_the_place_of_a_directory_is_recorded_and_not_followed() {
    let world = World::new();
    let worktree = prepared(&world);
    let outside = world.root().join("outside");
    write(&outside.join("b.txt"), "of the user\n");
    write(&worktree.path.join("dir/b.txt"), "changed\n");
    take(&worktree);
    fs::remove_dir_all(worktree.path.join("dir")).unwrap();
    std::os::unix::fs::symlink(&outside, worktree.path.join("dir")).unwrap();
    write(&worktree.path.join("new"), "as well\n");
    let taken = take(&worktree);
    assert_eq!(taken.complaint, None);
    let tree = taken.checkpoint.unwrap().tree;
    assert_eq!(world.git(["show", &format!("{tree}:dir")]), outside.display().to_string());
    assert_eq!(world.git(["show", &format!("{tree}:new")]), "as well");
    restore(&worktree, 1).unwrap();
    assert!(!worktree.path.join("new").exists());
    assert_eq!(fs::read_to_string(worktree.path.join("dir/b.txt")).unwrap(), "changed\n");
    restore(&worktree, 2).unwrap();
    assert_eq!(fs::read_link(worktree.path.join("dir")).unwrap(), outside);
    restore(&worktree, 0).unwrap();
    assert_eq!(fs::read_to_string(outside.join("b.txt")).unwrap(), "of the user\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_symbolic_ref_to_a_branch_of_the_user_moves_and_deletes_nothing() {
    let world = World::new();
    let head = world.head();
    for commits in [false, true] {
        let worktree = prepared(&world);
        write(&worktree.path.join("new"), "1\n");
        take(&worktree);
        let reference = worktree.run.checkpoints_ref();
        world.git(["symbolic-ref", &reference, "refs/heads/main"]);
        assert!(worktree.checkpoints().unwrap().is_empty());
        let restored = worktree.restore_checkpoint(&RestoreRequest { number: 0, commits }, &worktree.run).unwrap();
        assert_eq!(world.head(), head);
        restore(&worktree, restored.before).unwrap();
        assert_eq!(fs::read_to_string(worktree.path.join("new")).unwrap(), "1\n");
        world.git(["symbolic-ref", &reference, "refs/heads/main"]);
        worktree.remove(RemoveOptions::default()).unwrap();
        assert_eq!(world.head(), head);
        assert!(!world.has(&reference));
    }
}

/// A branch of the run that is a second name for one of the user's does not move with the files.
#[test]
fn a_branch_that_leads_to_one_of_the_user_is_not_moved_with_the_files() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "1\n");
    take(&worktree);
    world.write("users", "1\n");
    commit_all(&world.repository, "of the user");
    let head = world.head();
    world.git(["symbolic-ref", &format!("refs/heads/{}", worktree.branch), "refs/heads/main"]);
    let refused = worktree.restore_checkpoint(&RestoreRequest { number: 0, commits: true }, &worktree.run);
    assert!(matches!(refused, Err(CheckpointError::NotOnBranch { .. })), "{refused:?}");
    assert_eq!(world.head(), head);
}

/// A removal deletes checkpoints, and nothing else that is at their name.
#[test]
fn a_commit_that_an_agent_put_at_the_ref_outlives_the_removal() {
    let world = World::new();
    let worktree = prepared(&world);
    write(&worktree.path.join("new"), "1\n");
    take(&worktree);
    let tree = world.git(["mktree", "--missing"]).trim().to_owned();
    let work = git(&worktree.path, ["commit-tree", "-m", "work of the agent", &tree]);
    world.git(["update-ref", &worktree.run.checkpoints_ref(), &work]);
    let removal = worktree.remove(RemoveOptions::default()).unwrap();
    let holders = world.git(["for-each-ref", "--format=%(refname)", "--contains", &work]);
    assert!(!holders.is_empty(), "{removal:?}");
    assert_eq!(removal.other_refs, holders.lines().collect::<Vec<_>>(), "a removal names what it moved");
    assert!(!world.has(&worktree.run.checkpoints_ref()));
}

/// Where git fails in the middle of a restore, the error names the checkpoint that has every file.
#[test]
fn a_file_that_git_cannot_write_is_named_with_the_checkpoint_that_has_all() {
    let world = World::new();
    world.git(["config", "filter.far.clean", "cat"]);
    let away = world.root().join("away");
    world.git(["config", "filter.far.smudge", &format!("test ! -e '{}' && cat", away.display())]);
    world.git(["config", "filter.far.required", "true"]);
    world.write(".gitattributes", "*.far filter=far\n");
    world.write("one.far", "1\n");
    world.write("two.txt", "1\n");
    commit_all(&world.repository, "with files that a server has");
    let worktree = prepared(&world);
    let path = &worktree.path;
    write(&path.join("one.far"), "2\n");
    write(&path.join("two.txt"), "2\n");
    take(&worktree);
    // As LFS without its server.
    write(&away, "");
    let failed = restore(&worktree, 0).unwrap_err();
    let CheckpointError::Incomplete { files, before, .. } = &failed else { panic!("{failed}") };
    assert!(files.iter().any(|file| file == Path::new("one.far")), "{failed}");
    let before = *before;
    assert!(failed.to_string().contains(&format!("checkpoint {before} has all files")), "{failed}");
    fs::remove_file(&away).unwrap();
    restore(&worktree, 0).unwrap();
    assert_eq!(fs::read_to_string(path.join("one.far")).unwrap(), "1\n");
    restore(&worktree, before).unwrap();
    for name in ["one.far", "two.txt"] {
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "2\n", "{name}");
    }
    assert!(try_git(&world.repository, ["fsck", "--strict"]).0);
}
