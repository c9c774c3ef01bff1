//! Hooks run for a merge as they would for a person, and the target moves only if they agree.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_workspace::{GitWorktree, MergeError, MergeRequest, MergeStrategy};

use crate::merging::{merged, request};
use crate::world::{World, git, write};

/// A hook that notes how it was called.
fn noting(world: &World, hook: &str, more: &str) {
    let log = world.root().join("hooks");
    world.hook(hook, &format!("echo \"{hook} ${{2:-}}\" >>'{}'\n{more}", log.display()));
}

fn noted(world: &World) -> Vec<String> {
    let log = fs::read_to_string(world.root().join("hooks")).unwrap_or_default();
    log.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn worked(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "new\n");
    git(&worktree.path, ["add", "new"]);
    git(&worktree.path, ["commit", "-q", "--no-verify", "-m", "work"]);
    worktree
}

const ALL: [&str; 7] =
    ["pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-merge", "pre-rebase"];

// proves W10
#[test]
fn each_strategy_runs_the_hooks_that_git_runs_for_it() {
    let merge = ["pre-merge-commit", "prepare-commit-msg merge", "commit-msg", "post-merge"].as_slice();
    let squash = ["pre-commit", "prepare-commit-msg squash", "commit-msg", "post-merge", "post-commit"].as_slice();
    for (strategy, wanted) in [(MergeStrategy::Merge, merge), (MergeStrategy::Squash, squash)] {
        let world = World::new();
        let worktree = worked(&world);
        ALL.iter().for_each(|hook| noting(&world, hook, ""));
        merged(worktree.merge(&request(strategy)));
        assert_eq!(noted(&world), wanted, "{strategy:?}");
    }
    let world = World::new();
    let worktree = worked(&world);
    ALL.iter().for_each(|hook| noting(&world, hook, ""));
    merged(worktree.merge(&request(MergeStrategy::Rebase)));
    assert_eq!(noted(&world), [format!("pre-rebase {}", worktree.branch), "post-merge".to_owned()]);
}

// proves W10
#[test]
fn a_hook_sees_the_files_of_the_merge_and_may_change_what_is_committed() {
    let world = World::new();
    let worktree = worked(&world);
    world.write("only on main", "x\n");
    world.git(["add", "-A"]);
    world.git(["commit", "-q", "-m", "meanwhile"]);
    world.git(["branch", "release"]);
    world.git(["switch", "-q", "-c", "elsewhere", "main~1"]);
    world.hook("pre-merge-commit", "test -f new && test -f 'only on main' && echo built >built && git add built");
    world.hook("commit-msg", "git diff --cached --name-only HEAD >/dev/null && echo checked >>\"$1\"");
    let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    merged(worktree.merge(&wish));
    assert_eq!(world.git(["show", "release:built"]), "built");
    assert_eq!(world.git(["log", "-1", "--format=%B", "release"]), "the merge\nchecked");
    assert_eq!(world.git(["status", "--porcelain"]), "", "nothing of the hook's is in the user's files");
    let parent = worktree.path.parent().unwrap();
    assert_eq!(fs::read_dir(parent).unwrap().count(), 1, "only the worktree is there");
    assert_eq!(world.git(["worktree", "list"]).lines().count(), 2);
}

// proves W10
#[test]
fn a_hook_that_refuses_keeps_the_target_where_it_was_and_says_why() {
    for hook in ["pre-merge-commit", "prepare-commit-msg", "commit-msg"] {
        let world = World::new();
        let worktree = worked(&world);
        let head = world.head();
        world.hook(hook, "echo 'not on a friday' >&2; exit 1");
        let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
        assert!(matches!(&error, MergeError::HookRefused { hook: found, .. } if *found == hook), "{error}");
        assert!(error.to_string().contains("not on a friday"), "{error}");
        assert_eq!(world.head(), head);
        assert_eq!(world.git(["status", "--porcelain"]), "");
        fs::remove_file(world.repository.join(".git/hooks").join(hook)).unwrap();
        merged(worktree.merge(&request(MergeStrategy::Merge)));
    }
}

// proves W10
#[test]
fn a_reference_hook_that_refuses_leaves_branch_and_files_as_they_were() {
    let world = World::new();
    let worktree = worked(&world);
    let refuse = "test \"$1\" = prepared && grep -q refs/heads/main && { echo protected >&2; exit 1; }; exit 0";
    world.hook("reference-transaction", refuse);
    let head = world.head();
    let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
    assert!(matches!(&error, MergeError::NotMoved { .. }) && error.to_string().contains("protected"), "{error}");
    assert_eq!(world.head(), head);
    assert_eq!(world.git(["status", "--porcelain"]), "");
    assert!(!world.repository.join("new").exists());
}

// proves W10
#[test]
fn a_target_that_moves_meanwhile_is_merged_with_what_is_new() {
    for into in ["main", "release"] {
        let world = World::new();
        world.git(["branch", "release"]);
        let worktree = worked(&world);
        // The first time that the message is checked, somebody else commits to the target.
        let common = world.repository.join(".git");
        let script = format!(
            "unset GIT_INDEX_FILE; cd '{}'; test -e '{}' && exit 0; touch '{}'\n\
             new=$(git commit-tree -p {into} -m 'somebody else' {into}^{{tree}}) && git update-ref refs/heads/{into} $new",
            world.repository.display(),
            common.join("moved").display(),
            common.join("moved").display(),
        );
        world.hook("commit-msg", &script);
        let wish = MergeRequest { into: into.to_owned(), ..request(MergeStrategy::Squash) };
        merged(worktree.merge(&wish));
        assert_eq!(world.git(["log", "--format=%s", "-2", into]), "the merge\nsomebody else", "{into}");
        assert_eq!(world.git(["status", "--porcelain"]), "", "{into}");
    }
}

// proves W10
#[test]
fn a_target_that_never_rests_is_given_up() {
    let world = World::new();
    world.git(["branch", "release"]);
    let worktree = worked(&world);
    let script = "new=$(git commit-tree -p release -m again release^{tree}) && git update-ref refs/heads/release $new";
    world.hook("commit-msg", script);
    let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    assert!(matches!(worktree.merge(&wish), Err(MergeError::KeepsMoving { .. })));
}

// proves W10
#[test]
fn a_target_that_is_deleted_meanwhile_is_named() {
    let world = World::new();
    world.git(["branch", "release"]);
    let worktree = worked(&world);
    world.hook("commit-msg", "git update-ref -d refs/heads/release");
    let wish = MergeRequest { into: "release".to_owned(), ..request(MergeStrategy::Merge) };
    assert!(matches!(worktree.merge(&wish), Err(MergeError::TargetMissing { .. })));
}

// proves W10
#[test]
fn hooks_of_a_path_beside_the_repository_run_too() {
    let world = World::new();
    let worktree = worked(&world);
    world.git(["config", "core.hooksPath", "my hooks"]);
    let path = world.repository.join("my hooks/pre-merge-commit");
    write(&path, "#!/bin/sh\necho no >&2\nexit 1\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let error = worktree.merge(&request(MergeStrategy::Merge)).unwrap_err();
    assert!(matches!(error, MergeError::HookRefused { hook: "pre-merge-commit", .. }), "{error}");
}

// proves W10
#[test]
fn a_program_that_a_hook_leaves_behind_does_not_hold_the_merge() {
    let world = World::new();
    let worktree = worked(&world);
    let fifo = world.root().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    world.hook("commit-msg", &format!("cat '{}' &", fifo.display()));
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    // Whoever reads the pipe ends with its last writer.
    drop(fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap());
}

#[test]
fn hooks_that_come_with_a_merge_do_not_run_for_it() {
    for strategy in [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase] {
        let world = World::new();
        world.git(["config", "core.hooksPath", ".husky"]);
        let worktree = worked(&world);
        let ran = world.root().join("ran");
        for hook in ALL {
            let path = worktree.path.join(".husky").join(hook);
            write(&path, &format!("#!/bin/sh\necho {hook} >>'{}'\n", ran.display()));
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        git(&worktree.path, ["add", "-A"]);
        git(&worktree.path, ["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "hooks"]);
        merged(worktree.merge(&request(strategy)));
        assert!(world.repository.join(".husky/post-commit").exists());
        assert!(!ran.exists(), "{strategy:?}: {}", fs::read_to_string(&ran).unwrap());
    }
}
