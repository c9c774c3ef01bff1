//! A run that takes longer than it may. Minutes are short here.

use agency_testkit::agent;
use serde_json::Value;
use std::fs;

use super::fixture::{HOSTS, clear_away, world};

// proves L20
#[test]
fn a_run_is_ended_at_its_wall_time_and_says_why() {
    for (host, agent) in HOSTS.into_iter().zip([agent::stubborn(), agent::waiting()]) {
        let (world, repo) = world();
        world.agent("slow", agent);
        let mut command = world.run_command(&repo, "slow", &["--host", host, "--max-minutes", "1", "--json"]);
        let answer = world.run(command.env("AGENCY_MINUTE_MS", "300")).object();
        let run = world.run_with_id(answer["data"]["id"].as_str().unwrap());
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"wall_time".into()));
        assert!(ended["error"].as_str().unwrap().starts_with("E_TIMEOUT"), "{ended:#}");
        let done: Value = serde_json::from_slice(&fs::read(run.file("done.json")).unwrap()).unwrap();
        assert_eq!(done["reason"], "wall_time");
        run.wait_until_gone();
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L20
#[test]
fn the_limit_of_the_configuration_holds_and_that_of_the_run_comes_first() {
    let (world, repo) = world();
    world.configure("max_minutes = 1\n");
    world.agent("waiting", agent::waiting());
    let start = |options: &[&str]| {
        let mut command = world.run_command(&repo, "waiting", &[&["--host", "detached", "--json"], options].concat());
        let answer = world.run(command.env("AGENCY_MINUTE_MS", "300")).object();
        world.run_with_id(answer["data"]["id"].as_str().unwrap())
    };
    let limited = start(&[]);
    let unlimited = start(&["--max-minutes", "0"]);
    assert_eq!(world.ended(&limited)["reason"], "wall_time");
    assert_eq!(world.show(&unlimited)["state"], "running");
    world.release("waiting");
    assert_eq!(world.ended(&unlimited)["state"], "completed");
    clear_away(&world, &repo, &[&limited, &unlimited]);
}
