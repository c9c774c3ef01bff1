//! Where named agents live.

use std::path::Path;
use std::time::Duration;

use agency_testkit::{Agent, Repo, Run, World, wait_for};
use serde_json::Value;

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

/// A world with a repository and one kind of agent, named `agent`, which is quick to stop and to come back.
pub(super) fn world(agent: impl Into<Agent>) -> (World, Repo) {
    let world = prepared(World::new(Path::new(env!("CARGO_BIN_EXE_agency"))), agent);
    let repo = world.repo("project");
    (world, repo)
}

/// The same in a world that is there already, without a repository.
pub(super) fn prepared(world: World, agent: impl Into<Agent>) -> World {
    world.set("host", "\"detached\"");
    world.set("default_agent", "\"agent\"");
    world.configure("\n[limits]\nstop_grace_seconds = 1\n\n[restart]\npauses_seconds = [0]\n");
    world.agent("agent", agent);
    world
}

/// Spawns a named agent, and gives its run.
#[track_caller]
pub(super) fn spawn(world: &World, repo: &Repo, name: &str, options: &[&str]) -> Run {
    let answer = world.json(&spawn_words(repo, name, options));
    assert_eq!(answer["ok"], true, "{answer:#}");
    assert_eq!(answer["data"]["name"], name);
    world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap())
}

/// The words that spawn an agent.
pub(super) fn spawn_words<'a>(repo: &'a Repo, name: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&["agent", "spawn", name, "--repo", repo.path.to_str().unwrap()], options].concat()
}

/// What `agency agent show` says.
#[track_caller]
pub(super) fn shown(world: &World, name: &str) -> Value {
    let mut answer = world.json(&["agent", "show", name]);
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["data"].take()
}

/// Waits until an agent is about this.
#[track_caller]
pub(super) fn wait_for_state(world: &World, name: &str, state: &str) -> Value {
    wait_for(&format!("{name} is {state}"), LIMIT, || {
        Some(shown(world, name)).filter(|shown| shown["agent_state"] == state)
    })
}

/// Waits until a run has so many events of a type, and gives them.
#[track_caller]
pub(super) fn wait_for_events(run: &Run, kind: &str, count: usize) -> Vec<Value> {
    wait_for(&format!("{count} events of type {kind}"), LIMIT, || {
        let events: Vec<Value> = run.events().into_iter().filter(|event| event["type"] == kind).collect();
        (events.len() >= count).then_some(events)
    })
}

/// What an agent said, in its order.
pub(super) fn said(run: &Run) -> Vec<String> {
    let events = run.events().into_iter().filter(|event| event["type"] == "output");
    events.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
}

/// What an agent was told, in its order.
pub(super) fn told(run: &Run) -> Vec<String> {
    let heard = run.heard().into_iter().filter(|line| line["type"] == "user");
    heard.map(|line| line["message"]["content"].as_str().unwrap().to_owned()).collect()
}
