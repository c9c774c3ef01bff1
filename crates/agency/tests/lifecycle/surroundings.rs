//! doctor, config, schema, completions, demo.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use agency_testkit::{World, agent};
use serde_json::Value;

use super::{start, text, world};

#[test]
fn doctor_finds_nothing_wrong_in_a_fresh_world_and_names_a_damaged_database() {
    let healthy = world();
    let answer = healthy.json(&["doctor"])["data"].take();
    assert_eq!(answer["healthy"], true, "{answer}");
    let world = world();
    std::fs::create_dir_all(world.agency_home()).unwrap();
    std::fs::write(world.agency_home().join("agency.db"), "this is no database at all").unwrap();
    let output = world.agency(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let checks = output.object()["data"]["checks"].take();
    let database = checks.as_array().unwrap().iter().find(|check| check["name"] == "database").unwrap().clone();
    assert_eq!(database["health"], "problem");
    assert!(database["fix"].is_string());
}

/// A directory that holds nothing but links to these programs.
fn only(world: &World, programs: &[&str]) -> PathBuf {
    let bin = world.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in programs {
        let found = ["/usr/local/bin", "/usr/bin", "/bin"].map(|directory| Path::new(directory).join(program));
        symlink(found.iter().find(|path| path.exists()).unwrap(), bin.join(program)).unwrap();
    }
    bin
}

/// What doctor says of jj where `vcs` is configured and jj says this of itself, or is not there, and its exit code.
fn said_of_jj(vcs: &str, version: Option<&str>) -> (Value, Option<i32>) {
    let world = world();
    world.set("vcs", &format!("{vcs:?}"));
    let bin = only(&world, &["git", "sh", "tmux"]);
    if let Some(version) = version {
        std::fs::write(bin.join("jj"), format!("#!/bin/sh\necho '{version}'\n")).unwrap();
        std::fs::set_permissions(bin.join("jj"), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let output = world.run(world.command(&["doctor", "--json"]).env("PATH", bin));
    let checks = output.object()["data"]["checks"].take();
    let jj = checks.as_array().unwrap().iter().find(|check| check["name"] == "jj").unwrap().clone();
    (jj, output.status.code())
}

#[test]
fn doctor_names_the_jj_that_it_finds() {
    let world = World::with_jj(Path::new(env!("CARGO_BIN_EXE_agency")));
    let checks = world.json(&["doctor"])["data"]["checks"].take();
    let jj = checks.as_array().unwrap().iter().find(|check| check["name"] == "jj").unwrap();
    assert_eq!((&jj["health"], &jj["fix"]), (&"ok".into(), &Value::Null));
    assert!(text(jj, "message").starts_with("jj 0."), "{jj}");
}

#[test]
fn a_missing_jj_is_a_note_unless_it_is_to_make_the_workspaces() {
    for vcs in ["auto", "git"] {
        let (jj, code) = said_of_jj(vcs, None);
        assert_eq!((&jj["health"], code), (&"ok".into(), Some(0)), "{vcs}: {jj}");
        assert!(text(&jj, "message").contains("not installed") && text(&jj, "message").contains("only needed"), "{jj}");
    }
    let (jj, code) = said_of_jj("jj", None);
    assert_eq!((&jj["health"], code), (&"problem".into(), Some(1)), "{jj}");
    assert_eq!(jj["fix"], "install jj 0.40 or newer, or set vcs = \"git\"");
}

#[test]
fn a_jj_that_is_too_old_is_warned_of() {
    for (vcs, health, expected) in [("auto", "warning", 0), ("git", "ok", 0), ("jj", "problem", 1)] {
        let (jj, code) = said_of_jj(vcs, Some("jj 0.39.0"));
        assert_eq!((&jj["health"], code), (&health.into(), Some(expected)), "{vcs}: {jj}");
        assert!(text(&jj, "message").contains("jj 0.39.0 is too old"), "{jj}");
    }
}

#[test]
fn a_session_without_a_run_is_named_and_left_alone() {
    let world = world();
    let stray = "agency_r_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    world.tmux(&["new-session", "-d", "-s", stray, "cat"]);
    let checks = world.json(&["doctor"])["data"]["checks"].to_string();
    assert!(checks.contains(stray), "{checks}");
    let found = world.json(&["reconcile"])["data"]["found"]["sessions"].take();
    assert_eq!(found, Value::from(vec![stray]));
    assert!(world.tmux_sessions().contains(&stray.to_owned()));
}

#[test]
fn config_says_where_each_value_came_from() {
    let world = world();
    world.configure("[limits]\nstop_grace_seconds = 3\n");
    let values = world.json(&["config", "show", "--origin"])["data"]["values"].take();
    let origin = |key: &str| {
        let values = values.as_array().unwrap();
        text(values.iter().find(|value| value["key"] == key).unwrap(), "origin").to_owned()
    };
    assert_eq!(origin("max_agents"), "default");
    assert!(origin("limits.stop_grace_seconds").contains("config.toml:"), "{values}");
}

// proves L19
#[test]
fn every_schema_that_is_listed_is_printed() {
    let world = world();
    let names = world.json(&["schema"])["data"]["schemas"].take();
    for entry in names.as_array().unwrap() {
        let schema = world.ok(&["schema", text(entry, "name")]).stdout;
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let shaped = schema["properties"].is_object() || schema["oneOf"].is_array() || schema["items"].is_object();
        assert!(shaped, "{entry}: {schema}");
    }
}

#[test]
fn completions_know_the_runs() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached"]);
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.ok(&["completions", shell]).stdout.contains("agency"), "{shell}");
    }
    let mut command = world.command(&["--", "agency", "show", "r_"]);
    command.envs([("COMPLETE", "fish")]);
    let offered = world.run(&mut command).stdout;
    assert!(offered.contains(text(&run, "id")), "{offered}");
}

#[test]
fn the_demo_works_without_tmux_and_with_an_empty_home() {
    let world = world();
    let mut command = world.command(&["demo", "--json"]);
    let bin = only(&world, &["git", "sh"]);
    command.env("PATH", &bin).env_remove("AGENCY_CONFIG").env_remove("AGENCY_HOME");
    let output = world.run(&mut command);
    let mut shown = output.object()["data"].take();
    let runs = shown["runs"].take();
    let states: Vec<&str> = runs.as_array().unwrap().iter().map(|run| text(run, "state")).collect();
    assert_eq!(states, ["completed"; 3], "{}", output.stderr);
    assert_eq!(text(&runs[0], "host"), "detached");
    let pair = &shown["forecast"]["pairs"][0];
    assert_eq!((&pair["verdict"], &pair["files"][0]["path"]), (&"conflict".into(), &"README.md".into()), "{pair:#}");
    assert_eq!((&shown["landed"]["target"], &shown["landed"]["already"]), (&"main".into(), &false.into()), "{shown:#}");
    assert_eq!(runs[0]["landed_commit"], shown["landed"]["commit"], "dig-a-cellar landed");
    assert!(!world.root().join("home/.agency/runs").exists(), "it has a home of its own");
    assert_eq!(demos(&world), Vec::<String>::new(), "which it removes");
}

/// The directories of demos that are left.
fn demos(world: &World) -> Vec<String> {
    let left = std::fs::read_dir(world.root().join("tmp")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("agency-demo-")).collect()
}

#[test]
fn the_demo_asks_its_user_and_keeps_what_it_made_only_if_it_is_told_to() {
    let world = world();
    let terminal = world.terminal(&["demo", "--keep"]);
    terminal.wait_for_text("dig-a-cellar asks: may it run `git status --short`?");
    terminal.type_text("d");
    terminal.send_keys(&["Enter"]);
    let screen = terminal.wait_for_text("AGENCY_HOME=");
    assert!(screen.contains("all runs on one screen"), "{screen}");
    assert_eq!(terminal.wait_for_exit(), 0);
    let [kept] = demos(&world).try_into().unwrap();
    let home = world.root().join("tmp").join(kept).join("home");
    let output = world.run(world.command(&["events", "dig-a-cellar", "--json"]).env("AGENCY_HOME", &home));
    assert!(output.stdout.contains("Not allowed, so it is left out: git status --short"), "{output}");
    // Without a terminal it answers itself, and an interruption stops its agents and removes their directory.
    let other = self::world();
    let said = other.ok(&["demo"]);
    assert!(said.stderr.contains("No terminal, so the demo allows it"), "{said}");
    let terminal = other.terminal(&["demo"]);
    terminal.wait_for_text("dig-a-cellar asks");
    terminal.send_keys(&["C-c"]);
    terminal.wait_for_exit();
    assert_eq!(demos(&other), Vec::<String>::new());
}
