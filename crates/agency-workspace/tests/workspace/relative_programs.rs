//! A program of the user's settings that is named by a relative path is the one in the user's checkout, not an agent's.

use std::fs;
use std::path::PathBuf;

use agency_workspace::{GitWorktree, MergeStrategy, Workspace};

use crate::merging::{merged, request};
use crate::world::{World, commit_all, executable, git, write};

/// A repository with a filter that makes text loud in its own `tools/loud`, for files `*.up`.
fn with_filter() -> World {
    let world = World::new();
    executable(&world.repository.join("tools/loud"), "exec tr a-z A-Z");
    world.write(".gitattributes", "*.up filter=loud\n");
    world.git(["config", "filter.loud.clean", "./tools/loud"]);
    world.git(["config", "filter.loud.smudge", "tools/loud"]);
    world.git(["config", "filter.loud.required", "true"]);
    commit_all(&world.repository, "a filter");
    world
}

/// Where the agent's program would say that it ran.
fn note(world: &World) -> PathBuf {
    world.root().join("ran")
}

/// A worktree in which the agent has put a program of its own in the place of the filter.
fn hostile(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    executable(&worktree.path.join("tools/loud"), &format!("echo ran >> '{}'; exec cat", note(world).display()));
    write(&worktree.path.join("a.up"), "text\n");
    worktree
}

#[track_caller]
fn did_not_run(world: &World) {
    assert!(!note(world).exists(), "the agent's program ran");
}

#[test]
fn looking_saving_and_committing_run_the_filter_of_the_users_checkout() {
    let world = with_filter();
    let worktree = hostile(&world);
    for _ in 0..2 {
        let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
        assert!(diff.contains("+TEXT"), "{diff}");
    }
    worktree.preview().unwrap();
    worktree.snapshot().unwrap().unwrap();
    let saved = format!("{}:a.up", worktree.run.saved_work_ref());
    assert_eq!(world.git(["cat-file", "-p", &saved]), "TEXT");
    worktree.commit_all("work").unwrap();
    assert_eq!(git(&worktree.path, ["cat-file", "-p", "HEAD:a.up"]), "TEXT");
    did_not_run(&world);
}

#[test]
fn a_worktree_and_a_merge_on_the_work_of_an_agent_run_the_filter_of_the_users_checkout() {
    let world = with_filter();
    let worktree = hostile(&world);
    worktree.commit_all("work").unwrap();
    let base = git(&worktree.path, ["rev-parse", "HEAD"]).parse().unwrap();
    let second = GitWorktree { base, ..world.worktree() };
    second.prepare().unwrap();
    assert_eq!(fs::read_to_string(second.path.join("a.up")).unwrap(), "TEXT\n");
    did_not_run(&world);
    // With a hook, the merge is checked out elsewhere first.
    world.git(["checkout", "-q", "--detach"]);
    world.hook("pre-merge-commit", "test -f a.up");
    merged(worktree.merge(&request(MergeStrategy::Merge)));
    did_not_run(&world);
}

#[test]
fn a_program_that_cannot_be_found_out_is_not_run() {
    let world = with_filter();
    world.git(["config", "filter.loud.clean", "\"$(git rev-parse --show-toplevel)/tools/loud\""]);
    let worktree = hostile(&world);
    let diff = String::from_utf8(worktree.diff().unwrap()).unwrap();
    assert!(diff.contains("+text"), "shown byte for byte: {diff}");
    let error = worktree.commit_all("work").unwrap_err().to_string();
    assert!(error.contains("filter.loud.clean"), "{error}");
    worktree.snapshot().unwrap().unwrap();
    did_not_run(&world);
}

#[test]
fn a_program_that_signs_is_the_one_of_the_users_checkout() {
    let world = with_filter();
    let signed = world.root().join("signed");
    let sign = format!(
        "cat > /dev/null; echo signed >> '{}'; printf '\\n[GNUPG:] SIG_CREATED x\\n' >&2; echo signature",
        signed.display()
    );
    executable(&world.repository.join("tools/sign"), &sign);
    commit_all(&world.repository, "a program");
    world.git(["config", "gpg.program", "tools/sign"]);
    world.git(["config", "commit.gpgSign", "true"]);
    world.git(["config", "user.signingKey", "key"]);
    let worktree = hostile(&world);
    executable(&worktree.path.join("tools/sign"), &format!("echo ran >> '{}'; exit 1", note(&world).display()));
    worktree.commit_all("work").unwrap();
    assert!(signed.exists());
    did_not_run(&world);
}
