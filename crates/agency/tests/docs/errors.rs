//! `docs/errors.md` against the codes and what the program exits with.
//!
//! The exit code of each code that cannot be provoked here is compared where it is decided: `src/problem/tests.rs`.

use std::collections::BTreeMap;

use agency_model::ErrorCode;
use agency_testkit::agent;
use serde_json::Value;

use super::markdown::{read, rows, section};
use super::program::{schema, world};

/// Each code of the table with its exit code.
fn table() -> BTreeMap<String, i32> {
    let rows = rows(&section(&read("docs/errors.md"), "Every code"));
    let mut table = BTreeMap::new();
    for row in rows {
        assert_eq!(row.len(), 5, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        let twice = table.insert(row[0].trim_matches('`').to_owned(), row[1].parse().unwrap());
        assert_eq!(twice, None, "{} is there twice", row[0]);
    }
    table
}

#[test]
fn the_table_has_every_code_and_no_other() {
    let mut known: Vec<String> = ErrorCode::ALL.iter().map(ToString::to_string).collect();
    known.sort();
    let listed: Vec<String> = table().into_keys().collect();
    assert_eq!(listed, known);
}

#[test]
fn every_exit_code_of_the_table_is_explained() {
    let explained: Vec<String> =
        rows(&section(&read("docs/errors.md"), "Exit codes")).into_iter().map(|row| row[0].clone()).collect();
    for (code, exit) in table() {
        assert!(explained.contains(&exit.to_string()), "{code} exits with {exit}");
    }
}

#[test]
fn the_schema_of_errors_has_the_same_codes() {
    let schema = schema(&world(), "error");
    let codes = schema["properties"]["error"]["properties"]["code"]["enum"].as_array().unwrap();
    let mut codes: Vec<&str> = codes.iter().filter_map(Value::as_str).collect();
    codes.sort_unstable();
    assert!(table().keys().eq(codes), "agency schema error and docs/errors.md differ");
}

#[test]
fn the_program_exits_as_the_table_says() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    repo.write("task.md", "Do nothing\n");
    repo.write("bad.json", "{\"repo\": 5}");
    repo.write("bad.toml", "max_agent = 3\n");
    let path = repo.path.to_str().unwrap();
    let run = ["run", "--repo", path, "--runner", "quiet", "--host", "detached", "--prompt", "x"];
    let run_with = |more: &[&'static str]| [run.as_slice(), more].concat();
    world.ok(&run_with(&["--name", "one", "--wait"]));
    world.ok(&run_with(&["--name", "two", "--wait"]));
    world.ok(&run_with(&["--name", "two", "--wait"]));
    let cases: &[(ErrorCode, Vec<&str>)] = &[
        (ErrorCode::NotGitRepo, vec!["run", "--repo", "/", "--runner", "quiet", "--prompt", "x"]),
        (ErrorCode::BadRef, run_with(&["--base", "no-such-ref"])),
        (ErrorCode::BranchExists, run_with(&["--branch", "main"])),
        (ErrorCode::InvalidPath, run_with(&["--input", "missing"])),
        (ErrorCode::InputNotFile, run_with(&["--input", "src"])),
        (ErrorCode::RunnerNotConfigured, vec!["run", "--repo", path, "--runner", "nobody", "--prompt", "x"]),
        (ErrorCode::RunNotFound, vec!["show", "nobody"]),
        (ErrorCode::AmbiguousRun, vec!["show", "two"]),
        (ErrorCode::InvalidState, vec!["stop", "one"]),
        (ErrorCode::NothingSaved, vec!["restore", "one"]),
        (ErrorCode::Usage, vec!["ls", "--no-such-option"]),
    ];
    let table = table();
    let check = |code: ErrorCode, arguments: &[&str]| {
        world.error(arguments, code);
        let exit = world.agency(arguments).status.code();
        assert_eq!(exit, table.get(code.as_str()).copied(), "{code} by agency {arguments:?}");
    };
    for (code, arguments) in cases {
        check(*code, arguments);
    }
    let file = |name: &str| repo.path.join(name).to_str().unwrap().to_owned();
    check(ErrorCode::InvalidSpec, &["run", "--spec", &file("bad.json")]);
    check(ErrorCode::InvalidConfig, &["ls", "--config", &file("bad.toml")]);
}
