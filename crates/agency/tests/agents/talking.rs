//! Agents that wait for messages.

use agency_testkit::{conversation, wait_for};

use super::fixture::{LIMIT, said, shown, spawn, told, wait_for_state, world};

// proves P9
#[test]
fn an_agent_without_a_prompt_waits_for_its_first_message_and_for_every_further_one() {
    let (world, repo) = world(conversation::staying());
    let run = spawn(&world, &repo, "alice", &[]);
    let idle = wait_for_state(&world, "alice", "idle");
    assert_eq!(idle["run"]["activity"], "idle", "{idle:#}");
    assert_eq!(idle["run"]["kind"], "agent");
    for message in ["one", "two", "three"] {
        world.ok(&["send", "alice", message]);
        wait_for("the answer", LIMIT, || said(&run).contains(&format!("heard: {message}")).then_some(()));
        wait_for_state(&world, "alice", "idle");
    }
    assert_eq!(told(&run), ["one", "two", "three"]);
    assert_eq!(shown(&world, "alice")["run"]["state"], "running");
    world.ok(&["agent", "stop", "alice"]);
    assert_eq!(shown(&world, "alice")["agent_state"], "stopped");
    assert_eq!(world.show(&run)["state"], "killed");
}

#[test]
fn a_limit_for_signs_of_life_does_not_end_an_agent_that_waits() {
    let (mut world, repo) = world(conversation::staying());
    world.agent("silent", conversation::silent());
    world.shorten_minutes(std::time::Duration::from_millis(500));
    let path = world.root().join("home/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("[limits]", "[limits]\nno_progress_minutes = 1")).unwrap();
    let run = spawn(&world, &repo, "alice", &["--prompt", "hello"]);
    wait_for_state(&world, "alice", "idle");
    // The same limit ends somebody who began later and is not idle.
    let other = world.begin(&repo, "silent", &["--mode", "headless"]);
    assert_eq!(world.ended(&other)["reason"], "timeout");
    assert_eq!(world.show(&run)["state"], "running");
    world.ok(&["send", "alice", "still there?"]);
    wait_for("the answer", LIMIT, || said(&run).contains(&"heard: still there?".to_owned()).then_some(()));
}

#[test]
fn a_restarted_agent_is_where_it_was_and_has_its_conversation() {
    let (world, repo) = world(conversation::staying());
    let first = spawn(&world, &repo, "alice", &["--prompt", "remember"]);
    wait_for_state(&world, "alice", "idle");
    let answer = world.json(&["agent", "restart", "alice"]);
    let second = world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap());
    wait_for_state(&world, "alice", "idle");
    assert_eq!(world.show(&first)["state"], "killed");
    let shown = world.show(&second);
    assert_eq!(shown["parent_id"], first.id.as_str());
    assert_eq!(shown["worktree_path"], world.show(&first)["worktree_path"]);
    assert_eq!(said(&second), Vec::<String>::new(), "it waits");
    world.ok(&["send", "alice", "hello"]);
    wait_for("its answer", LIMIT, || (said(&second).len() >= 2).then_some(()));
    let resumed = format!("started with: --resume conversation-of-{}", first.id);
    assert_eq!(said(&second), [resumed.as_str(), "heard: hello"]);
    // One that is over can be started again too, and be told something at once.
    world.ok(&["agent", "stop", "alice"]);
    let answer = world.json(&["agent", "restart", "alice", "--prompt", "go on"]);
    let third = world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap());
    wait_for("the answer", LIMIT, || said(&third).contains(&"heard: go on".to_owned()).then_some(()));
}

#[test]
fn an_agent_without_a_conversation_begins_another_one_with_its_first_prompt() {
    let (world, repo) = world(agency_testkit::agent::waiting());
    let first = spawn(&world, &repo, "alice", &["--prompt", "do it"]);
    first.wait_for_output("ready");
    let answer = world.json(&["agent", "restart", "alice"]);
    let second = world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap());
    second.wait_for_output("ready");
    assert_eq!(std::fs::read_to_string(second.file("prompt.md")).unwrap(), "do it");
    assert_eq!(world.show(&second)["worktree_path"], world.show(&first)["worktree_path"]);
}
