//! Checkouts of the target move with it where nothing of the user's is in the way; elsewhere nothing is merged.

use std::fs;
use std::path::{Path, PathBuf};

use agency_workspace::{DirtyCheckout, GitWorktree, MergeError, MergeOutcome, MergeRequest, MergeStrategy, Workspace};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, executable, git, try_git, write};

/// A worktree whose branch changes `a.txt` and adds `new`.
pub(crate) fn worked(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "one\nfrom the agent\n");
    write(&worktree.path.join("new"), "new\n");
    worktree.commit_all("work").unwrap();
    worktree
}

// proves W12
#[test]
fn a_target_that_nobody_has_checked_out_moves_and_no_file_is_touched() {
    let world = World::new();
    world.git(["branch", "release"]);
    world.write("a.txt", "mine, not committed\n");
    let worktree = worked(&world);
    let merged = merged(worktree.merge(&MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) }));
    assert_eq!(merged.checkouts, Vec::<PathBuf>::new());
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
    assert_eq!(merged.checkouts, std::slice::from_ref(&world.repository));
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
    assert_eq!(merged.checkouts, std::slice::from_ref(&elsewhere));
    assert_eq!(git(&elsewhere, ["status", "--porcelain"]), "");
    assert!(elsewhere.join("new").exists() && !world.repository.join("new").exists());
}

// The target checked out more than once: all checkouts move, or none does.
#[test]
fn every_checkout_of_the_target_is_brought_up_to_date_or_none_is() {
    let world = World::new();
    let second = world.root().join("second");
    world.git(["worktree", "add", "-q", "--force", second.to_str().unwrap(), "main"]);
    let worktree = worked(&world);
    write(&second.join("a.txt"), "mine\n");
    let head = world.head();
    let outcome = worktree.merge(&request(MergeStrategy::Merge)).unwrap();
    let MergeOutcome::Blocked { checkouts, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(checkouts, [DirtyCheckout { path: second.clone(), files: vec!["a.txt".into()] }]);
    assert_eq!(world.head(), head);
    assert!(!world.repository.join("new").exists());
    git(&second, ["checkout", "-q", "--", "a.txt"]);
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(merged.checkouts, [world.repository.clone(), second.clone()]);
    for checkout in [&world.repository, &second] {
        assert_eq!(git(checkout, ["status", "--porcelain"]), "");
        assert_eq!(fs::read_to_string(checkout.join("new")).unwrap(), "new\n");
    }
    git(&second, ["commit", "-q", "--allow-empty", "-m", "later"]);
    assert_eq!(world.git(["show", "main:new"]), "new", "a commit there does not undo the merge");
}

// A bare repository: its branches move, and no hook of the agent's worktree is looked for.
#[test]
fn the_target_of_a_bare_repository_moves() {
    let world = World::new();
    let bare = world.root().join("bare.git");
    let linked = world.root().join("linked");
    git(&world.root(), ["clone", "-q", "--bare", world.repository.to_str().unwrap(), bare.to_str().unwrap()]);
    for (key, value) in [("user.name", "Tester"), ("user.email", "t@example.org"), ("core.hooksPath", ".husky")] {
        git(&bare, ["config", key, value]);
    }
    git(&bare, ["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    let worktree = GitWorktree { repository: linked.clone(), ..world.worktree() };
    worktree.prepare().unwrap();
    let witness = world.root().join("witness");
    executable(&worktree.path.join(".husky/pre-merge-commit"), &format!("touch '{}'", witness.display()));
    executable(&worktree.path.join(".husky/pre-commit"), &format!("touch '{}'", witness.display()));
    write(&worktree.path.join("new"), "new\n");
    worktree.commit_all("work").unwrap();
    let merged = merged(worktree.merge(&request(MergeStrategy::Merge)));
    assert_eq!(merged.checkouts, Vec::<PathBuf>::new());
    assert_eq!(git(&bare, ["show", "main:new"]), "new");
    assert!(!witness.exists(), "a hook that the agent wrote ran");
}

// A target that is checked out in the worktree of another run.
#[test]
fn the_worktree_of_another_run_is_not_changed() {
    let world = World::new();
    let other = world.prepared();
    let worktree = worked(&world);
    let wish = MergeRequest { into: other.branch.clone(), ..request(MergeStrategy::Merge) };
    let error = worktree.merge(&wish).unwrap_err();
    assert!(matches!(&error, MergeError::WorktreeOfRun { path, .. } if *path == other.path), "{error}");
    assert_eq!(git(&other.path, ["rev-parse", "HEAD"]), other.base.as_str());
}

// A locked checkout whose directory is away: its index would be behind when it comes back.
#[test]
fn a_locked_checkout_that_is_away_keeps_the_target_where_it_is() {
    let world = World::new();
    let disk = world.root().join("disk");
    world.git(["worktree", "add", "-q", "-b", "release", disk.to_str().unwrap()]);
    world.git(["worktree", "lock", disk.to_str().unwrap()]);
    let worktree = worked(&world);
    let away = world.root().join("away");
    fs::rename(&disk, &away).unwrap();
    let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    let error = worktree.merge(&wish).unwrap_err();
    assert!(matches!(error, MergeError::CheckoutAway { .. }), "{error}");
    fs::rename(&away, &disk).unwrap();
    merged(worktree.merge(&wish));
    assert_eq!(git(&disk, ["status", "--porcelain"]), "");
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
        assert_eq!(merged(worktree.merge(&wish)).checkouts, Vec::<PathBuf>::new());
        assert_eq!(world.git(["show", "release:new"]), "new");
    }
}
