//! Naming a run: by its id, the beginning of it, or its name.

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};

use super::refusal::{hints, refused, run_prompted, says, world};

/// Every command that takes a run.
const VERBS: &[&str] = &["show", "logs", "events", "diff", "attach", "wait", "stop", "rm", "restore"];

/// Runs with a name, waits for the end and returns the id.
fn named(world: &World, repo: &Repo, name: &str) -> String {
    let run = world.json(&run_prompted(repo, &["--name", name, "--wait"]));
    run["data"]["id"].as_str().unwrap().to_owned()
}

// proves L18
#[test]
fn an_unknown_run_is_answered_by_every_command_alike() {
    let (world, repo) = world();
    named(&world, &repo, "known");
    for verb in VERBS {
        let error = refused(&world, &repo, &[verb, "unknown"], ErrorCode::RunNotFound);
        says(&error, &["'unknown'"]);
        hints(&error, "agency ls --all");
        assert_eq!(error["details"]["run"], "unknown");
    }
}

// proves L18
#[test]
fn no_odd_text_finds_a_run() {
    let (world, repo) = world();
    named(&world, &repo, "known");
    for text in ["", "r_", "%", "_", "r_%", "' OR 1=1 --", "knwo", "r_01ARZ3NDEKTSV4RRFFQ69G5FAV", "r_\u{e9}"] {
        refused(&world, &repo, &["show", text], ErrorCode::RunNotFound);
    }
}

// proves L1
#[test]
fn a_run_is_found_by_its_id_by_a_unique_beginning_and_by_its_name() {
    let (world, repo) = world();
    let (one, two) = (named(&world, &repo, "one"), named(&world, &repo, "two"));
    let common = one.bytes().zip(two.bytes()).take_while(|(a, b)| a == b).count();
    let beginning = &one[..=common];
    let small = beginning.to_lowercase();
    for text in [&one, beginning, &beginning[2..], &small, "one"] {
        assert_eq!(world.json(&["show", text])["data"]["id"], one.as_str(), "{text}");
    }
    assert_eq!(world.json(&["show", "two"])["data"]["id"], two.as_str());
}

// proves L1
#[test]
fn a_beginning_that_several_runs_share_is_answered_with_the_candidates() {
    let (world, repo) = world();
    let (one, two) = (named(&world, &repo, "one"), named(&world, &repo, "two"));
    for verb in VERBS {
        let error = refused(&world, &repo, &[verb, "r_0"], ErrorCode::AmbiguousRun);
        says(&error, &["'r_0'", &one, &two, "one", "two"]);
        hints(&error, "more of the id");
        // The newest one comes first.
        assert_eq!(error["details"]["candidates"], serde_json::json!([two, one]));
    }
}

// proves L1
#[test]
fn a_name_that_several_runs_have_is_answered_with_the_candidates() {
    let (world, repo) = world();
    let (one, two) = (named(&world, &repo, "fix"), named(&world, &repo, "fix"));
    let error = refused(&world, &repo, &["rm", "fix"], ErrorCode::AmbiguousRun);
    says(&error, &["'fix'", &one, &two]);
    assert_eq!(error["details"]["candidates"], serde_json::json!([two, one]));
    // A run that is removed gives its name up.
    world.ok(&["rm", &two]);
    assert_eq!(world.json(&["show", "fix"])["data"]["id"], one.as_str());
    // The last one keeps it.
    world.ok(&["rm", "fix"]);
    refused(&world, &repo, &["show", "fix"], ErrorCode::AmbiguousRun);
}
