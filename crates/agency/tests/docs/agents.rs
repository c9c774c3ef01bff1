//! `docs/agents.md` against the agents that the program knows, and its examples as agents at work.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_testkit::{World, wait_for};
use serde_json::Value;

use super::markdown::{blocks, code_words, read, rows, section};
use super::program::world;

/// How long an example may take.
const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn the_table_has_every_built_in_agent_with_its_program_and_tested_version() {
    let mut listed: Vec<Vec<String>> = rows(&overview()).iter().map(|row| row[..3].to_vec()).collect();
    let adapters = world().json(&["adapters"])["data"]["adapters"].take();
    let mut known: Vec<Vec<String>> = adapters
        .as_array()
        .unwrap()
        .iter()
        .map(|adapter| {
            let text = |name: &str| adapter[name].as_str();
            let program = match text("command").unwrap() {
                "agency" => "agency itself".to_owned(),
                command => format!("`{command}`"),
            };
            let tested = text("tested_version").unwrap_or("none").to_owned();
            vec![format!("`{}`", text("name").unwrap()), program, tested]
        })
        .collect();
    listed.sort();
    known.sort();
    assert_eq!(listed, known);
}

#[test]
fn the_table_says_what_each_can_do() {
    let adapters = world().json(&["adapters"])["data"]["adapters"].take();
    let word = |can: &Value| if can.as_bool().unwrap() { "yes" } else { "no" };
    for row in rows(&overview()) {
        let name = row[0].trim_matches('`');
        let adapter = adapters.as_array().unwrap().iter().find(|adapter| adapter["name"] == name).unwrap();
        let can = |ability: &str| word(&adapter["supports"][ability]);
        assert_eq!([row[3].as_str(), row[4].as_str()], [can("conversation"), can("screen")], "{name}");
    }
}

#[test]
fn every_form_of_every_built_in_agent_is_written_down() {
    let page = read("docs/agents.md");
    let values = world().json(&["config", "show"])["data"]["values"].take();
    let values = values.as_array().unwrap();
    for row in rows(&overview()) {
        let name = row[0].trim_matches('`');
        let mut known = vec![];
        for (key, form) in [("interactive", "interactive"), ("headless", "headless"), ("one_shot", "one-shot")] {
            let key = format!("agents.{name}.{key}");
            let Some(value) = values.iter().find(|value| value["key"] == key).map(|value| &value["value"]) else {
                continue;
            };
            let prompt = prompt(value["prompt"].as_str().unwrap());
            known.push(vec![form.to_owned(), arguments(&value["args"]), prompt.clone()]);
            if !value["resume"].is_null() {
                known.push(vec![format!("{form}, resumed"), arguments(&value["resume"]), prompt]);
            }
        }
        let (_, below) = page.split_once(&format!("\n### {name}\n")).unwrap_or_else(|| panic!("no part about {name}"));
        let part: String =
            below.lines().take_while(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        assert_eq!(rows(&part), known, "{name}");
    }
}

fn overview() -> String {
    let section = section(&read("docs/agents.md"), "The built-in agents");
    section.split("\n### ").next().unwrap().to_owned()
}

fn arguments(value: &Value) -> String {
    let words = value.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let words: Vec<&str> = words.map(|word| if word.is_empty() { "\"\"" } else { word }).collect();
    if words.is_empty() { "–".to_owned() } else { format!("`{}`", words.join(" ")) }
}

fn prompt(way: &str) -> String {
    match way.split_once(':') {
        Some((_, flag)) => format!("by `{flag}`"),
        None => match way {
            "protocol" => "by the protocol".to_owned(),
            "stdin" => "on stdin".to_owned(),
            way => format!("as {way}"),
        },
    }
}

#[test]
fn every_example_of_a_configuration_is_accepted() {
    let world = world();
    let examples = blocks(&read("docs/agents.md"), "toml");
    assert!(examples.len() >= 4, "{examples:?}");
    let path = world.root().join("example.toml");
    for example in examples {
        fs::write(&path, example).unwrap();
        world.ok(&["config", "show", "--config", path.to_str().unwrap()]);
    }
}

#[test]
fn the_example_that_speaks_like_claude_code_asks_and_is_answered() {
    asks_and_is_answered("careful", &["--mode", "headless"]);
}

#[test]
fn the_example_that_speaks_the_agent_client_protocol_asks_and_is_answered() {
    asks_and_is_answered("polite", &["--mode", "headless"]);
}

#[test]
fn the_example_with_a_screen_asks_and_is_answered() {
    asks_and_is_answered("bashful", &["--mode", "interactive"]);
}

/// Runs an agent of the page, allows what it asks, and finds what it was allowed to make.
fn asks_and_is_answered(name: &str, options: &[&str]) {
    let world = world();
    let repo = world.repo("project");
    install(&world, name);
    let run = world.begin(&repo, name, &[&["--host", "detached"], options].concat());
    let question = wait_for("a question", LIMIT, || {
        world.json(&["inbox"])["data"]["questions"].as_array().unwrap().first().cloned()
    });
    assert_eq!(
        (&question["kind"], &question["detail"]),
        (&"permission".into(), &"touch made.txt".into()),
        "{question:#}"
    );
    world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    let worktree = world.show(&run)["worktree_path"].take();
    let made = Path::new(worktree.as_str().unwrap()).join("made.txt");
    wait_for("what the agent makes", LIMIT, || made.exists().then_some(()));
    if options.contains(&"headless") {
        assert_eq!(world.ended(&run)["state"], "completed");
        return;
    }
    let idle = || (world.json(&["why", &run.id])["data"]["because"] == "rule prompt: ready>").then_some(());
    wait_for("the prompt", LIMIT, idle);
    world.ok(&["stop", &run.id]);
}

/// Puts an agent of the page, its configuration and its rules where the world has such things.
fn install(world: &World, name: &str) {
    let page = read("docs/agents.md");
    let script = &blocks(&page, &format!("sh {name}"))[0];
    // The world writes the first line and an entry for the command.
    let path = world.agent(name, script.strip_prefix("#!/bin/sh\n").unwrap());
    let header = format!("[agents.{name}]\ncommand = \"/opt/agents/{name}\"\n");
    let configured: Vec<String> =
        blocks(&page, "toml").into_iter().filter(|example| example.starts_with(&header)).collect();
    world.configure(configured[0].strip_prefix(&header).unwrap());
    assert!(path.exists());
    fs::write(world.root().join("home/bashful-rules.toml"), &blocks(&page, "toml rules")[0]).unwrap();
}

fn adapters() -> PathBuf {
    super::markdown::root().join("crates/agency-adapters/src")
}

/// The files are compiled and tested in their place, by the test of a sixth agent in `config/tests/sixth_agent.rs` of the engine.
#[test]
fn the_files_of_a_new_built_in_agent_are_those_that_are_tested() {
    let steps = section(&read("docs/agents.md"), "Add a built-in agent");
    for (info, file) in
        [("toml agent.toml", "acme/agent.toml"), ("toml screen.toml", "acme/screen.toml"), ("rust acme.rs", "acme.rs")]
    {
        let shown = blocks(&steps, info);
        assert_eq!(shown, [fs::read_to_string(adapters().join(file)).unwrap()], "{file}");
    }
}

#[test]
fn every_word_of_the_rules_is_described() {
    let words = code_words(&section(&read("docs/agents.md"), "Rules for a screen"));
    let mut used: Vec<String> = vec![];
    for entry in fs::read_dir(adapters()).unwrap() {
        let rules = entry.unwrap().path().join("screen.toml");
        keys(&fs::read_to_string(rules).unwrap_or_default(), &mut used);
    }
    assert!(used.len() > 20, "{used:?}");
    for key in used.iter().filter(|key| !["version", "rules"].contains(&key.as_str())) {
        let named = words.iter().any(|word| word.split(' ').next() == Some(key));
        assert!(named, "`{key}` is not described");
    }
}

/// The words before an equals sign, outside of quotes.
fn keys(text: &str, found: &mut Vec<String>) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let line = line.replace('\'', "\"");
        let bare: String = line.split('"').step_by(2).collect();
        let before = bare.split('=').rev().skip(1).filter_map(|part| part.split_whitespace().last().map(str::to_owned));
        found.extend(before.filter(|key| key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')));
    }
}
