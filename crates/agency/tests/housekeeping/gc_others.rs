//! Trial trees and checkpoints.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use agency_system::lock::Lock;
use serde_json::Value;

use super::{AT_ONCE, COMMIT, finished, gc, set, world};

fn of<'a>(report: &'a Value, category: &str) -> Vec<&'a Value> {
    report["entries"].as_array().unwrap().iter().filter(|entry| entry["category"] == category).collect()
}

#[test]
fn trial_trees_go_when_they_are_not_used_or_their_repository_is_gone() {
    let (world, repo) = world("\n[gc]\nunused_after = \"3d\"\n");
    let run = finished(&world, &repo, COMMIT);
    world.ok(&["land", &run.id, "--check", "test -e new"]);
    let fingerprint = fs::read_dir(world.agency_home().join("trials")).unwrap().next().unwrap().unwrap().path();
    let place: PathBuf = fs::read_dir(fingerprint).unwrap().next().unwrap().unwrap().path();
    assert!(place.join("tree/new").exists());
    let decided = |options: &[&str]| {
        let report = gc(&world, options);
        let [entry] = of(&report, "trial")[..] else { panic!("{report:#}") };
        (entry["action"].as_str().unwrap().to_owned(), entry["why"].as_str().unwrap().to_owned())
    };
    let (action, why) = decided(&["--yes"]);
    assert!(action == "keep" && why.contains("stays for 3d"), "{why}");
    set(&world, "unused_after", "0s");
    let lock = Lock::take(&place.join("lock"), Duration::ZERO).unwrap().unwrap();
    assert_eq!(decided(&["--yes"]), ("keep".to_owned(), "it is in use".to_owned()));
    drop(lock);
    set(&world, "unused_after", "3d");
    fs::rename(&repo.path, world.root().join("moved")).unwrap();
    let (action, why) = decided(&["--dry-run"]);
    assert!(action == "remove" && why.contains("is gone"), "{why}");
    fs::rename(world.root().join("moved"), &repo.path).unwrap();
    set(&world, "unused_after", "0s");
    assert_eq!(decided(&["--yes"]).0, "removed");
    assert!(!place.join("tree").exists() && !place.join("private").exists() && place.join("lock").exists());
    assert!(of(&gc(&world, &["--yes"]), "trial").is_empty());
    let second = finished(&world, &repo, "echo y >second");
    world.ok(&["land", &second.id, "--check", "test -e second && test -e new"]);
}

#[test]
fn checkpoints_of_removed_runs_go_unless_they_hold_commits() {
    let (world, repo) = world(AT_ONCE);
    let script =
        "git checkout -q --detach; echo x >new; git add new; git commit -qm w; git checkout -q -; echo y >other";
    let (plain, holding) = (finished(&world, &repo, "echo y >other"), finished(&world, &repo, COMMIT));
    let lost = finished(&world, &repo, script);
    let reference = |id: &str| format!("refs/agency/checkpoints/{id}");
    let saved: Vec<String> =
        [&plain, &holding].iter().map(|run| repo.git(&["rev-parse", &reference(&run.id)])).collect();
    assert!(of(&gc(&world, &["--dry-run"]), "checkpoints").is_empty(), "the worktrees are there");
    for run in [&plain, &holding, &lost] {
        world.ok(&["rm", &run.id]);
    }
    // As a version left them that did not delete them.
    for (run, commit) in [&plain, &holding].iter().zip(&saved) {
        repo.git(&["update-ref", &reference(&run.id), commit]);
    }
    repo.git(&["branch", "-qD", &format!("agency/{}", holding.id)]);
    let report = gc(&world, &["--yes"]);
    let action = |id: &str| {
        let of_run = |entry: &&&Value| entry["reference"] == reference(id).as_str();
        of(&report, "checkpoints").iter().find(of_run).map(|entry| entry["action"].as_str().unwrap().to_owned())
    };
    assert_eq!(action(&plain.id).as_deref(), Some("removed"), "{report:#}");
    assert_eq!(action(&holding.id).as_deref(), Some("keep"), "{report:#}");
    assert_eq!(repo.git(&["for-each-ref", "--format=%(refname)", "refs/agency/checkpoints"]), reference(&holding.id));
    let saved_refs = repo.git(&["for-each-ref", "--format=%(refname)", "refs/agency/saved"]);
    assert!(saved_refs.contains(&plain.id) && saved_refs.contains(&lost.id), "{saved_refs}");
    set(&world, "unused_after", "3d");
    let why = of(&gc(&world, &["--dry-run"]), "checkpoints")[0]["why"].as_str().unwrap().to_owned();
    assert!(why.contains("stays for 3d"), "{why}");
}
