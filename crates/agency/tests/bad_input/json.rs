//! `--json`: exactly one object on standard output, whatever happens, in the shape that `agency schema` prints.

use agency_model::ErrorCode;
use agency_testkit::{Process, World, wait_for};
use rustix::process::Signal;
use serde_json::Value;
use std::time::Duration;

use super::refusal::{path, run_prompted, says, world};
use super::schema;

/// The command succeeds, prints one object and nothing else, and the object has the shape of that name.
#[track_caller]
fn answers(world: &World, name: &str, arguments: &[&str]) -> Value {
    let output = world.agency(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {output}");
    assert_eq!(output.stderr, "", "{arguments:?}: nothing else is said");
    assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {output}");
    let answer = output.object();
    schema::matches(world, name, &answer);
    answer
}

// proves L19
#[test]
fn a_wrong_command_line_is_answered_with_one_object_too() {
    let (world, _) = world();
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["run", "--frobnicate"],
        &["run", "--host", "screen"],
        &["run", "--prompt", "a", "--prompt-file", "b"],
        &["run", "--max-minutes", "-1"],
        &["show"],
        &["rm"],
        &["rm", "x", "--all-finished"],
        &["ls", "--limit", "many"],
        &["wait", "x", "--timeout", "soon"],
        &["logs", "-f", "x"],
        &["schema", "rum"],
    ] {
        let output = world.agency(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output}");
        assert_eq!((output.stdout.lines().count(), output.stderr.as_str()), (1, ""), "{arguments:?}");
        let answer = output.object();
        assert_eq!(answer["error"]["code"], "E_USAGE", "{arguments:?}: {answer:#}");
        schema::matches(&world, "error", &answer);
    }
}

// proves L18
#[test]
fn a_wrong_command_line_is_answered_to_people_with_its_code() {
    let (world, _) = world();
    let output = world.agency(&["run", "--frobnicate"]);
    assert_eq!((output.status.code(), output.stdout.as_str()), (Some(2), ""), "{output}");
    assert!(output.stderr.contains("--frobnicate") && output.stderr.contains("[E_USAGE]"), "{output}");
}

// proves L19
#[test]
fn a_schema_that_does_not_exist_is_answered_with_the_nearest_one() {
    let (world, _) = world();
    let error = world.error(&["schema", "run-spek"], ErrorCode::Usage);
    says(&error, &["'run-spek'"]);
    assert_eq!(error["hint"], "did you mean run-spec?");
}

// proves L19
#[test]
fn the_commands_about_one_run_answer_with_one_object() {
    let (world, repo) = world();
    world.agent("worker", "echo said; echo complained >&2; echo left > left.txt");
    let fixed = ["run", "--repo", path(&repo), "--host", "detached", "--runner", "worker", "--prompt", "x"];
    let run = answers(&world, "run", &[&fixed[..], &["--input", "README.md", "--name", "it"]].concat());
    let id = run["data"]["id"].as_str().unwrap();
    answers(&world, "wait", &["wait", id]);
    let shown = answers(&world, "show", &["show", id]);
    assert_eq!(shown["data"]["changed_files"][0]["path"], "left.txt");
    answers(&world, "ls", &["ls"]);
    let logs = answers(&world, "logs", &["logs", id, "--stdout"]);
    assert!(logs["data"]["text"].as_str().unwrap().contains("said"), "{logs:#}");
    answers(&world, "diff", &["diff", id]);
    answers(&world, "rm", &["rm", id, "--dry-run"]);
    answers(&world, "rm", &["rm", id]);
    answers(&world, "restore", &["restore", id]);
    let all = answers(&world, "ls", &["ls", "--all"]);
    assert_eq!(all["data"]["runs"].as_array().unwrap().len(), 1);
}

// proves L13, L16, L19
#[test]
fn attaching_and_stopping_answer_with_one_object() {
    let (world, repo) = world();
    world.agent("stubborn", agency_testkit::agent::waiting());
    for host in ["tmux", "detached"] {
        let fixed = ["run", "--repo", path(&repo), "--runner", "stubborn", "--prompt", "x", "--host", host];
        let run = answers(&world, "run", &fixed);
        let id = run["data"]["id"].as_str().unwrap();
        let attach = answers(&world, "attach", &["attach", id]);
        assert!(!attach["data"]["command"].as_array().unwrap().is_empty(), "{attach:#}");
        let stopped = answers(&world, "stop", &["stop", id]);
        assert_eq!(stopped["data"]["state"], "killed");
        answers(&world, "rm-several", &["rm", "--all-finished"]);
    }
}

// proves L19
#[test]
fn the_commands_about_everything_answer_with_one_object() {
    let (world, repo) = world();
    answers(&world, "run-dry-run", &run_prompted(&repo, &["--dry-run", "--input", "README.md"]));
    answers(&world, "run", &run_prompted(&repo, &["--wait"]));
    answers(&world, "doctor", &["doctor"]);
    answers(&world, "reconcile", &["reconcile"]);
    answers(&world, "reconcile", &["reconcile", "--dry-run"]);
    answers(&world, "config-show", &["config", "show", "--origin"]);
    answers(&world, "config-path", &["config", "path"]);
    answers(&world, "completions", &["completions", "bash"]);
    answers(&world, "rm-several", &["rm", "--all-finished", "--older-than", "7d"]);
    answers(&world, "import", &["import", "workmux", "--from", path(&repo), "--dry-run"]);
    let demo = answers(&world, "demo", &["demo"]);
    assert_eq!(demo["data"]["runs"].as_array().unwrap().len(), 3);
}

// proves L19
#[test]
fn serving_answers_with_one_object_when_it_is_ended() {
    let (world, repo) = world();
    world.json(&run_prompted(&repo, &["--wait"]));
    let serving: Process = world.spawn(&["serve", "--json"]);
    // Until it catches the signal, the signal would end it without a word.
    wait_for("the server to catch SIGTERM", Duration::from_secs(20), || catches_term(serving.id()).then_some(()));
    serving.signal(Signal::TERM);
    let output = serving.wait();
    assert!(output.status.success(), "{output}");
    schema::matches(&world, "serve", &output.object());
}

/// Whether the process has a handler for SIGTERM.
fn catches_term(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask >> (15 - 1) & 1 == 1)
}

/// How many fields are described by `true` or `false`, which not every program takes for a schema.
fn boolean_schemas(schema: &Value) -> usize {
    let below = |value: &Value| boolean_schemas(value);
    match schema {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object).into_iter().flatten();
            let own = properties.filter(|(_, field)| field.is_boolean()).count();
            own + fields.values().map(below).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(below).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

// proves L19
#[test]
fn every_schema_is_printed_and_every_answer_has_one() {
    let (world, _) = world();
    let listed = world.json(&["schema"]);
    let names: Vec<&str> =
        listed["data"]["schemas"].as_array().unwrap().iter().map(|schema| schema["name"].as_str().unwrap()).collect();
    for name in &names {
        let printed = world.ok(&["schema", name]).stdout;
        let schema: Value = serde_json::from_str(&printed).unwrap();
        let shaped = ["properties", "oneOf", "items"].iter().any(|key| schema.get(key).is_some());
        assert!(shaped, "{name}: {printed}");
        assert_eq!(boolean_schemas(&schema), 0, "{name}: {printed}");
        assert_eq!(world.json(&["schema", name])["data"], schema, "{name}");
    }
    let verbs = [
        "run",
        "ls",
        "show",
        "logs",
        "event",
        "diff",
        "attach",
        "wait",
        "stop",
        "rm",
        "restore",
        "reconcile",
        "serve",
        "doctor",
        "config-show",
        "config-path",
        "completions",
        "demo",
        "import",
        "error",
    ];
    for verb in verbs {
        assert!(names.contains(&verb), "{verb}");
    }
}
