//! Answers that nobody wants any more: the agent ends, and nothing of it is left.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use agency_testkit::{World, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::Client;
use super::fixture::{LIMIT, left, scratch, wait_until_clean, world};

/// Waits for ever, with children that do too.
const STUCK: &str = "cat docs/a.txt; sleep 3600 & setsid sleep 3600 & sleep 3600";

fn question() -> Value {
    json!({ "sources": ["docs", "note"], "question": "What?" })
}

#[track_caller]
fn wait_for_agent(world: &World) {
    wait_for("a run", LIMIT, || (!world.runs().is_empty()).then_some(()));
    world.runs()[0].wait_for_output("42");
    assert!(scratch(world).is_dir());
}

#[track_caller]
fn was_stopped(world: &World) {
    wait_until_clean(world);
    let run = world.json(&["ls", "--all"])["data"]["runs"][0].take();
    assert_eq!((&run["state"], &run["reason"]), (&"killed".into(), &"stopped".into()), "{run:#}");
}

// proves A10
#[test]
fn a_call_that_is_cancelled_stops_the_agent() {
    let world = world(STUCK);
    let client = Client::new(&world);
    let call = client.begin("ask_sources", question());
    wait_for_agent(&world);
    client.wait_for_news("asking");
    client.cancel(call);
    was_stopped(&world);
    assert!(left(&world).is_empty());
    // The server goes on.
    assert_eq!(client.facts("list_runs", json!({}))["runs"], json!([]));
    client.leave();
}

// proves A10
#[test]
fn one_call_is_cancelled_and_the_other_is_answered() {
    let world = world("if grep -q patience \"$1\"; then cat docs/a.txt; else sleep 3600; fi");
    let client = Client::new(&world);
    let unwanted = client.begin("ask_sources", question());
    scratch(&world);
    client.cancel(unwanted);
    let wanted = json!({ "sources": ["docs"], "question": "patience" });
    assert_eq!(client.facts("ask_sources", wanted)["answer"], "the timeout is 42\n");
    wait_until_clean(&world);
}

/// A client that is just a pipe: it can vanish without a word.
fn raw(world: &World) -> Child {
    let mut child = world.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let hello =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "raw", "version": "1" } });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "ask_sources", "arguments": question() } }),
    ];
    for line in lines {
        writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
    let mut first = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("\"agency\""), "{first}");
    child
}

#[track_caller]
fn ends(mut server: Child) -> Option<i32> {
    wait_for("the end of the server", LIMIT, || server.try_wait().unwrap()).code()
}

// proves A10
#[test]
fn a_client_that_closes_its_end_leaves_nothing() {
    let world = world(STUCK);
    let mut server = raw(&world);
    wait_for_agent(&world);
    drop(server.stdin.take());
    drop(server.stdout.take());
    assert_eq!(ends(server), Some(0));
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    was_stopped(&world);
}

// proves A10
#[test]
fn a_server_that_is_ended_by_a_signal_leaves_nothing() {
    for signal in [Signal::TERM, Signal::INT] {
        let world = world(STUCK);
        let server = raw(&world);
        wait_for_agent(&world);
        kill_process(Pid::from_child(&server), signal).unwrap();
        assert_eq!(ends(server), Some(0));
        assert!(left(&world).is_empty(), "{:?}", left(&world));
        was_stopped(&world);
    }
}

// proves A10
#[test]
fn a_server_that_is_killed_leaves_nothing_either() {
    let world = world(STUCK);
    let server = raw(&world);
    wait_for_agent(&world);
    kill_process(Pid::from_child(&server), Signal::KILL).unwrap();
    ends(server);
    was_stopped(&world);
}

// proves A10
#[test]
fn a_run_goes_on_when_the_client_is_gone() {
    let world = world("true");
    let repo = world.repo("project");
    world.agent("waiting", agency_testkit::agent::waiting());
    let client = Client::new(&world);
    let task = json!({ "prompt": "do it", "runner": "waiting", "repo": repo.path });
    let started = client.facts("run_agent", task);
    let server = Pid::from_raw(i32::try_from(client.server).unwrap()).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    let id = started["run"]["id"].as_str().unwrap();
    assert_eq!(world.json(&["show", id])["data"]["state"], "running");
    world.release("waiting");
    world.ok(&["wait", id]);
}
