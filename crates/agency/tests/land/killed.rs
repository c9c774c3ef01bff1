//! `agency land` is killed at each of its steps; the next one completes the landing, exactly once.

use std::collections::BTreeSet;

use agency_system::fault::POINTS;

use super::{events, finished, on, world};

const STRATEGIES: [&str; 3] = ["merge", "squash", "rebase"];

/// The steps that a landing with a check comes to where the target is checked out.
const STEPS: [&str; 14] = [
    "land.begin",
    "merge.committed",
    "land.committed",
    "merge.made",
    "trial.checked_out",
    "land.checked",
    "land.intended",
    "merge.checked",
    "merge.recorded",
    "merge.updated",
    "merge.moved",
    "land.moved",
    "land.stored",
    "land.recorded",
];

#[test]
fn a_landing_that_is_killed_anywhere_is_completed_once() {
    let (world, repo) = world();
    let witness = world.root().join("witness");
    for (number, step) in STEPS.iter().enumerate() {
        let strategy = STRATEGIES[number % STRATEGIES.len()];
        let file = format!("file-{number}");
        let run = finished(&world, &repo, &format!("echo {step} >{file}"));
        repo.commit_file(&format!("users-{number}"), "meanwhile\n");
        let before: usize = repo.git(&["rev-list", "--count", "--first-parent", "main"]).trim().parse().unwrap();
        let words = ["land", &run.id, "--strategy", strategy, "--check", "git --version", "--json"];
        let mut killed = world.command(&words);
        killed.env("AGENCY_FAULT_POINT", step).env("AGENCY_FAULT_WITNESS", &witness);
        assert_eq!(world.run(&mut killed).status.code(), None, "{step} was not reached");
        let landed = world.agency(&words).object()["data"]["landed"][0].take();
        assert_eq!(landed["target"], "main", "{step}: {landed}");
        assert_eq!(on(&repo, "main", &file).trim(), *step);
        let after: usize = repo.git(&["rev-list", "--count", "--first-parent", "main"]).trim().parse().unwrap();
        assert_eq!(after, before + 1, "{step} by {strategy}");
        assert_eq!(events(&run, &["landed"]), ["landed"], "{step}");
        let shown = world.show(&run);
        assert_eq!(shown["landed_commit"], repo.git(&["rev-parse", "main"]).trim(), "{step}");
        assert_eq!(landed["commit"], shown["landed_commit"], "{step}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{step}");
    }
    let seen = std::fs::read_to_string(&witness).unwrap();
    let seen: BTreeSet<&str> = seen.lines().collect();
    let of_land = POINTS.iter().filter(|point| point.starts_with("land.") || point.starts_with("trial."));
    assert!(of_land.copied().all(|point| seen.contains(point)), "{seen:?}");
}
