//! What keeps work from landing: conflicts, changes of the user, hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_model::ErrorCode;

use super::{events, finished, on, world};

#[test]
fn a_conflict_names_files_and_kinds_and_changes_nothing() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >README.md; echo new >new.txt");
    let before = repo.commit_file("README.md", "user\n");
    let error = world.error(&["land", &run.id], ErrorCode::MergeConflict);
    assert_eq!(error["details"]["files"][0]["path"], "README.md");
    assert_eq!(error["details"]["files"][0]["kind"], "contents");
    assert_eq!(world.agency(&["land", &run.id]).status.code(), Some(1));
    assert_eq!(repo.git(&["rev-parse", "main"]).trim(), before.trim());
    assert_eq!(run.events().last().unwrap()["files"][0], "README.md");
    assert!(world.show(&run)["landed_at"].is_null());
}

#[test]
fn changes_in_the_checkout_block_and_can_be_saved() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >README.md");
    repo.write("README.md", "mine\n");
    let error = world.error(&["land", &run.id], ErrorCode::CheckoutDirty);
    assert_eq!(error["details"]["checkouts"][0]["files"][0], "README.md");
    assert!(error["hint"].as_str().unwrap().contains("--save-changes"), "{error}");
    assert_eq!(world.agency(&["land", &run.id]).status.code(), Some(4));
    assert_eq!(fs::read_to_string(repo.path.join("README.md")).unwrap(), "mine\n");
    let landed = world.json(&["land", &run.id, "--save-changes"])["data"]["landed"][0].take();
    assert_eq!(fs::read_to_string(repo.path.join("README.md")).unwrap(), "agent\n");
    let command = landed["saved"][0].as_str().unwrap();
    let saved = command.rsplit(' ').next().unwrap();
    assert_eq!(on(&repo, saved, "README.md").trim(), "mine");
}

#[test]
fn on_a_terminal_the_user_chooses_what_happens_to_changes() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >README.md");
    repo.write("README.md", "mine\n");
    let cancelled = world.terminal(&["land", &run.id]);
    cancelled.wait_for_text("[c]ancel?");
    cancelled.type_text("c\r");
    assert_eq!(cancelled.wait_for_exit(), 4);
    let retried = world.terminal(&["land", &run.id]);
    retried.wait_for_text("[c]ancel?");
    repo.git(&["stash", "-q"]);
    retried.type_text("r\r");
    assert_eq!(retried.wait_for_exit(), 0);
    assert_eq!(on(&repo, "main", "README.md").trim(), "agent");
}

#[test]
fn a_hook_that_refuses_keeps_the_target() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo agent >agent.txt");
    let hook = repo.path.join(".git/hooks/pre-merge-commit");
    fs::write(&hook, "#!/bin/sh\necho the hook says no >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let before = repo.git(&["rev-parse", "main"]);
    let error = world.error(&["land", &run.id], ErrorCode::MergeFailed);
    assert!(error["message"].as_str().unwrap().contains("the hook says no"), "{error}");
    assert_eq!(repo.git(&["rev-parse", "main"]), before);
    fs::remove_file(&hook).unwrap();
    world.ok(&["land", &run.id]);
    assert_eq!(events(&run, &["landed", "land_failed"]), ["land_failed", "landed"]);
}
