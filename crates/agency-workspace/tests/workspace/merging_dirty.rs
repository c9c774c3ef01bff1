//! Uncommitted changes in files that a merge touches: nothing is merged until the user says what to do with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_workspace::{
    DirtyCheckout, DirtyFiles, GitWorktree, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Merged,
};

use crate::merging::{merged, request};
use crate::merging_checkouts::worked;
use crate::world::{World, commit_all, git, write};

/// A case: what the user did in the checkout, and the file that is in the way.
type Case = (&'static str, fn(&World), &'static str);

fn stage(world: &World) {
    world.write("a.txt", "mine\n");
    world.git(["add", "a.txt"]);
}

fn stage_and_edit(world: &World) {
    stage(world);
    world.write("a.txt", "mine, again\n");
}

fn delete(world: &World) {
    fs::remove_file(world.repository.join("a.txt")).unwrap();
}

fn hide(world: &World, flag: &str) {
    world.git(["update-index", flag, "a.txt"]);
    world.write("a.txt", "mine\n");
}

fn ignore(world: &World) {
    write(&world.repository.join(".git/info/exclude"), "new\n");
    world.write("new", "mine\n");
}

fn replace_by_directory(world: &World) {
    delete(world);
    world.write("a.txt/inner", "mine\n");
}

const CASES: [Case; 12] = [
    ("modified", |world| world.write("a.txt", "mine\n"), "a.txt"),
    ("staged", stage, "a.txt"),
    ("staged and modified", stage_and_edit, "a.txt"),
    ("deleted", delete, "a.txt"),
    ("deletion staged", |world| drop(world.git(["rm", "-q", "a.txt"])), "a.txt"),
    ("assume-unchanged", |world| hide(world, "--assume-unchanged"), "a.txt"),
    ("skip-worktree", |world| hide(world, "--skip-worktree"), "a.txt"),
    ("untracked", |world| world.write("new", "mine\n"), "new"),
    ("the same, untracked", |world| world.write("new", "new\n"), "new"),
    ("ignored", ignore, "new"),
    ("a directory in place of a new file", |world| world.write("new/inner", "mine\n"), "new/inner"),
    ("a directory in place of a file", replace_by_directory, "a.txt/inner"),
];

/// Every file of a checkout but git's own, with its content.
fn files(checkout: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = vec![];
    let mut open = vec![checkout.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() == ".git" => {}
                true => open.push(entry.path()),
                false => found.push((entry.path(), fs::read(entry.path()).unwrap())),
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn saving() -> MergeRequest {
    MergeRequest { dirty: DirtyFiles::Save { name: "checkout-test".to_owned() }, ..request(MergeStrategy::Merge) }
}

/// Runs a command that was printed.
fn run(command: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
    shell.output().unwrap().status.success()
}

#[test]
fn a_merge_over_changes_of_the_user_is_blocked_and_moves_nothing() {
    for (case, prepare, file) in CASES {
        let world = World::new();
        let worktree = worked(&world);
        // A hook would take its time: it is not run before the question.
        world.hook("pre-merge-commit", "echo it ran >&2; exit 1");
        prepare(&world);
        let before = (files(&world.repository), world.git(["ls-files", "-v", "--stage"]), world.head());
        let outcome = worktree.merge(&request(MergeStrategy::Merge)).unwrap();
        let MergeOutcome::Blocked { target, checkouts } = outcome else { panic!("{case}: {outcome:?}") };
        assert_eq!(target, "main", "{case}");
        let [DirtyCheckout { path, files: named }] = checkouts.as_slice() else { panic!("{case}: {checkouts:?}") };
        assert_eq!(path, &world.repository, "{case}");
        assert!(named.contains(&file.into()), "{case}: {named:?}");
        let after = (files(&world.repository), world.git(["ls-files", "-v", "--stage"]), world.head());
        assert_eq!(after, before, "{case}");
    }
}

#[test]
fn after_a_merge_into_a_checkout_a_plain_commit_keeps_the_merged_files() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("a.txt", "mine\n");
    assert!(matches!(worktree.merge(&request(MergeStrategy::Merge)), Ok(MergeOutcome::Blocked { .. })));
    // The user commits what is in the way, as `retry` asks for, in another file of the same change.
    world.git(["checkout", "-q", "--", "a.txt"]);
    world.write("mine.txt", "mine\n");
    world.git(["add", "mine.txt"]);
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    world.git(["commit", "-q", "-m", "mine"]);
    assert_eq!(world.git(["show", "main:new"]), "new");
    assert_eq!(world.git(["show", "main:mine.txt"]), "mine");
}

#[track_caller]
fn check_saved(case: &str, world: &World, merged: &Merged, worktree_bytes: &[(PathBuf, Vec<u8>)]) {
    let [saved] = merged.saved.as_slice() else { panic!("{case}: {merged:?}") };
    assert_eq!(saved.reference, "refs/agency/saved/checkout-test", "{case}");
    assert_eq!(world.git(["status", "--porcelain"]), "", "{case}");
    assert_eq!(world.head(), merged.commit, "{case}");
    assert_eq!(fs::read_to_string(world.repository.join("new")).unwrap(), "new\n", "{case}");
    for (path, bytes) in worktree_bytes {
        let name = path.strip_prefix(&world.repository).unwrap().to_str().unwrap();
        let kept = git(&world.repository, ["show", &format!("{}:{name}", saved.reference)]);
        assert_eq!(format!("{kept}\n").as_bytes(), bytes, "{case}: {name}");
    }
    // A plain commit does not undo the merge.
    world.write("later.txt", "later\n");
    world.git(["add", "later.txt"]);
    world.git(["commit", "-q", "-m", "later"]);
    assert_eq!(world.git(["show", "main:new"]), "new", "{case}");
}

#[test]
fn changes_in_the_way_are_saved_whole_and_the_merge_is_made() {
    for (case, prepare, _) in CASES {
        let world = World::new();
        let worktree = worked(&world);
        prepare(&world);
        let bytes = files(&world.repository);
        let merged = merged(worktree.merge(&saving()));
        check_saved(case, &world, &merged, &bytes);
        assert!(merged.saved[0].command.starts_with("git -C "), "{}", merged.saved[0].command);
    }
}

#[test]
fn what_was_staged_is_saved_apart_from_what_was_not() {
    let world = World::new();
    let worktree = worked(&world);
    stage_and_edit(&world);
    merged(worktree.merge(&saving()));
    assert_eq!(world.git(["show", "refs/agency/saved/checkout-test:a.txt"]), "mine, again");
    assert_eq!(world.git(["show", "refs/agency/saved/checkout-test^2:a.txt"]), "mine");
}

#[test]
fn other_changes_of_the_user_stay_where_they_are() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("a.txt", "mine\n");
    world.write("dir/b.txt", "mine too\n");
    world.write("staged", "mine too\n");
    world.git(["add", "staged"]);
    world.write("untracked", "mine too\n");
    merged(worktree.merge(&saving()));
    assert_eq!(world.git(["status", "--porcelain"]), " M dir/b.txt\nA  staged\n?? untracked");
}

#[test]
fn the_command_brings_saved_changes_back() {
    let world = World::new();
    let lines: String = (1..20).map(|line| format!("{line}\n")).collect();
    world.write("a.txt", &lines);
    commit_all(&world.repository, "long");
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), &lines.replace("1\n2\n", "one\n2\n"));
    worktree.commit_all("work").unwrap();
    world.write("a.txt", &lines.replace("19\n", "nineteen\n"));
    let merged = merged(worktree.merge(&saving()));
    assert!(run(&merged.saved[0].command), "{}", merged.saved[0].command);
    let found = fs::read_to_string(world.repository.join("a.txt")).unwrap();
    assert!(found.starts_with("one\n") && found.ends_with("nineteen\n"), "{found}");
    assert_eq!(world.git(["status", "--porcelain"]), " M a.txt");
    assert!(world.has(&merged.saved[0].reference), "the ref stays");
}

#[test]
fn the_command_shows_both_sides_of_an_untracked_file() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("new", "mine\n");
    let merged = merged(worktree.merge(&saving()));
    assert!(!run(&merged.saved[0].command), "git reports the conflict");
    let found = fs::read_to_string(world.repository.join("new")).unwrap();
    assert!(found.contains("mine\n") && found.contains("new\n"), "{found}");
}

#[test]
fn a_second_save_under_the_same_name_overwrites_nothing() {
    let world = World::new();
    let first = worked(&world);
    world.write("a.txt", "mine\n");
    merged(first.merge(&saving()));
    let second = world.prepared();
    write(&second.path.join("a.txt"), "another agent\n");
    second.commit_all("work").unwrap();
    world.write("a.txt", "mine, the second\n");
    let merged = merged(second.merge(&saving()));
    let names: Vec<&str> = merged.saved.iter().map(|saved| saved.reference.as_str()).collect();
    assert_eq!(names, ["refs/agency/saved/checkout-test", "refs/agency/saved/checkout-test.2"]);
    assert_eq!(world.git(["show", "refs/agency/saved/checkout-test:a.txt"]), "mine");
    assert_eq!(world.git(["show", "refs/agency/saved/checkout-test.2:a.txt"]), "mine, the second");
}

#[test]
fn a_merge_that_is_refused_after_the_save_puts_the_changes_back() {
    let world = World::new();
    let worktree = worked(&world);
    stage_and_edit(&world);
    world.write("new", "mine\n");
    let refuse = "test \"$1\" = prepared && grep -q refs/heads/main && { echo protected >&2; exit 1; }; exit 0";
    world.hook("reference-transaction", refuse);
    let before = (files(&world.repository), world.git(["status", "--porcelain"]), world.head());
    let error = worktree.merge(&saving()).unwrap_err();
    assert!(matches!(&error, MergeError::NotMoved { .. }) && error.to_string().contains("protected"), "{error}");
    assert_eq!((files(&world.repository), world.git(["status", "--porcelain"]), world.head()), before);
}

#[test]
fn a_repository_in_the_way_is_not_saved_and_not_touched() {
    let world = World::new();
    let worktree = worked(&world);
    git(&world.repository, ["init", "-q", "new"]);
    write(&world.repository.join("new/file"), "mine\n");
    let before = files(&world.repository);
    let error = worktree.merge(&saving()).unwrap_err();
    assert!(matches!(error, MergeError::NotSavable { .. }), "{error}");
    assert_eq!(files(&world.repository), before);
    assert!(!world.has("refs/agency/saved/checkout-test"));
}

#[test]
fn conflicts_that_a_stash_left_are_not_a_question_of_saving() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("dir/b.txt", "stashed\n");
    world.git(["stash", "-q"]);
    world.write("dir/b.txt", "committed\n");
    commit_all(&world.repository, "meanwhile");
    assert!(!crate::world::try_git(&world.repository, ["stash", "apply", "-q"]).0);
    let head = world.head();
    for wish in [request(MergeStrategy::Merge), saving()] {
        let error = worktree.merge(&wish).unwrap_err();
        assert!(matches!(error, MergeError::Unresolved { .. }), "{error}");
    }
    assert_eq!(world.head(), head);
}

/// The user edits a file after the merge was made and before the checkout is updated.
#[test]
fn an_edit_while_the_merge_is_made_is_not_overwritten() {
    let world = World::new();
    let worktree: GitWorktree = worked(&world);
    let edited = world.repository.join("a.txt");
    world.hook("commit-msg", &format!("echo 'edited meanwhile' >'{}'", edited.display()));
    let head = world.head();
    let outcome = worktree.merge(&request(MergeStrategy::Merge)).unwrap();
    assert!(matches!(outcome, MergeOutcome::Blocked { .. }), "{outcome:?}");
    assert_eq!(fs::read_to_string(edited).unwrap(), "edited meanwhile\n");
    assert_eq!(world.head(), head);
}
