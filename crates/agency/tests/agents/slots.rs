//! How many agents may live at once.

use agency_model::ErrorCode;
use agency_testkit::{agent, conversation};
use serde_json::Value;

use super::fixture::{spawn, spawn_words, wait_for_state, world};

// proves P9
#[test]
fn of_two_who_want_the_last_slot_at_once_one_gets_it() {
    let (world, repo) = world(conversation::staying());
    world.set("max_agents", "3");
    spawn(&world, &repo, "alice", &[]);
    // A plain run is live too.
    world.agent("waiting", agent::waiting());
    world.begin(&repo, "waiting", &["--host", "detached"]);
    let (bob, carol) = (spawn_words(&repo, "bob", &["--json"]), spawn_words(&repo, "carol", &["--json"]));
    let both = [world.spawn(&bob), world.spawn(&carol)];
    let answers: Vec<Value> = both.into_iter().map(|process| process.wait().object()).collect();
    assert_eq!(answers.iter().filter(|answer| answer["ok"] == true).count(), 1, "{answers:#?}");
    let lost = answers.iter().find(|answer| answer["ok"] == false).unwrap();
    assert_eq!(lost["error"]["code"], "E_MAX_AGENTS", "{lost:#}");
    // The repository, and one worktree for each that lives.
    assert_eq!(repo.worktrees().len(), 4);
    world.error(&spawn_words(&repo, "dave", &[]), ErrorCode::MaxAgents);
    world.ok(&["agent", "stop", "alice"]);
    spawn(&world, &repo, "dave", &[]);
    wait_for_state(&world, "dave", "idle");
}
