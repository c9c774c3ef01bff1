//! Another program starts the supervisor.

use std::path::Path;

use agency_model::ErrorCode;
use agency_testkit::{World, agent};

use super::fixture::{HOSTS, clear_away, nothing_was_left, world};

/// Configures a wrapper; `agent` writes a program as well as anybody.
fn wrap(world: &World, script: &str) {
    let path = world.agent("wrapper", script);
    world.set("wrapper", &format!("{:?}", path.display().to_string()));
    assert!(Path::new(&path).exists());
}

// proves L12
#[test]
fn a_wrapper_that_ends_up_as_the_supervisor_works_in_both_hosts() {
    for host in HOSTS {
        let (world, repo) = world();
        wrap(&world, "WRAPPED=yes; export WRAPPED\nexec \"$AGENCY_BIN\" supervise \"$1\"");
        world.agent("speaking", "echo \"wrapped: ${WRAPPED:-no}\"; echo \"binary: ${AGENCY_BIN:-none}\"");
        let run = world.begin(&repo, "speaking", &["--host", host]);
        assert_eq!(world.ended(&run)["state"], "completed");
        // The agent gets the caller's environment, not the wrapper's.
        assert_eq!(run.log("runner.stdout.log"), b"wrapped: no\nbinary: none\n");
        clear_away(&world, &repo, &[&run]);
    }
}

#[test]
fn a_wrapper_that_does_not_start_a_supervisor_is_named_and_leaves_nothing() {
    for host in HOSTS {
        let (world, repo) = world();
        wrap(&world, "echo 'I do nothing' >&2");
        world.agent("quiet", agent::quiet());
        let path = repo.path.to_str().unwrap();
        let words = ["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--host", host];
        let error = world.error(&words, ErrorCode::HostStartFailed);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("ended at once"), "{message}");
        // tmux at times loses what a short program said last.
        assert!(host == "tmux" || message.contains("I do nothing"), "{message}");
        assert_eq!(world.show(&world.runs()[0])["state"], "failed");
        nothing_was_left(&world, &repo);
    }
}

/// Issue 17: supervisor death before its report is explained with its log.
#[test]
fn a_supervisor_that_dies_before_its_report_is_explained_with_its_log() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let path = repo.path.to_str().unwrap();
    let words = ["--json", "run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--host", "detached"];
    let output = world.run(world.command(&words).env("AGENCY_FAULT_POINT", "supervise.ordered"));
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let message = answer["error"]["message"].as_str().unwrap();
    let log = world.runs()[0].file("supervisor.log");
    assert!(message.contains("it died before it reported"), "{message}");
    assert!(message.contains("supervisor started"), "{message}");
    assert!(message.ends_with(&format!("Its log is {}", log.display())), "{message}");
}

#[test]
fn a_wrapper_that_is_not_there_is_named_and_leaves_nothing() {
    for host in HOSTS {
        let (world, repo) = world();
        world.set("wrapper", "\"/nowhere/wrapper\"");
        world.agent("quiet", agent::quiet());
        let path = repo.path.to_str().unwrap();
        let words = ["run", "--repo", path, "--runner", "quiet", "--prompt", "x", "--host", host];
        let error = world.error(&words, ErrorCode::HostStartFailed);
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains("log is"), "no file is named that is not there: {error:#}");
        nothing_was_left(&world, &repo);
    }
}
