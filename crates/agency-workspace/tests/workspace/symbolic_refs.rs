//! An agent makes one of agency's own refs, or its branch, a second name for another ref: that one is never changed.

use std::fs;
use std::path::Path;

use agency_model::ErrorCode;
use agency_workspace::{
    BranchOutcome, DeleteBranch, GitWorktree, MergeError, MergeStrategy, MovedRef, RemoveOptions, Repository,
    Workspace, WorkspaceError, move_old_refs, restore,
};

use crate::hidden_work::{PLAIN, collect_garbage, commit, pipe, still_has};
use crate::merging::{diverged, merged, request};
use crate::world::{World, git, try_git, write};

fn deleting(delete_branch: DeleteBranch) -> RemoveOptions {
    RemoveOptions { delete_branch, force: false }
}

fn make_symbolic(world: &World, name: &str, target: &str) {
    world.git(["symbolic-ref", name, target]);
}

fn is_symbolic(world: &World, name: &str) -> bool {
    try_git(&world.repository, ["symbolic-ref", "--quiet", name]).0
}

/// The user's branch with a commit that is nowhere else, and a worktree whose branch is a second name for it.
fn with_second_name(world: &World) -> (GitWorktree, String) {
    world.git(["checkout", "-q", "-b", "keepme"]);
    let only_here = commit(&world.repository, "not merged");
    world.git(["checkout", "-q", "main"]);
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    make_symbolic(world, &format!("refs/heads/{}", worktree.branch), "refs/heads/keepme");
    git(&worktree.path, ["checkout", "-q", &worktree.branch]);
    (worktree, only_here)
}

#[test]
fn of_a_branch_that_is_a_second_name_only_the_name_is_deleted() {
    for wish in [DeleteBranch::IfMerged, DeleteBranch::Force] {
        let world = World::new();
        let (worktree, only_here) = with_second_name(&world);
        let removal = worktree.remove(deleting(wish)).unwrap();
        assert!(matches!(removal.branch, BranchOutcome::Deleted { .. }));
        assert!(!is_symbolic(&world, &format!("refs/heads/{}", worktree.branch)));
        assert_eq!(world.git(["rev-parse", "refs/heads/keepme"]), only_here);
    }
}

#[test]
fn a_second_name_for_the_branch_does_not_count_as_another_one() {
    let world = World::new();
    let worktree = world.prepared();
    commit(&worktree.path, "only here");
    make_symbolic(&world, "refs/heads/alias", &format!("refs/heads/{}", worktree.branch));
    let error = worktree.remove(deleting(DeleteBranch::IfMerged)).unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchNotMerged { .. }), "{error}");
    assert!(world.has_branch(&worktree.branch));
}

#[test]
fn work_is_saved_at_its_ref_and_not_where_that_leads() {
    for target in ["refs/heads/main", "refs/heads/unborn"] {
        let world = World::new();
        let worktree = world.prepared();
        let saved = worktree.run.saved_work_ref();
        let before = world.git(["rev-parse", "refs/heads/main"]);
        make_symbolic(&world, &saved, target);
        write(&worktree.path.join("new"), "not reviewed\n");
        let removal = worktree.remove(PLAIN).unwrap();
        assert_eq!(removal.saved.unwrap().reference, saved);
        assert_eq!(world.git(["rev-parse", "refs/heads/main"]), before);
        assert!(!world.has_branch("unborn"));
        assert!(!is_symbolic(&world, &saved));
        assert_eq!(world.git(["cat-file", "-p", &format!("{saved}:new")]), "not reviewed");
    }
}

#[test]
fn commits_of_the_worktree_are_saved_beside_a_symbolic_ref() {
    for target in ["refs/heads/main", "refs/heads/unborn", "refs/worktree/x"] {
        let world = World::new();
        let worktree = world.prepared();
        let before = world.git(["rev-parse", "refs/heads/main"]);
        git(&worktree.path, ["checkout", "-q", "--detach"]);
        let left = commit(&worktree.path, "left behind");
        git(&worktree.path, ["checkout", "-q", &worktree.branch]);
        let log = format!("{}-log", worktree.run.saved_work_ref());
        make_symbolic(&world, &log, target);
        worktree.remove(PLAIN).unwrap();
        assert_eq!(world.git(["rev-parse", &format!("{log}.1")]), left);
        assert_eq!(world.git(["rev-parse", "refs/heads/main"]), before);
        assert!(!world.has_branch("unborn"));
    }
}

#[test]
fn the_record_of_a_merge_is_written_at_its_own_ref() {
    for target in ["refs/heads/keepme", "refs/heads/unborn"] {
        let world = World::new();
        let worktree = diverged(&world);
        world.git(["branch", "keepme"]);
        let before = world.git(["rev-parse", "refs/heads/keepme"]);
        let record = format!("refs/agency/merged/{}", worktree.run);
        make_symbolic(&world, &record, target);
        merged(worktree.merge(&request(MergeStrategy::Squash)));
        assert_eq!(world.git(["rev-parse", "refs/heads/keepme"]), before);
        assert!(!world.has_branch("unborn"));
        assert!(!is_symbolic(&world, &record) && world.has(&record));
    }
}

#[test]
fn nothing_is_committed_to_a_branch_that_the_run_s_branch_leads_to() {
    let world = World::new();
    let (worktree, only_here) = with_second_name(&world);
    write(&worktree.path.join("new"), "not reviewed\n");
    let error = worktree.commit_all("all").unwrap_err();
    assert!(matches!(&error, MergeError::OtherBranch { found, .. } if found == "keepme"), "{error}");
    assert_eq!(world.git(["rev-parse", "refs/heads/keepme"]), only_here);
}

#[test]
fn work_is_not_restored_through_a_name_that_leads_elsewhere() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "saved\n");
    worktree.remove(PLAIN).unwrap();
    make_symbolic(&world, "refs/heads/back", "refs/heads/unborn");
    let repository = Repository::open(&world.repository).unwrap();
    let error = restore(&repository, &worktree.run, "back").unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchExists { .. }), "{error}");
    assert!(!world.has_branch("unborn"));
}

#[test]
fn an_old_ref_is_moved_to_its_new_name_and_not_where_that_leads() {
    let world = World::new();
    let worktree = world.worktree();
    let (old, new) = (worktree.run.old_saved_work_ref(), worktree.run.saved_work_ref());
    world.git(["update-ref", &old, "HEAD"]);
    make_symbolic(&world, &new, "refs/heads/unborn");
    assert_eq!(move_old_refs(&world.repository, std::slice::from_ref(&worktree.run)).unwrap(), [MovedRef::Moved]);
    assert!(!world.has_branch("unborn") && !is_symbolic(&world, &new));
    assert_eq!(world.git(["rev-parse", &new]), world.head().to_string());
    // One that only leads to a branch is no saved work, and the branch stays.
    let other = world.worktree();
    make_symbolic(&world, &other.run.old_saved_work_ref(), "refs/heads/main");
    assert_eq!(move_old_refs(&world.repository, std::slice::from_ref(&other.run)).unwrap(), [MovedRef::Missing]);
    assert!(world.has_branch("main"));
}

/// The target of a merge is the user's, who may have two names for it.
#[test]
fn a_merge_follows_a_target_that_is_a_second_name() {
    let world = World::new();
    world.git(["branch", "-m", "main", "trunk"]);
    make_symbolic(&world, "refs/heads/main", "refs/heads/trunk");
    let worktree = world.prepared();
    let done = commit(&worktree.path, "done");
    world.git(["checkout", "-q", "--detach"]);
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert!(try_git(&world.repository, ["merge-base", "--is-ancestor", &done, "refs/heads/trunk"]).0);
    assert!(is_symbolic(&world, "refs/heads/main"));
}

/// Whatever an agent put at the name of the ref gets a name of its own.
#[test]
fn what_is_in_the_way_of_the_saved_work_is_moved_aside() {
    let world = World::new();
    let blob = world.git(["hash-object", "-w", "a.txt"]);
    for suffix in ["", "/x", "/x/y"] {
        let worktree = world.prepared();
        let saved = worktree.run.saved_work_ref();
        world.git(["update-ref", &format!("{saved}{suffix}"), &blob]);
        write(&worktree.path.join("new"), "work\n");
        let removal = worktree.remove(PLAIN).unwrap();
        assert_eq!(world.git(["cat-file", "-p", &format!("{saved}:new")]), "work", "{suffix}");
        assert_eq!(removal.other_refs, [format!("{saved}-odd/1")], "{suffix}");
        assert_eq!(world.git(["rev-parse", &format!("{saved}-odd/1")]), blob);
        assert_eq!(worktree.remove(PLAIN).unwrap().other_refs, removal.other_refs, "{suffix}");
    }
}

#[test]
fn a_ref_to_nothing_is_not_in_the_way_of_the_saved_work() {
    let world = World::new();
    let worktree = world.prepared();
    let saved = worktree.run.saved_work_ref();
    write(&world.repository.join(".git").join(&saved), "1234567890123456789012345678901234567890\n");
    write(&worktree.path.join("new"), "work\n");
    worktree.remove(PLAIN).unwrap();
    assert_eq!(world.git(["cat-file", "-p", &format!("{saved}:new")]), "work");
}

#[test]
fn a_name_below_the_ref_of_the_log_is_not_in_its_way() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    let left = commit(&worktree.path, "left behind");
    git(&worktree.path, ["checkout", "-q", &worktree.branch]);
    let log = format!("{}-log", worktree.run.saved_work_ref());
    world.git(["update-ref", &format!("{log}/x"), "HEAD"]);
    worktree.remove(PLAIN).unwrap();
    assert_eq!(world.git(["rev-parse", &format!("{log}.1")]), left);
}

/// An agent can write anything into a file among the refs, on which git then stops.
#[test]
fn rubbish_in_place_of_the_refs_is_kept_beside_the_saved_work() {
    type Deed = fn(&Path);
    let rubbish: [(&str, Deed); 4] = [
        ("text", |path| write(path, "rubbish\n")),
        ("nothing", |path| write(path, "")),
        ("a pipe", pipe),
        ("text below", |path| write(&path.join("x/y"), "rubbish\n")),
    ];
    for (case, make) in rubbish {
        let world = World::new();
        for suffix in ["", "-log", "-refs"] {
            let worktree = world.prepared();
            let saved = worktree.run.saved_work_ref();
            git(&worktree.path, ["checkout", "-q", "--detach"]);
            let left = commit(&worktree.path, "left behind");
            git(&worktree.path, ["update-ref", "refs/worktree/mine", "HEAD"]);
            git(&worktree.path, ["checkout", "-q", &worktree.branch]);
            write(&worktree.path.join("new"), "work\n");
            make(&world.repository.join(".git").join(format!("{saved}{suffix}")));
            let removal = worktree.remove(PLAIN).unwrap_or_else(|error| panic!("{case} {suffix}: {error}"));
            assert_eq!(world.git(["cat-file", "-p", &format!("{saved}:new")]), "work", "{case}");
            assert_eq!(removal.kept, None, "{case}: the files of the worktree are all saved");
            let odd = removal.kept_refs.unwrap_or_else(|| panic!("{case} {suffix}: nothing is kept"));
            let name = format!("{}{suffix}", worktree.run);
            assert!(odd.join(&name).symlink_metadata().is_ok(), "{case} {suffix}");
            if case == "text" {
                assert_eq!(fs::read_to_string(odd.join(name)).unwrap(), "rubbish\n");
            }
            assert_eq!(worktree.remove(PLAIN).unwrap().saved, removal.saved, "{case}");
            collect_garbage(&world);
            still_has(&world, &left);
        }
    }
}

/// A ref with the name of the directory of the refs keeps git from making any below it.
#[test]
fn a_ref_in_place_of_the_directory_of_refs_is_moved_aside() {
    for name in ["refs/agency", "refs/agency/saved"] {
        for packed in [false, true] {
            let world = World::new();
            let worktree = world.prepared();
            let mine = commit(&worktree.path, "mine");
            git(&worktree.path, ["reset", "-q", "--hard", "HEAD^"]);
            world.git(["update-ref", name, &mine]);
            if packed {
                world.git(["pack-refs", "--all"]);
            }
            write(&worktree.path.join("new"), "work\n");
            let removal = worktree.remove(PLAIN).unwrap_or_else(|error| panic!("{name}, packed {packed}: {error}"));
            let saved = worktree.run.saved_work_ref();
            assert_eq!(world.git(["cat-file", "-p", &format!("{saved}:new")]), "work");
            assert!(removal.kept_refs.is_some(), "{name}: it is said where the ref is");
            let note = fs::read_to_string(removal.kept_refs.unwrap().join(name.replace('/', "-"))).unwrap();
            let aside = note.split_whitespace().nth(1).unwrap();
            assert_eq!(world.git(["rev-parse", aside]), mine, "{name}");
            collect_garbage(&world);
            still_has(&world, &mine);
        }
    }
}

/// Git would make the branch that such a name leads to.
#[test]
fn a_branch_is_not_made_where_a_symbolic_ref_leads_nowhere() {
    let world = World::new();
    let repository = Repository::open(&world.repository).unwrap();
    make_symbolic(&world, "refs/heads/topic", "refs/heads/unborn");
    for name in ["topic", "topic/below"] {
        let error = repository.check_new_branch(name).unwrap_err();
        let expected = if name == "topic" { ErrorCode::BranchExists } else { ErrorCode::WorktreeCreateFailed };
        assert_eq!(error.code(), expected, "{error}");
    }
    let worktree = world.worktree();
    make_symbolic(&world, &format!("refs/heads/{}", worktree.branch), "refs/heads/unborn");
    let error = worktree.prepare().unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchExists { .. }), "{error}");
    assert!(!world.has_branch("unborn") && !worktree.path.exists());
    assert!(is_symbolic(&world, &format!("refs/heads/{}", worktree.branch)));
}

#[test]
fn a_branch_is_not_made_where_a_symbolic_ref_of_a_reftable_leads_nowhere() {
    let world = World::new();
    // Git does not migrate logs.
    fs::remove_dir_all(world.repository.join(".git/logs")).unwrap();
    world.git(["refs", "migrate", "--ref-format=reftable"]);
    let repository = Repository::open(&world.repository).unwrap();
    make_symbolic(&world, "refs/heads/topic", "refs/heads/unborn");
    let error = repository.check_new_branch("topic").unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchExists { .. }), "{error}");
    let worktree = world.worktree();
    make_symbolic(&world, &format!("refs/heads/{}", worktree.branch), "refs/heads/unborn");
    let error = worktree.prepare().unwrap_err();
    assert!(matches!(error, WorkspaceError::BranchExists { .. }), "{error}");
    assert!(!world.has_branch("unborn"));
}
