//! What an agent says is kept, whatever it says.

use std::fs;

use agency_testkit::agent;
use jiff::Timestamp;
use serde_json::Value;

use super::fixture::{HOSTS, MODES, clear_away, how, world};

/// Says each word when the one before is in the log, so that the order is certain.
const ALTERNATING: &str = r#"heard() { until grep -q "$1" "$AGENCY_RUN_DIR/logs/runner.log"; do sleep 0.01; done; }
echo one; heard one; echo two >&2; heard two; echo three; heard three; echo four >&2; exit 5"#;

// proves L12, P7
#[test]
fn the_three_logs_the_markers_and_the_events_tell_the_same_story() {
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        world.agent("alternating", ALTERNATING);
        let run = world.begin(&repo, "alternating", &how(host, mode));
        let ended = world.ended(&run);
        assert_eq!(run.log("runner.stdout.log"), b"one\nthree\n");
        assert_eq!(run.log("runner.stderr.log"), b"two\nfour\n");
        assert_eq!(run.log("runner.log"), b"one\ntwo\nthree\nfour\n");

        assert_eq!(fs::read_to_string(run.file("exit_code.txt")).unwrap(), "5\n");
        let done: Value = serde_json::from_slice(&fs::read(run.file("done.json")).unwrap()).unwrap();
        assert_eq!((&done["state"], &done["exit_code"]), (&"failed".into(), &5.into()));
        assert_eq!(done["reason"], "exited");
        assert_eq!(done["started_at"], ended["started_at"]);
        assert!(time(&done["started_at"]) <= time(&done["ended_at"]), "{done:#}");

        let events = run.events();
        let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let expected =
            ["state_change", "state_change", "attempt", "activity", "activity", "exit", "state_change", "completed"];
        assert_eq!(kinds, expected);
        assert_eq!((&events[5]["exit_code"], &events[7]["state"]), (&5.into(), &"failed".into()));
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L12
#[test]
fn nul_broken_utf_8_and_a_line_without_an_end_are_kept_byte_for_byte() {
    let every_byte: Vec<u8> = (0..=255).collect();
    let octal: String = every_byte.iter().map(|byte| format!("\\{byte:03o}")).collect();
    let rubbish = b"nul \0 here\nbroken \xff\xfe \xc3( here\nno end";
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        world.agent("rubbish", agent::rubbish());
        world.agent("bytes", format!("printf '{octal}'; printf '{octal}' >&2"));
        let run = world.begin(&repo, "rubbish", &how(host, mode));
        assert_eq!(world.ended(&run)["state"], "completed");
        assert_eq!(run.log("runner.stdout.log"), rubbish);
        assert_eq!(run.log("runner.log"), rubbish);
        let bytes = world.begin(&repo, "bytes", &how(host, mode));
        assert_eq!(world.ended(&bytes)["state"], "completed");
        assert_eq!(bytes.log("runner.stdout.log"), every_byte, "{host} {mode}");
        assert_eq!(bytes.log("runner.stderr.log"), every_byte, "{host} {mode}");
        let printed = world.ok(&["logs", "--stdout", &run.id]);
        assert_eq!(printed.stdout, String::from_utf8_lossy(rubbish));
        clear_away(&world, &repo, &[&run, &bytes]);
    }
}

fn time(value: &Value) -> Timestamp {
    value.as_str().unwrap().parse().unwrap()
}

/// The beginning of what a noisy agent says for ever.
fn noise(bytes: usize) -> Vec<u8> {
    let line = b"All work and no play makes an agent dull.\n";
    line.iter().copied().cycle().take(bytes).collect()
}

// proves L12, P7
#[test]
fn no_byte_of_64_megabytes_is_lost_in_a_headless_run() {
    let size = 64 << 20;
    let expected = noise(size);
    for host in HOSTS {
        let (world, repo) = world();
        world.agent("noisy", agent::noisy(size as u64));
        let run = world.begin(&repo, "noisy", &how(host, "headless"));
        assert_eq!(world.ended(&run)["state"], "completed");
        for name in ["runner.stdout.log", "runner.log"] {
            // Not with assert_eq, which would print all of it.
            assert!(run.log(name) == expected, "{host}: {name} differs");
        }
        assert_eq!(run.messages(), Vec::<String>::new());
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L12
#[test]
fn no_byte_is_lost_when_an_interactive_agent_is_noisy() {
    let size = 4 << 20;
    let expected = noise(size);
    for host in HOSTS {
        let (world, repo) = world();
        world.agent("noisy", agent::noisy(size as u64));
        let run = world.begin(&repo, "noisy", &how(host, "interactive"));
        assert_eq!(world.ended(&run)["state"], "completed");
        assert!(run.log("runner.stdout.log") == expected, "{host}: the log differs");
        clear_away(&world, &repo, &[&run]);
    }
}
