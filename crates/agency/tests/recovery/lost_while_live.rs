//! A supervisor that has a lost database open continues with the next one.

use std::fs;

use agency_testkit::{agent, conversation};

use super::fixture::{DETACHED, lose_database, question_of, until, world};

#[test]
fn a_run_that_ends_while_there_is_no_database_is_recovered_with_its_end() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    for recreated in [false, true] {
        let run = world.begin(&repo, "waiting", &DETACHED);
        run.wait_for_output("ready");
        lose_database(&world);
        if recreated {
            world.ok(&["ls"]);
        }
        world.release("waiting");
        // It does not wait for a row that is not there.
        run.wait_until_unsupervised();
        assert_eq!(world.agency_home().join("agency.db").exists(), recreated, "a supervisor makes no database");
        let adopted = world.json(&["reconcile"])["data"]["adopted"].take();
        let states: Vec<&str> = adopted.as_array().unwrap().iter().map(|run| run["to"].as_str().unwrap()).collect();
        assert!(states.iter().all(|state| *state == "completed"), "{adopted:#}");
        let row = world.show(&run);
        assert_eq!(
            (&row["state"], &row["exit_code"], &row["reason"]),
            (&"completed".into(), &0.into(), &"exited".into())
        );
        assert_eq!(run.events().last().unwrap()["type"], "completed");
        fs::remove_file(world.root().join("agents/waiting.release")).unwrap();
    }
}

#[test]
fn an_agent_that_asks_while_there_is_no_database_is_heard_after_the_recovery() {
    let (world, repo) = world();
    let script = "hear_message\nsay '{\"type\":\"ready\"}'\nuntil [ -e \"$0.release\" ]; do sleep 0.01; done\n\
                  permission 1\nhear_reply ask-1\nfinish done\nhear_the_end";
    world.agent("asking", conversation::speaking(script));
    let run = world.begin(&repo, "asking", &DETACHED);
    run.wait_for_output("ready");
    lose_database(&world);
    world.release("asking");
    until("the question cannot be stored", || {
        run.messages().iter().any(|message| message.contains("a question could not be stored"))
    });
    world.ok(&["reconcile"]);
    world.ok(&["answer", &question_of(&world, &run), "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let complaints = run.messages().iter().filter(|message| message.contains("agency reconcile")).count();
    assert_eq!(complaints, 1, "{:?}", run.messages());
}

#[test]
fn a_queued_run_waits_on_without_its_row_and_a_stop_reaches_it_after_the_recovery() {
    let (world, repo) = world();
    world.set("max_agents", "1");
    world.agent("waiting", agent::waiting());
    let first = world.begin(&repo, "waiting", &DETACHED);
    first.wait_for_output("ready");
    let [second, third] = [(), ()].map(|()| world.begin(&repo, "waiting", &DETACHED));
    lose_database(&world);
    world.ok(&["ls"]);
    world.ok(&["reconcile"]);
    world.ok(&["stop", &second.id]);
    assert_eq!(world.show(&second)["state"], "killed");
    world.ok(&["stop", &first.id]);
    assert_eq!(world.show(&first)["state"], "killed");
    third.wait_for_output("ready");
    world.release("waiting");
    assert_eq!(world.ended(&third)["state"], "completed");
}
