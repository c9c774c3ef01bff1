//! Configuration files: their mistakes, and which of them is read.

use std::fs;
use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_testkit::World;
use serde_json::Value;

use super::refusal::{answers, hints, refused, run_prompted, says, world};

/// Writes a file beside the world's own configuration.
fn file(world: &World, name: &str, text: &str) -> PathBuf {
    let path = world.root().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// The value of a key, and where it came from.
fn value(answer: &Value, key: &str) -> (Value, String) {
    let values = answer["data"]["values"].as_array().unwrap();
    let found = values.iter().find(|value| value["key"] == key).unwrap();
    (found["value"].clone(), found["origin"].as_str().unwrap().to_owned())
}

// proves L14
#[test]
fn an_unknown_key_stops_a_run_and_is_named_with_its_line_and_the_nearest_key() {
    let (world, repo) = world();
    let config = file(&world, "typo.toml", "# comment\n\nmax_agent = 3\n");
    let config = config.to_str().unwrap();
    let arguments = run_prompted(&repo, &["--config", config]);
    let error = refused(&world, &repo, &arguments, ErrorCode::InvalidConfig);
    says(&error, &[&format!("{config}:3:1"), "`max_agent`", "did you mean `max_agents`?"]);
    hints(&error, "agency schema config");
    assert_eq!(error["details"]["file"], config);
    assert_eq!((&error["details"]["line"], &error["details"]["column"]), (&3.into(), &1.into()));
}

// proves L14
#[test]
fn every_command_that_reads_the_configuration_refuses_a_wrong_one() {
    let (world, _) = world();
    let config = file(&world, "wrong.toml", "host = \"screen\"\n");
    let config = config.to_str().unwrap();
    for arguments in [&["ls"][..], &["doctor"], &["config", "show"], &["reconcile"], &["show", "x"]] {
        let arguments = [arguments, &["--config", config]].concat();
        let error = answers(&world, || world.command(&arguments), ErrorCode::InvalidConfig);
        says(&error, &["`host`", "\"tmux\" or \"detached\""]);
        assert_eq!(error["details"]["line"], 1);
    }
}

// proves L14
#[test]
fn mistakes_of_every_kind_are_placed() {
    let (world, _) = world();
    let cases = [
        ("a.toml", "max_agents = \n", 1, ""),
        ("b.toml", "max_agents = 0\n", 1, "a whole number from 1"),
        ("c.toml", "\n[agents.mine]\nargs = []\n", 2, "needs a `command`"),
        ("d.toml", "default_agent = \"claud_code\"\n", 1, "did you mean `claude_code`?"),
        ("e.json", "{\n \"max_agents\": 1,\n \"max_agents\": 2\n}", 3, "duplicate key"),
        ("f.json", "{\n \"hots\": \"tmux\"}", 2, "did you mean `host`?"),
        ("g.json", "[]", 1, "table of settings"),
    ];
    for (name, text, line, words) in cases {
        let config = file(&world, name, text);
        let command = || world.command(&["config", "show", "--config", config.to_str().unwrap()]);
        let error = answers(&world, command, ErrorCode::InvalidConfig);
        says(&error, &[name, words]);
        assert_eq!(error["details"]["line"], line, "{error:#}");
    }
}

// proves L14
#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let (world, _) = world();
    let config = file(&world, "wrong.toml", "max_agent = 3\nhost = 'screen'\n[agents.mine]\nenv.TOKEN = 5\n");
    let command = || world.command(&["config", "show", "--config", config.to_str().unwrap()]);
    let error = answers(&world, command, ErrorCode::InvalidConfig);
    says(
        &error,
        &["wrong.toml:1:1: `max_agent`", "wrong.toml:2:8: `host`", "wrong.toml:4:13: `agents.mine.env.TOKEN`"],
    );
    let details = &error["details"];
    assert_eq!((&details["line"], &details["column"]), (&1.into(), &1.into()));
    assert_eq!(details["mistakes"].as_array().unwrap().len(), 3, "{error:#}");
    assert_eq!(details["mistakes"][1]["key"], "host");
}

// proves L14
#[test]
fn a_file_that_is_named_has_to_be_there() {
    let (world, _) = world();
    let named = |variable: &'static str| {
        let mut command = world.command(&["config", "show"]);
        command.env_remove("AGENCY_CONFIG").env(variable, "/nowhere/config.toml");
        command
    };
    let flag = || world.command(&["config", "show", "--config", "/nowhere/config.toml"]);
    let error = answers(&world, flag, ErrorCode::InvalidConfig);
    says(&error, &["/nowhere/config.toml", "--config names this file", "does not exist"]);
    for variable in ["AGENCY_CONFIG", "agency_CONFIG"] {
        let error = answers(&world, || named(variable), ErrorCode::InvalidConfig);
        says(&error, &["/nowhere/config.toml", &format!("${variable} names this file")]);
    }
}

// proves L14
#[test]
fn the_flag_wins_over_the_variable_in_capitals_and_that_over_the_one_in_small_letters() {
    let (world, _) = world();
    let [flag, capital, small] =
        [1, 2, 3].map(|agents| file(&world, &format!("{agents}.toml"), &format!("max_agents = {agents}\n")));
    let shown = |with: &[(&str, &PathBuf)]| {
        let mut command = world.command(&["config", "show", "--json"]);
        command.env_remove("AGENCY_CONFIG");
        for (name, path) in with {
            match *name {
                "--config" => command.arg(name).arg(path),
                variable => command.env(variable, path),
            };
        }
        value(&world.run(&mut command).object(), "max_agents")
    };
    let all = [("--config", &flag), ("AGENCY_CONFIG", &capital), ("agency_CONFIG", &small)];
    assert_eq!(shown(&all), (1.into(), format!("{}:1", flag.display())));
    assert_eq!(shown(&all[1..]), (2.into(), format!("{}:1", capital.display())));
    assert_eq!(shown(&all[2..]), (3.into(), format!("{}:1", small.display())));
    assert_eq!(shown(&[]), (8.into(), "default".to_owned()));
}

// proves L14
#[test]
fn an_empty_variable_names_no_file() {
    let (world, _) = world();
    let small = file(&world, "small.toml", "max_agents = 3\n");
    let mut command = world.command(&["config", "show", "--json"]);
    command.env("AGENCY_CONFIG", "").env("agency_CONFIG", &small);
    assert_eq!(value(&world.run(&mut command).object(), "max_agents").0, 3);
}

// proves L14
#[test]
fn the_platform_place_is_read_where_nothing_is_named() {
    let (world, _) = world();
    let place = world.root().join("home/.config/agency");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("config.toml"), "max_agents = 4\n").unwrap();
    let mut command = world.command(&["config", "show", "--json"]);
    command.env_remove("AGENCY_CONFIG");
    let (agents, origin) = value(&world.run(&mut command).object(), "max_agents");
    assert_eq!((agents, origin), (4.into(), format!("{}:1", place.join("config.toml").display())));
}

// proves L14
#[test]
fn a_json_file_configures_as_a_toml_file_does() {
    let (world, repo) = world();
    let agent = world.root().join("agents/quiet");
    let text = serde_json::json!({ "host": "detached", "agents": { "mine": { "command": agent, "prompt": "stdin" } } });
    let config = file(&world, "config.json", &text.to_string());
    let config = config.to_str().unwrap();
    let path = super::refusal::path(&repo);
    let arguments = ["run", "--config", config, "--repo", path, "--runner", "mine", "--prompt", "x", "--wait"];
    let run = world.json(&arguments);
    assert_eq!((&run["data"]["runner"], &run["data"]["host"]), (&"mine".into(), &"detached".into()));
    assert_eq!(run["data"]["state"], "completed");
}
