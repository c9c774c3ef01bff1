//! Ending all agents together, and being told to while one waits.

use agency_testkit::{Agent, World, agent, conversation, wait_for};
use rustix::process::Signal;
use serde_json::Value;

use super::fixture::{LIMIT, shown, spawn, spawn_words, wait_for_state, world};

fn stopped(answer: &Value) -> Vec<(String, bool)> {
    let stopped = answer["data"]["stopped"].as_array().unwrap().iter();
    stopped.map(|one| (one["name"].as_str().unwrap().to_owned(), one["killed_by_force"] == true)).collect()
}

/// Ignores every polite request to end, as an agent that is named with a prompt.
fn stubborn(world: &World) {
    world.agent("stubborn", agent::stubborn());
}

fn with_grace(world: &World, seconds: u32) {
    let path = world.root().join("home/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("[limits]", &format!("[limits]\nshutdown_grace_seconds = {seconds}")))
        .unwrap();
}

// proves P9, P12
#[test]
fn a_shutdown_ends_all_agents_by_force_if_it_must_and_no_other_run() {
    let (world, repo) = world(conversation::staying());
    stubborn(&world);
    with_grace(&world, 1);
    world.agent("waiting", agent::waiting());
    let other = world.begin(&repo, "waiting", &["--host", "detached"]);
    let alice = spawn(&world, &repo, "alice", &[]);
    let bob = spawn(&world, &repo, "bob", &["--runner", "stubborn", "--prompt", "x"]);
    bob.wait_for_output("ready");
    let answer = world.json(&["agent", "shutdown"]);
    assert_eq!(stopped(&answer), [("alice".to_owned(), false), ("bob".to_owned(), true)], "{answer:#}");
    for run in [&alice, &bob] {
        run.wait_until_gone();
        assert_eq!(world.show(run)["state"], "killed");
    }
    assert_eq!(world.show(&other)["state"], "running");
    assert_eq!(stopped(&world.json(&["agent", "shutdown"])), []);
}

// proves P12
#[test]
fn a_second_signal_to_a_shutdown_shortens_the_wait() {
    let (world, repo) = world(conversation::staying());
    stubborn(&world);
    with_grace(&world, 3600);
    let bob = spawn(&world, &repo, "bob", &["--runner", "stubborn", "--prompt", "x"]);
    bob.wait_for_output("ready");
    let shutdown = world.spawn(&["agent", "shutdown"]);
    wait_for("the request to end", LIMIT, || (world.show(&bob)["phase"] == "stopping").then_some(()));
    shutdown.signal(Signal::TERM);
    wait_for("its grace goes on", LIMIT, || (world.show(&bob)["phase"] == "stopping").then_some(()));
    wait_for("the end", LIMIT, || {
        // Two signals that wait at the same time are one.
        shutdown.signal(Signal::INT);
        (!shutdown.is_running()).then_some(())
    });
    let output = shutdown.wait();
    assert!(output.status.success() && output.stdout.contains("bob is stopped; it was killed"), "{output}");
    assert!(output.stderr.contains("Ctrl-C twice kills them at once"), "{output}");
}

// proves P12
#[test]
fn ctrl_c_on_an_agent_in_the_foreground_stops_it_and_a_second_one_kills_it() {
    let (world, repo) = world(conversation::staying());
    stubborn(&world);
    with_grace(&world, 3600);
    for (name, runner, times, says) in
        [("alice", "agent", 1, "alice is stopped"), ("bob", "stubborn", 2, "bob is stopped; it was killed")]
    {
        let words = spawn_words(&repo, name, &["--runner", runner, "--prompt", "hello", "--foreground"]);
        let terminal = world.terminal(&words);
        terminal.wait_for_text(&format!("{name} is running"));
        let run = world.runs().pop().unwrap();
        run.wait_for_output(if runner == "agent" { "heard" } else { "ready" });
        terminal.send_keys(&["C-c"]);
        terminal.wait_for_text(&format!("stopping {name}"));
        if times == 2 {
            terminal.send_keys(&["C-c"]);
        }
        assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
        assert!(terminal.screen().contains(says), "{}", terminal.screen());
        run.wait_until_gone();
    }
}

// proves P12
#[test]
fn serve_that_is_ended_shuts_the_agents_down_unless_they_are_to_be_kept() {
    let (world, repo) = world(conversation::staying());
    let other = world.begin(&repo, "agent", &["--host", "detached", "--mode", "headless"]);
    spawn(&world, &repo, "alice", &[]);
    wait_for_state(&world, "alice", "idle");
    let serve = world.spawn(&["serve", "--keep-agents"]);
    wait_for("serve", LIMIT, || serve.stderr().contains("watching").then_some(()));
    serve.signal(Signal::TERM);
    assert!(serve.wait().status.success());
    assert_eq!(shown(&world, "alice")["agent_state"], "idle");
    let serve = world.spawn(&["serve"]);
    wait_for("serve", LIMIT, || serve.stderr().contains("watching").then_some(()));
    serve.signal(Signal::TERM);
    assert!(serve.wait().status.success());
    assert_eq!(shown(&world, "alice")["agent_state"], "stopped");
    // A plain run ended by itself, not by us.
    assert_eq!(world.ended(&other)["state"], "completed");
}

/// An agent that says a word and ends well.
#[test]
fn a_foreground_command_ends_with_its_agent() {
    let (world, repo) = world(Agent::new("echo done; exit 0"));
    let output = world.agency(&spawn_words(&repo, "alice", &["--prompt", "x", "--foreground"]));
    assert!(output.status.success(), "{output}");
    assert!(output.stdout.contains("the run is completed"), "{output}");
}
