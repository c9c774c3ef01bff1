//! The commands of `teardown`: before a worktree is removed, as approved now, and never at the cost of work.

use std::fs;

use agency_model::ErrorCode;

use super::{finished, propose, worktree, world};

#[test]
fn a_teardown_runs_in_the_worktree_before_it_is_removed() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nteardown = [\"pwd >\\\"$AGENCY_RUN_DIR/torn\\\"; echo said\"]\n");
    let run = finished(&world, &repo, "looker");
    let worktree = worktree(&world, &run);
    let planned = world.json(&["rm", "--dry-run", &run.id])["data"].take();
    assert!(planned["notes"].to_string().contains("teardown: pwd"), "{planned}");
    assert!(!run.file("torn").exists());
    let removed = world.json(&["rm", &run.id])["data"].take();
    assert!(removed["notes"].to_string().contains("teardown: pwd"), "{removed}");
    assert_eq!(fs::read_to_string(run.file("torn")).unwrap().trim(), worktree.to_str().unwrap());
    assert!(fs::read_to_string(run.file("teardown.log")).unwrap().ends_with("said\n"));
    assert!(!worktree.exists());
}

#[test]
fn a_teardown_that_fails_keeps_everything_and_can_be_left_out() {
    let (world, repo) = world();
    world.agent("writer", "echo work >work.txt");
    propose(&world, &repo, "[worktree]\nteardown = [\"exit 3\"]\n");
    let run = finished(&world, &repo, "writer");
    let worktree = worktree(&world, &run);
    let error = world.error(&["rm", &run.id], ErrorCode::CleanupFailed);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("teardown: exit 3 failed with code 3") && message.contains("--no-teardown"), "{message}");
    assert_eq!(fs::read_to_string(worktree.join("work.txt")).unwrap(), "work\n");
    assert!(world.show(&run)["removed_at"].is_null());
    let removed = world.json(&["rm", "--no-teardown", &run.id])["data"].take();
    assert!(removed["saved_ref"].is_string() && !worktree.exists(), "{removed}");
}

#[test]
fn a_teardown_that_is_not_approved_any_more_never_runs() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nteardown = [\"touch \\\"$AGENCY_RUN_DIR/torn\\\"\"]\n");
    let (first, second) = (finished(&world, &repo, "looker"), finished(&world, &repo, "looker"));
    repo.write(".agency/project.toml", "[worktree]\nteardown = [\"touch \\\"$AGENCY_RUN_DIR/other\\\"\"]\n");
    let removed = world.json(&["rm", &first.id])["data"].take();
    assert!(removed["notes"].to_string().contains("not approved as it is now"), "{removed}");
    world.ok(&["trust", "revoke", "--repo", repo.path.to_str().unwrap()]);
    world.ok(&["rm", &second.id]);
    for run in [first, second] {
        assert!(!run.file("torn").exists() && !run.file("other").exists() && !run.file("teardown.log").exists());
    }
}

#[test]
fn a_run_without_setup_has_no_teardown() {
    let (world, repo) = world();
    propose(&world, &repo, "[worktree]\nteardown = [\"touch \\\"$AGENCY_RUN_DIR/torn\\\"\"]\n");
    let run = world.begin(&repo, "looker", &["--host", "detached", "--mode", "headless", "--no-setup"]);
    world.ended(&run);
    world.ok(&["rm", &run.id]);
    assert!(!run.file("torn").exists());
}

#[test]
fn gc_executes_the_teardown_and_keeps_a_worktree_whose_teardown_fails() {
    let (world, repo) = world();
    world.configure("\n[gc]\nage = \"0s\"\n");
    propose(
        &world,
        &repo,
        "[worktree]\nteardown = [\"test ! -e \\\"$AGENCY_RUN_DIR/fails\\\"\", \"pwd >\\\"$AGENCY_RUN_DIR/torn\\\"\"]\n",
    );
    let [kept, gone] = [(); 2].map(|()| finished(&world, &repo, "looker"));
    let [kept_tree, gone_tree] = [&kept, &gone].map(|run| worktree(&world, run));
    kept.wait_until_unsupervised();
    gone.wait_until_unsupervised();
    fs::write(kept.file("fails"), "").unwrap();
    let error = world.error(&["gc", "--yes"], ErrorCode::CleanupFailed);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("1 of 2") && message.contains("teardown: test ! -e"), "{message}");
    assert!(kept_tree.is_dir() && !kept.file("torn").exists());
    assert_eq!(fs::read_to_string(gone.file("torn")).unwrap().trim(), gone_tree.to_str().unwrap());
    assert!(!gone_tree.exists());
    fs::remove_file(kept.file("fails")).unwrap();
    world.ok(&["gc", "--yes"]);
    assert!(kept.file("torn").exists() && !kept_tree.exists());
}
