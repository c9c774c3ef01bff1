//! Checkouts of the target are brought up to date where nothing of the user's is in the way, and left alone elsewhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use agency_engine::workspace::{BranchWork, CheckoutFate, GitWorktree, MergeError, MergeRequest, MergeStrategy};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, git, try_git, write};

/// A worktree whose branch changes `a.txt` and adds `new`.
fn worked(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "one\nfrom the agent\n");
    write(&worktree.path.join("new"), "new\n");
    worktree.commit_all("work").unwrap();
    worktree
}

/// Runs the commands that are to bring a checkout up to date.
fn obey(commands: &[String]) {
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", command])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

// proves W12
#[test]
fn a_target_that_nobody_has_checked_out_moves_and_no_file_is_touched() {
    let world = World::new();
    world.git(["branch", "release"]);
    world.write("a.txt", "mine, not committed\n");
    let worktree = worked(&world);
    let merged = merged(worktree.merge(&MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) }));
    assert_eq!(merged.checkouts, []);
    assert_eq!(world.git(["show", "release:new"]), "new");
    assert_eq!(world.git(["status", "--porcelain"]), " M a.txt");
    assert!(!world.repository.join("new").exists());
}

// proves W12
#[test]
fn a_checkout_is_brought_up_to_date_and_keeps_changes_that_are_not_in_the_way() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("dir/b.txt", "mine\n");
    world.write("staged", "mine\n");
    world.git(["add", "staged"]);
    world.write("untracked", "mine\n");
    let status = world.git(["status", "--porcelain"]);
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(merged.checkouts, [CheckoutFate::Updated { path: world.repository.clone() }]);
    assert_eq!(fs::read_to_string(world.repository.join("new")).unwrap(), "new\n");
    assert_eq!(world.git(["status", "--porcelain"]), status);
    assert_eq!(
        world.git(["log", "-1", "-g", "--format=%gs", "HEAD"]),
        format!("merge {}: Fast-forward", worktree.branch)
    );
}

// proves W12
#[test]
fn a_linked_checkout_of_the_target_is_brought_up_to_date() {
    let world = World::new();
    let elsewhere = world.root().join("else where");
    world.git(["worktree", "add", "-q", "-b", "release", elsewhere.to_str().unwrap()]);
    let worktree = worked(&world);
    let merged = merged(worktree.merge(&MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Squash) }));
    assert_eq!(merged.checkouts, [CheckoutFate::Updated { path: elsewhere.clone() }]);
    assert_eq!(git(&elsewhere, ["status", "--porcelain"]), "");
    assert!(elsewhere.join("new").exists() && !world.repository.join("new").exists());
}

/// Merges while something of the user's is in the way, and follows the way out.
fn in_the_way(prepare: impl Fn(&World), kept: impl Fn(&World)) {
    let world = World::new();
    let worktree = worked(&world);
    prepare(&world);
    let files = |world: &World| {
        let read = |name: &str| fs::read(world.repository.join(name)).ok();
        (read("a.txt"), read("new"), world.git(["ls-files", "--stage"]))
    };
    let before = files(&world);
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(world.git(["rev-parse", "main"]), merged.commit.as_str());
    assert_eq!(files(&world), before, "nothing there was touched");
    let [CheckoutFate::LeftAlone { path, reason, commands }] = merged.checkouts.as_slice() else {
        panic!("{:?}", merged.checkouts)
    };
    assert_eq!(path, &world.repository);
    assert!(!reason.is_empty());
    let (last, first) = commands.split_last().unwrap();
    obey(first);
    assert_eq!(world.git(["status", "--porcelain"]), "");
    assert_eq!(world.git(["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(world.git(["rev-parse", "HEAD"]), merged.commit.as_str());
    assert!(last.ends_with("stash pop"), "{last}");
    kept(&world);
}

// proves W12
#[test]
fn a_change_that_the_merge_would_overwrite_leaves_the_checkout_alone() {
    let mine = |world: &World| world.git(["show", "stash@{0}:a.txt"]);
    in_the_way(|world| world.write("a.txt", "mine\n"), |world| assert_eq!(mine(world), "mine"));
    let staged = |world: &World| {
        world.write("a.txt", "mine\n");
        world.git(["add", "a.txt"]);
    };
    in_the_way(staged, |world| assert_eq!(mine(world), "mine"));
}

// proves W12
#[test]
fn an_untracked_or_ignored_file_that_the_merge_would_overwrite_is_never_lost() {
    let mine = |world: &World| assert_eq!(world.git(["show", "stash@{0}^3:new"]), "mine");
    in_the_way(|world| world.write("new", "mine\n"), mine);
    let world = World::new();
    let worktree = worked(&world);
    write(&world.repository.join(".git/info/exclude"), "new\n");
    world.write("new", "mine\n");
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert!(matches!(merged.checkouts[0], CheckoutFate::LeftAlone { .. }));
    assert_eq!(fs::read_to_string(world.repository.join("new")).unwrap(), "mine\n");
}

// proves W12
#[test]
fn the_commands_bring_changes_in_the_same_file_together() {
    let world = World::new();
    let lines: String = (1..20).map(|line| format!("{line}\n")).collect();
    world.write("a.txt", &lines);
    commit_all(&world.repository, "long");
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), &lines.replace("1\n2\n", "one\n2\n"));
    worktree.commit_all("work").unwrap();
    world.write("a.txt", &lines.replace("19\n", "nineteen\n"));
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    let [CheckoutFate::LeftAlone { commands, .. }] = merged.checkouts.as_slice() else { panic!() };
    obey(commands);
    let found = fs::read_to_string(world.repository.join("a.txt")).unwrap();
    assert!(found.starts_with("one\n") && found.ends_with("nineteen\n"), "{found}");
    assert_eq!(world.git(["status", "--porcelain"]), " M a.txt");
}

// proves W12
#[test]
fn a_second_checkout_of_the_same_branch_is_named() {
    let world = World::new();
    let second = world.root().join("second");
    world.git(["worktree", "add", "-q", "--force", second.to_str().unwrap(), "main"]);
    let worktree = worked(&world);
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(merged.checkouts[0], CheckoutFate::Updated { path: world.repository.clone() });
    assert!(matches!(&merged.checkouts[1], CheckoutFate::LeftAlone { path, .. } if *path == second));
}

// proves W12
#[test]
fn a_half_done_operation_on_the_target_is_not_pulled_away_from_under_its_user() {
    let world = World::new();
    world.git(["switch", "-q", "-c", "side"]);
    world.write("a.txt", "side\n");
    commit_all(&world.repository, "side");
    world.git(["switch", "-q", "main"]);
    let worktree = worked(&world);
    world.write("a.txt", "main\n");
    commit_all(&world.repository, "main");
    for (words, operation) in
        [(["merge", "side"], "merge"), (["rebase", "side"], "rebase"), (["cherry-pick", "side"], "cherry-pick")]
    {
        assert!(!try_git(&world.repository, words).0);
        let tip = world.git(["rev-parse", "refs/heads/main"]);
        let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
        assert!(matches!(&error, MergeError::TargetInUse { operation: found, .. } if *found == operation), "{error}");
        assert_eq!(world.git(["rev-parse", "refs/heads/main"]), tip);
        world.git([operation, "--abort"]);
    }
}

// proves W12
#[test]
fn another_git_at_work_in_the_checkout_is_waited_for_by_the_user() {
    let world = World::new();
    let worktree = worked(&world);
    let lock = world.repository.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let head = world.head();
    let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
    assert!(matches!(&error, MergeError::CheckoutLocked { .. }) && error.to_string().contains("index.lock"), "{error}");
    assert_eq!(world.head(), head);
    fs::remove_file(&lock).unwrap();
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(world.git(["status", "--porcelain"]), "");
}

// proves W12
#[test]
fn a_branch_whose_ref_is_locked_is_not_moved() {
    let world = World::new();
    world.git(["branch", "release"]);
    let worktree = worked(&world);
    let lock = world.repository.join(".git/refs/heads/release.lock");
    fs::write(&lock, "").unwrap();
    let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    let error = worktree.merge(&wish).unwrap_err();
    assert!(matches!(&error, MergeError::NotMoved { .. }) && error.to_string().contains("release.lock"), "{error}");
    fs::remove_file(&lock).unwrap();
    merged(worktree.merge(&wish));
}

// proves W12
#[test]
fn a_checkout_that_was_deleted_by_hand_or_lost_its_link_is_no_checkout() {
    for lose in [(|path: &Path| fs::remove_dir_all(path).unwrap()) as fn(&Path), |path| {
        fs::remove_file(path.join(".git")).unwrap();
    }] {
        let world = World::new();
        let elsewhere = world.root().join("elsewhere");
        world.git(["worktree", "add", "-q", "-b", "release", elsewhere.to_str().unwrap()]);
        let worktree = worked(&world);
        lose(&elsewhere);
        let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
        assert_eq!(merged(worktree.merge(&wish)).checkouts, []);
        assert_eq!(world.git(["show", "release:new"]), "new");
    }
}
