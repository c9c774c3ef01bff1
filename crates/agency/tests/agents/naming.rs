//! Names of agents.

use agency_model::ErrorCode;
use agency_testkit::{agent, conversation};
use serde_json::Value;

use super::fixture::{shown, spawn, spawn_words, wait_for_state, world};

// proves P9
#[test]
fn a_live_name_is_taken_and_a_free_one_can_be_used_again() {
    let (world, repo) = world(conversation::staying());
    let first = spawn(&world, &repo, "alice", &[]);
    let error = world.error(&spawn_words(&repo, "alice", &[]), ErrorCode::AgentExists);
    assert_eq!(error["details"]["id"], first.id.as_str(), "{error:#}");
    world.ok(&["agent", "stop", "alice"]);
    let second = spawn(&world, &repo, "alice", &[]);
    assert_ne!(first.id, second.id);
    // The name means the newest, here and in every other command.
    assert_eq!(shown(&world, "alice")["run"]["id"], second.id.as_str());
    world.ok(&["agent", "stop", "alice"]);
    assert_eq!(world.json(&["show", "alice"])["data"]["id"], second.id.as_str());
    let listed = world.json(&["agent", "ls"]);
    assert_eq!(listed["data"]["agents"].as_array().unwrap().len(), 1, "{listed:#}");
}

// proves P9
#[test]
fn of_two_who_want_a_name_at_once_one_gets_it() {
    let (world, repo) = world(conversation::staying());
    let words = spawn_words(&repo, "alice", &["--json"]);
    let both = [world.spawn(&words), world.spawn(&words)];
    let answers: Vec<Value> = both.into_iter().map(|process| process.wait().object()).collect();
    let won = answers.iter().filter(|answer| answer["ok"] == true).count();
    assert_eq!(won, 1, "{answers:#?}");
    let lost = answers.iter().find(|answer| answer["ok"] == false).unwrap();
    assert_eq!(lost["error"]["code"], "E_AGENT_EXISTS", "{lost:#}");
    // Who lost left nothing behind.
    assert_eq!(repo.worktrees().len(), 2);
    assert_eq!(world.runs().len(), 1);
}

#[test]
fn a_name_that_cannot_be_one_is_refused_before_anything_is_made() {
    let (world, repo) = world(conversation::staying());
    for name in ["a b", "ü", "r_x", "a/b", "", "x.y"] {
        let error = world.error(&spawn_words(&repo, name, &[]), ErrorCode::InvalidSpec);
        assert_eq!(error["details"]["field"], "name", "{error:#}");
    }
    assert!(world.runs().is_empty());
}

#[test]
fn an_unknown_agent_is_said_so_with_the_nearest_name() {
    let (world, repo) = world(conversation::staying());
    spawn(&world, &repo, "alice", &[]);
    for verb in ["show", "stop", "restart"] {
        let error = world.error(&["agent", verb, "alcie"], ErrorCode::RunNotFound);
        assert_eq!(error["details"]["nearest"], "alice", "{error:#}");
    }
}

// proves P10
#[test]
fn an_agent_that_cannot_start_leaves_no_workspace() {
    let (world, repo) = world(conversation::staying());
    world.configure("\n[agents.broken]\ncommand = \"/bin/sh\"\nargs = []\n");
    let program = world.agent("dud", agent::quiet());
    std::fs::write(&program, "#!/does/not/exist\n").unwrap();
    let error =
        world.error(&spawn_words(&repo, "dud", &["--runner", "dud", "--prompt", "x"]), ErrorCode::RunnerNotConfigured);
    assert!(error["message"].as_str().unwrap().contains("dud"), "{error:#}");
    assert_eq!(repo.worktrees().len(), 1);
    assert_eq!(shown(&world, "dud")["agent_state"], "error");
}

#[test]
fn an_agent_that_takes_no_messages_needs_a_prompt() {
    let (world, repo) = world(agent::waiting());
    let error = world.error(&spawn_words(&repo, "alice", &[]), ErrorCode::InvalidSpec);
    assert_eq!(error["details"]["field"], "prompt", "{error:#}");
    let run = spawn(&world, &repo, "alice", &["--prompt", "do it"]);
    run.wait_for_output("ready");
    world.release("agent");
    // One that has done its work is stopped, and is not started again.
    wait_for_state(&world, "alice", "stopped");
    assert_eq!(world.show(&run)["state"], "completed");
}
