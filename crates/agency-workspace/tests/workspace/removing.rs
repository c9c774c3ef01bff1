//! Removal in all the states in which a crash, a user or an agent can leave a worktree.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::thread;

use agency_workspace::{
    BranchOutcome, CheckpointCause, CheckpointMoment, DeleteBranch, GitWorktree, RemoveOptions, Repository, Workspace,
    WorktreeOutcome, empty_trash, restore,
};

use crate::hidden_work::{PLAIN, collect_garbage, commit, still_has};
use crate::planning::without_parent;
use crate::world::{World, commit_all, git, write};

/// A worktree with work that no branch holds.
fn dirty(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "precious\n");
    worktree
}

/// All of the worktree is gone, and its work can be brought back.
fn gone_and_saved(world: &World, worktree: &GitWorktree) {
    assert!(!worktree.path.exists());
    assert!(!world.lists(&worktree.path));
    assert_eq!(fs::read_dir(world.trash()).map_or(0, Iterator::count), 0);
    assert!(world.has_branch(&worktree.branch));
    let repository = Repository::open(&world.repository).unwrap();
    let branch = format!("back-{}", worktree.run);
    restore(&repository, &worktree.run, &branch).unwrap();
    assert_eq!(world.git(["cat-file", "-p", &format!("{branch}:new")]), "precious");
}

// proves L17
#[test]
fn a_removal_saves_the_work_and_keeps_the_branch() {
    let world = World::new();
    let (worktree, other) = (dirty(&world), dirty(&world));
    let removal = worktree.remove(PLAIN).unwrap();
    assert_eq!(removal.worktree, WorktreeOutcome::Removed);
    assert_eq!(removal.branch, BranchOutcome::Kept { name: worktree.branch.clone(), commit: worktree.base.clone() });
    assert_eq!(removal.saved.as_ref().unwrap().files, 1);
    assert_eq!(removal.leftover, None);
    gone_and_saved(&world, &worktree);
    assert!(other.path.join("new").exists(), "another run is not touched");
    // Once more.
    let again = worktree.remove(PLAIN).unwrap();
    assert_eq!(again.worktree, WorktreeOutcome::AlreadyGone);
    assert_eq!(again.saved, removal.saved);
}

// proves L17
#[test]
fn a_removal_that_was_cut_short_is_completed_from_every_step() {
    let world = World::new();
    let trashed = |worktree: &GitWorktree| {
        fs::create_dir_all(world.trash()).unwrap();
        fs::rename(&worktree.path, world.trash().join(worktree.run.as_str())).unwrap();
    };
    // After the snapshot.
    let saved = dirty(&world);
    saved.snapshot().unwrap();
    assert_eq!(saved.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    gone_and_saved(&world, &saved);
    // After the rename.
    let renamed = dirty(&world);
    renamed.snapshot().unwrap();
    trashed(&renamed);
    let removal = renamed.remove(PLAIN).unwrap();
    assert_eq!(removal.worktree, WorktreeOutcome::Removed);
    assert!(removal.saved.is_some());
    gone_and_saved(&world, &renamed);
    // After git's entry was dropped.
    let unregistered = dirty(&world);
    unregistered.snapshot().unwrap();
    trashed(&unregistered);
    world.git(["worktree", "remove", "--force", unregistered.path.to_str().unwrap()]);
    assert_eq!(unregistered.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    gone_and_saved(&world, &unregistered);
    // After the rename to a name beside it, as across filesystems.
    let beside = dirty(&world);
    beside.snapshot().unwrap();
    let sibling = beside.path.with_file_name(format!(".removed-{}", beside.run));
    fs::rename(&beside.path, &sibling).unwrap();
    assert_eq!(beside.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    assert!(!sibling.exists());
    gone_and_saved(&world, &beside);
}

// proves L17
#[test]
fn worktrees_are_removed_while_others_are_made() {
    let world = World::new();
    let leaving: Vec<GitWorktree> = (0..6).map(|_| dirty(&world)).collect();
    let coming: Vec<GitWorktree> = (0..6).map(|_| world.worktree()).collect();
    thread::scope(|scope| {
        for (old, new) in leaving.iter().zip(&coming) {
            scope.spawn(|| old.remove(PLAIN).unwrap());
            scope.spawn(|| new.prepare().unwrap());
        }
    });
    for (old, new) in leaving.iter().zip(&coming) {
        gone_and_saved(&world, old);
        assert!(new.path.join("a.txt").exists());
        assert!(world.lists(&new.path));
    }
}

#[test]
fn the_trash_is_emptied_of_what_a_crash_left() {
    let world = World::new();
    assert_eq!(empty_trash(&world.trash()).unwrap(), 0);
    write(&world.trash().join("r_one/deep/file"), "x");
    write(&world.trash().join("r_two"), "x");
    fs::set_permissions(world.trash().join("r_one/deep"), fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(empty_trash(&world.trash()).unwrap(), 2);
    assert_eq!(fs::read_dir(world.trash()).unwrap().count(), 0);
}

// proves L17
#[test]
fn a_trash_on_another_filesystem_changes_nothing() {
    let world = World::new();
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let worktree = GitWorktree { trash: elsewhere.path().to_owned(), ..dirty(&world) };
    assert_eq!(worktree.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    gone_and_saved(&world, &worktree);
    assert_eq!(fs::read_dir(worktree.path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn what_was_staged_in_a_directory_that_is_gone_is_saved_from_the_entry() {
    for moved in [false, true] {
        let world = World::new();
        let worktree = world.prepared();
        git(&worktree.path, ["switch", "-q", "--detach", "HEAD"]);
        git(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "on no branch"]);
        let head = git(&worktree.path, ["rev-parse", "HEAD"]);
        write(&worktree.path.join("staged"), "only the index names this\n");
        git(&worktree.path, ["add", "staged"]);
        if moved {
            fs::rename(&worktree.path, world.repository.with_file_name("elsewhere")).unwrap();
        } else {
            fs::remove_dir_all(&worktree.path).unwrap();
        }
        let removal = worktree.remove(PLAIN).unwrap();
        assert_eq!(removal.worktree, WorktreeOutcome::DeletedByHand);
        let saved = removal.saved.unwrap();
        assert_eq!(world.git(["show", &format!("{}:staged", saved.reference)]), "only the index names this");
        world.git(["merge-base", "--is-ancestor", &head, &saved.reference]);
    }
}

#[test]
fn what_only_a_checkpoint_has_is_saved_when_the_directory_is_gone() {
    for pruned in [false, true] {
        let world = World::new();
        let worktree = world.prepared();
        write(&worktree.path.join("staged"), "staged\n");
        git(&worktree.path, ["add", "staged"]);
        write(&worktree.path.join("untracked"), "in no commit\n");
        let moment = CheckpointMoment::of(worktree.run.clone(), CheckpointCause::End);
        assert!(worktree.take_checkpoint(&moment).unwrap().is_new);
        fs::remove_dir_all(&worktree.path).unwrap();
        if pruned {
            world.git(["worktree", "prune"]);
        }
        let removal = worktree.remove(PLAIN).unwrap();
        let saved = removal.saved.unwrap();
        for (name, content) in [("untracked", "in no commit"), ("staged", "staged")] {
            assert_eq!(world.git(["show", &format!("{}:{name}", saved.reference)]), content, "{pruned}");
        }
        assert_eq!(world.git(["for-each-ref", "refs/agency/checkpoints"]), "");
        let again = worktree.remove(PLAIN).unwrap();
        assert_eq!(again.saved.map(|saved| saved.commit), Some(saved.commit), "{pruned}");
    }
}

#[test]
fn a_checkpoint_of_what_is_committed_is_not_saved_again() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x\n");
    let moment = CheckpointMoment::of(worktree.run.clone(), CheckpointCause::End);
    worktree.take_checkpoint(&moment).unwrap();
    commit_all(&worktree.path, "the same");
    fs::remove_dir_all(&worktree.path).unwrap();
    assert_eq!(worktree.remove(PLAIN).unwrap().saved, None);
}

#[test]
fn a_worktree_deleted_by_hand_is_forgotten_and_said_so() {
    let world = World::new();
    let worktree = world.prepared();
    fs::remove_dir_all(&worktree.path).unwrap();
    let removal = worktree.remove(PLAIN).unwrap();
    assert_eq!(removal.worktree, WorktreeOutcome::DeletedByHand);
    assert!(!world.lists(&worktree.path));
    assert!(world.has_branch(&worktree.branch));
}

// proves L17
#[test]
fn a_missing_worktree_of_somebody_else_stays_registered() {
    let world = World::new();
    let (worktree, absent) = (dirty(&world), world.prepared());
    // As on a disk that is not mounted now.
    fs::rename(&absent.path, world.root().join("unmounted")).unwrap();
    worktree.remove(PLAIN).unwrap();
    assert!(world.lists(&absent.path));
    let undone = world.prepared();
    undone.undo().unwrap();
    assert!(world.lists(&absent.path));
}

#[test]
fn a_repository_that_was_moved_and_repaired_lets_its_worktree_go() {
    let mut world = World::new();
    let worktree = dirty(&world);
    let moved = world.root().join("moved");
    fs::rename(&world.repository, &moved).unwrap();
    git(&moved, ["worktree", "repair", worktree.path.to_str().unwrap()]);
    world.repository_moved(&moved);
    assert_eq!(worktree.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    gone_and_saved(&world, &worktree);
}

#[test]
fn a_recorded_path_through_a_symlink_is_the_same_worktree() {
    let world = World::new();
    let real = world.root().join("home");
    fs::create_dir(&real).unwrap();
    let link = world.root().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let through = |worktree: GitWorktree| GitWorktree {
        path: link.join(worktree.path.strip_prefix(&real).unwrap()),
        worktrees_root: link.join("worktrees"),
        ..worktree
    };
    let (present, absent) = (through(world.worktree()), through(world.worktree()));
    present.prepare().unwrap();
    absent.prepare().unwrap();
    fs::remove_dir_all(&absent.path).unwrap();
    assert_eq!(present.remove(PLAIN).unwrap().worktree, WorktreeOutcome::Removed);
    assert_eq!(absent.remove(PLAIN).unwrap().worktree, WorktreeOutcome::DeletedByHand);
    assert_eq!(world.git(["worktree", "list"]).lines().count(), 1);
}

// proves L17
#[test]
fn a_branch_is_deleted_only_as_far_as_wished() {
    let world = World::new();
    let if_merged = RemoveOptions { delete_branch: DeleteBranch::IfMerged, force: false };
    let merged = world.prepared();
    assert!(matches!(merged.remove(if_merged).unwrap().branch, BranchOutcome::Deleted { .. }));
    assert!(!world.has_branch(&merged.branch));

    let ahead = world.prepared();
    write(&ahead.path.join("new"), "x");
    commit_all(&ahead.path, "work");
    let tip = git(&ahead.path, ["rev-parse", "HEAD"]);
    let error = ahead.remove(if_merged).unwrap_err();
    assert!(error.to_string().contains("in no other branch"), "{error}");
    assert!(ahead.path.join("new").exists(), "nothing was removed");
    let forced = RemoveOptions { delete_branch: DeleteBranch::Force, force: false };
    let removal = ahead.remove(forced).unwrap();
    assert_eq!(removal.branch, BranchOutcome::Deleted { name: ahead.branch.clone(), commit: tip.parse().unwrap() });
    assert_eq!(ahead.remove(forced).unwrap().branch, BranchOutcome::Absent);
}

#[test]
fn a_branch_that_the_user_checked_out_is_not_deleted() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    world.git(["checkout", "-q", &worktree.branch]);
    let forced = RemoveOptions { delete_branch: DeleteBranch::Force, force: true };
    let error = worktree.remove(forced).unwrap_err();
    assert!(error.to_string().contains("is checked out in"), "{error}");
    assert!(worktree.path.exists());
}

/// The log of a branch goes with it, and with the log what led to commits that were amended or reset away.
#[test]
fn commits_that_only_the_log_of_a_deleted_branch_has_are_saved() {
    for (earlier, wish) in [(false, DeleteBranch::Force), (true, DeleteBranch::Force), (false, DeleteBranch::IfMerged)]
    {
        let world = World::new();
        let worktree = world.prepared();
        let first = commit(&worktree.path, "to be amended");
        git(&worktree.path, ["commit", "-q", "--amend", "--allow-empty", "-m", "amended"]);
        let second = commit(&worktree.path, "to be reset away");
        git(&worktree.path, ["reset", "-q", "--hard", "HEAD~1"]);
        world.git(["merge", "-q", "--no-edit", &worktree.branch]);
        if earlier {
            // The log of HEAD is gone with the worktree.
            assert_eq!(worktree.remove(PLAIN).unwrap().other_refs, Vec::<String>::new());
        }
        let removal = worktree.remove(RemoveOptions { delete_branch: wish, force: false }).unwrap();
        assert!(matches!(removal.branch, BranchOutcome::Deleted { .. }));
        assert_eq!(removal.other_refs, [format!("{}-log", worktree.run.saved_work_ref())], "{wish:?}");
        collect_garbage(&world);
        still_has(&world, &first);
        still_has(&world, &second);
    }
}

/// The tip goes as the user wished, and nothing else is saved for it.
#[test]
fn a_branch_without_other_commits_is_deleted_without_a_ref() {
    let world = World::new();
    let worktree = world.prepared();
    commit(&worktree.path, "one");
    commit(&worktree.path, "two");
    let removal = worktree.remove(RemoveOptions { delete_branch: DeleteBranch::Force, force: false }).unwrap();
    assert!(matches!(removal.branch, BranchOutcome::Deleted { .. }));
    assert_eq!(removal.other_refs, Vec::<String>::new());
}

#[test]
fn a_log_that_git_cannot_follow_keeps_the_branch_and_by_force_is_kept() {
    let world = World::new();
    let worktree = world.prepared();
    let tip = git(&worktree.path, ["rev-parse", "HEAD"]);
    let broken = without_parent(&worktree.path);
    worktree.remove(PLAIN).unwrap();
    let branch = format!("refs/heads/{}", worktree.branch);
    world.git(["update-ref", "--create-reflog", &branch, &broken]);
    world.git(["update-ref", "--create-reflog", &branch, &tip]);
    let error = worktree.remove(RemoveOptions { delete_branch: DeleteBranch::Force, force: false }).unwrap_err();
    assert!(error.to_string().contains(&broken), "{error}");
    assert!(world.has_branch(&worktree.branch));
    let removal = worktree.remove(RemoveOptions { delete_branch: DeleteBranch::Force, force: true }).unwrap();
    let log = fs::read_to_string(removal.kept_refs.unwrap().join("branch-log")).unwrap();
    assert!(log.contains(&broken) && !world.has_branch(&worktree.branch));
}
