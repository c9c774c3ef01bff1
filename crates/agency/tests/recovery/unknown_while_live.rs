//! Live runs that an older or new database does not have: no command takes their worktree or their name.

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, conversation};
use serde_json::Value;

use super::fixture::{DETACHED, back_up, bring_back, lose_database, world};

/// Ends its first run at once; a resumed one works until it is released.
const RESUMED: &str = "hear_message\nif [ -e one ]; then say '{\"type\":\"ready\"}'; \
                       until [ -e \"$0.release\" ]; do sleep 0.01; done; echo late > two; else echo 1 > one; fi\n\
                       finish done\nhear_the_end";

/// A run that is over, and one that continues it and that the database does not have.
fn continued(world: &World, repo: &Repo) -> (Run, Run) {
    world.agent("working", conversation::speaking(RESUMED));
    let parent = world.begin(repo, "working", &DETACHED);
    assert_eq!(world.ended(&parent)["state"], "completed");
    let backup = back_up(world);
    let answer = world.json(&["resume", &parent.id, "--prompt", "x"]);
    let child = world.run_with_id(answer["data"]["id"].as_str().unwrap());
    child.wait_for_output("ready");
    bring_back(world, &backup);
    (parent, child)
}

#[test]
fn the_worktree_of_a_live_run_that_an_older_database_does_not_have_stays() {
    let (world, repo) = world();
    let (parent, child) = continued(&world, &repo);
    let planned = world.ok(&["rm", &parent.id, "--dry-run"]).stdout;
    assert!(planned.contains(&child.id), "{planned}");
    let removed = world.ok(&["rm", &parent.id]).stdout;
    assert!(removed.contains("its worktree stays"), "{removed}");
    world.release("working");
    assert_eq!(world.ended(&child)["state"], "completed");
    let files = world.show(&child)["changed_files"].take();
    assert!(files.as_array().unwrap().iter().any(|file| file["path"] == "two"), "{files:#}");
}

#[test]
fn a_conversation_that_a_live_run_continues_is_not_resumed_twice_after_a_loss() {
    let (world, repo) = world();
    let (parent, child) = continued(&world, &repo);
    let error = world.error(&["resume", &parent.id, "--prompt", "y"], ErrorCode::InvalidState);
    assert!(error.to_string().contains(&child.id), "{error:#}");
    world.release("working");
    world.ended(&child);
}

fn spawn<'a>(repo: &'a Repo, name: &'a str) -> [&'a str; 8] {
    ["agent", "spawn", name, "--runner", "agent", "--repo", repo.path.to_str().unwrap(), "--json"]
}

fn id_of(answer: &Value) -> String {
    answer["data"]["run"]["id"].as_str().unwrap().to_owned()
}

/// The agents, each with its run and whether it lives.
fn agents(world: &World) -> Vec<(String, String, bool)> {
    let agents = world.json(&["agent", "ls"])["data"]["agents"].take();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let described =
        |agent: &Value| (text(&agent["name"]), text(&agent["run"]["id"]), agent["run"]["state"] == "running");
    agents.as_array().unwrap().iter().map(described).collect()
}

#[test]
fn the_name_of_a_live_agent_that_the_database_does_not_have_is_taken() {
    let (world, repo) = world();
    world.agent("agent", conversation::staying());
    let first = id_of(&world.json(&spawn(&repo, "z")[..7]));
    lose_database(&world);
    world.error(&spawn(&repo, "z")[..7], ErrorCode::AgentExists);
    // The hint of that error.
    world.ok(&["agent", "stop", "z"]);
    assert_eq!(agents(&world), [("z".to_owned(), first.clone(), false)]);
    // One that ended before another of its name began is adopted beside it.
    let second = id_of(&world.json(&spawn(&repo, "z")[..7]));
    lose_database(&world);
    let planned = world.json(&["reconcile", "--dry-run"])["data"]["adopted"].take();
    assert_eq!(world.json(&["reconcile"])["data"]["adopted"].take(), planned);
    assert_eq!(agents(&world), [("z".to_owned(), second, true)]);
    let all = world.json(&["ls", "--all"])["data"]["runs"].take();
    assert!(all.as_array().unwrap().iter().any(|run| run["id"] == first.as_str()), "{all:#}");
    world.ok(&["agent", "shutdown"]);
}

#[test]
fn of_two_live_agents_with_one_name_the_adopted_one_gets_another() {
    let (world, repo) = world();
    world.agent("agent", conversation::staying());
    let backup = back_up_of_nothing(&world);
    let first = id_of(&world.json(&spawn(&repo, "z")[..7]));
    // A database in which all is known, so that nothing is adopted before the name is used again.
    let hidden = world.agency_home().join("runs").join(&first);
    let aside = world.root().join("aside");
    std::fs::rename(&hidden, &aside).unwrap();
    bring_back(&world, &backup);
    let second = id_of(&world.json(&spawn(&repo, "z")[..7]));
    std::fs::rename(&aside, &hidden).unwrap();
    let planned = world.json(&["reconcile", "--dry-run"])["data"]["adopted"].take();
    assert_eq!(planned[0]["name"], "z-2");
    assert_eq!(world.json(&["reconcile"])["data"]["adopted"].take(), planned);
    assert_eq!(agents(&world), [("z".to_owned(), second, true), ("z-2".to_owned(), first, true)]);
    world.ok(&["agent", "stop", "z-2"]);
    world.ok(&["agent", "stop", "z"]);
    assert!(agents(&world).iter().all(|(_, _, lives)| !lives));
}

/// A copy of a database without runs.
fn back_up_of_nothing(world: &World) -> std::path::PathBuf {
    world.ok(&["ls"]);
    back_up(world)
}
