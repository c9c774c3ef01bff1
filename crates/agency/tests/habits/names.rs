//! Names of runs: made of the prompt, unique, kept, and used for branches and tmux windows.

use std::path::Path;

use agency_testkit::{World, agent};
use rusqlite::Connection;

use super::{data, here, start, world};

#[test]
fn a_run_is_named_by_its_prompt_and_the_name_is_unique() {
    let (world, repo) = world();
    let first = data(&world, &repo, &["run", "Fix the login test"]);
    let second = data(&world, &repo, &["run", "please fix the LOGIN test"]);
    let given = data(&world, &repo, &["run", "--name", "fix-login-test", "Something else"]);
    let other = data(&world, &repo, &["run", "日本語"]);
    let names = [&first, &second, &given, &other].map(|run| run["name"].as_str().unwrap().to_owned());
    assert_eq!(names, ["fix-login-test", "fix-login-test-2", "fix-login-test", "quick"]);
    let third = data(&world, &repo, &["run", "Fix the login test"]);
    assert_eq!(third["name"], "fix-login-test-3");
    assert_eq!(third["new_branch"], format!("agency/{}", third["id"].as_str().unwrap()));
}

#[test]
fn creators_at_once_get_different_names() {
    let (world, repo) = world();
    let creators: Vec<_> =
        (0..6).map(|_| world.start(&mut here(&world, &repo, &["run", "--json", "Count the words"]))).collect();
    let mut names: Vec<String> = creators
        .into_iter()
        .map(|creator| {
            let answer: serde_json::Value = serde_json::from_str(&creator.wait().stdout).unwrap();
            answer["data"]["name"].as_str().unwrap().to_owned()
        })
        .collect();
    names.sort();
    let expected: Vec<String> = std::iter::once("count-words".to_owned())
        .chain((2..=6).map(|number| format!("count-words-{number}")))
        .collect();
    assert_eq!(names, expected);
}

#[test]
fn runs_of_an_older_home_get_a_name_when_they_are_read() {
    let (world, repo) = world();
    let ids = ["Fix the parser", "Fix the parser", "Tidy up"].map(|prompt| start(&world, &repo, "quick", prompt));
    for id in &ids {
        world.run(&mut here(&world, &repo, &["wait", id]));
    }
    let database = world.agency_home().join("agency.db");
    Connection::open(&database).unwrap().execute_batch("UPDATE runs SET name = NULL").unwrap();
    let listed = data(&world, &repo, &["ls"]);
    let names: Vec<&str> = listed["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tidy-up", "fix-parser-2", "fix-parser"]);
    assert_eq!(data(&world, &repo, &["show", "fix-parser"])["id"], ids[0].as_str());
}

#[test]
fn the_template_names_branches_and_numbers_those_that_exist() {
    let (world, repo) = world();
    world.set("branch_template", "\"work/{agent}/{name}\"");
    repo.git(&["branch", "work/quick/taken"]);
    let first = data(&world, &repo, &["run", "--name", "One Thing", "do it"]);
    assert_eq!(first["new_branch"], "work/quick/one-thing");
    let again = data(&world, &repo, &["run", "--name", "One Thing", "do it"]);
    assert_eq!(again["new_branch"], "work/quick/one-thing-2");
    assert_eq!(data(&world, &repo, &["run", "taken"])["new_branch"], "work/quick/taken-2");
    let planned = data(&world, &repo, &["run", "--dry-run", "A new idea"]);
    assert_eq!(planned["would_create"]["new_branch"], "work/quick/new-idea");
    assert_eq!(planned["would_create"]["name"], "new-idea");
    let own = data(&world, &repo, &["run", "--branch", "mine", "do it"]);
    assert_eq!(own["new_branch"], "mine");
}

#[test]
fn a_tmux_window_has_the_name_of_its_run_and_a_hostile_name_is_no_format() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    data(&world, &repo, &["run", "-a", "waiting", "Fix the login"]);
    data(&world, &repo, &["run", "-a", "waiting", "--name", "#(touch pwned) #{pid}:1.2", "x"]);
    let windows = world.tmux(&["list-windows", "-a", "-F", "#{window_name}"]);
    assert!(windows.lines().any(|name| name == "fix-login"), "{windows}");
    assert!(
        windows.lines().any(|name| name == "--touch pwned- --pid--1-2" || name == "_--touch pwned- --pid--1-2"),
        "{windows}"
    );
    assert!(!repo.path.join("pwned").exists());
}
