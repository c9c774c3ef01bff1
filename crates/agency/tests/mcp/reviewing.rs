//! Reviews, checkpoints, forecasts and races through the server.

use agency_testkit::{conversation, wait_for};
use serde_json::json;

use super::client::Client;
use super::fixture::{LIMIT, empty};

#[test]
fn a_client_comments_on_lines_and_the_agent_addresses_them() {
    let world = empty();
    let repo = world.repo("project");
    world.agent(
        "writer",
        conversation::speaking(
            "hear_message\ncase \"$*\" in\n  *--resume*) sed -i s/two/zwei/ words.txt ;;\n  \
             *) printf 'one\\ntwo\\n' >words.txt ;;\nesac\nfinish done\nhear_the_end",
        ),
    );
    let client = Client::new(&world);
    client.facts("run_agent", json!({ "prompt": "x", "runner": "writer", "repo": repo.path, "name": "words" }));
    world.ok(&["wait", "words"]);
    let written = client.facts("review_run", json!({ "run": "words", "comments": ["words.txt:2:In German, please"] }));
    assert_eq!((&written["added"], &written["sent"]), (&json!([1]), &json!(null)), "{written:#}");
    let sent = client.facts("review_run", json!({ "run": "words", "send": true }))["sent"].take();
    assert_eq!(sent["comments"], 1, "{sent:#}");
    world.ok(&["wait", sent["run_id"].as_str().unwrap()]);
    let review = client.facts("review_run", json!({ "run": "words" }));
    assert_eq!(review["comments"][0]["state"], "addressed", "{review:#}");
    assert_eq!(
        client.error("review_run", json!({ "run": "words", "comments": ["nowhere.txt:1:x"] }))["code"],
        "E_INVALID_COMMENT"
    );

    let listed = client.facts("list_checkpoints", json!({ "run": "words" }))["checkpoints"].take();
    assert_eq!(listed.as_array().unwrap().len(), 2, "{listed:#}");
    let restored = client.facts("restore_checkpoint", json!({ "run": "words", "number": 1 }));
    assert_eq!(restored["changed_files"][0]["path"], "words.txt", "{restored:#}");
    let worktree = client.facts("show_run", json!({ "run": "words" }))["worktree_path"].as_str().unwrap().to_owned();
    assert_eq!(std::fs::read_to_string(format!("{worktree}/words.txt")).unwrap(), "one\ntwo\n");
    assert_eq!(
        client.error("restore_checkpoint", json!({ "run": "words", "number": 9 }))["code"],
        "E_CHECKPOINT_NOT_FOUND"
    );
}

#[test]
fn a_client_races_agents_and_sees_which_one_passed() {
    let world = empty();
    let repo = world.repo("project");
    world.agent("right", "echo right >answer");
    world.agent("wrong", "echo wrong >answer");
    let client = Client::new(&world);
    let task =
        json!({ "prompt": "x", "agents": ["wrong", "right"], "verify": "grep -q right answer", "repo": repo.path });
    let race = client.facts("start_race", task);
    assert_eq!(race["runs"].as_array().unwrap().len(), 2, "{race:#}");
    let shown = client.facts("show_race", json!({ "race": race["id"], "wait": true }));
    assert_eq!((&shown["runs"][0]["agent"], &shown["winner"]), (&json!("right"), &shown["runs"][0]["id"]), "{shown:#}");
    let forecast = client.facts("forecast", json!({ "repo": repo.path }));
    assert_eq!(forecast["pairs"][0]["verdict"], "conflict", "{forecast:#}");
    // A call that is not wanted any more leaves the runs running.
    world.agent("slow", "until [ -e \"$0.release\" ]; do sleep 0.01; done; echo right >answer");
    let race = client.facts("start_race", json!({ "prompt": "x", "agents": ["slow", "right"], "repo": repo.path }));
    let call = client.begin("show_race", json!({ "race": race["id"], "wait": true }));
    client.wait_for_news("at work");
    client.cancel(call);
    world.release("slow");
    wait_for("the end of the race", LIMIT, || {
        let shown = client.facts("show_race", json!({ "race": race["id"] }));
        shown["runs"].as_array().unwrap().iter().all(|run| run["state"] == "completed").then_some(())
    });
    let alone = json!({ "prompt": "x", "agents": ["right"], "repo": repo.path });
    assert_eq!(client.error("start_race", alone)["code"], "E_INVALID_SPEC");
}
