//! Agents that go on working in their background when their turn is over.

use agency_testkit::{conversation, wait_for};

use super::fixture::{LIMIT, begin, events, summary, text, wait_for_question, world};

#[test]
fn a_conversation_lasts_as_long_as_tasks_run_in_the_background() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nbackground '{\"task_id\":\"t1\"}'\nfinish started\nhear_message\nbackground ''\n\
         finish \"$(message)\"\nhear_the_end",
    ));
    let run = begin(&world, &repo);
    let why = wait_for("the background task", LIMIT, || {
        let why = world.json(&["why", &run.id])["data"].take();
        (why["activity"] == "running_command").then_some(why)
    });
    assert!(text(&why, "because").contains("background task"), "{why:#}");
    world.ok(&["send", &run.id, "one thing more"]);
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), summary(&run).as_str()), ("completed", "one thing more"), "{ended:#}");
    assert!(ended["error"].is_null(), "{ended:#}");
}

#[test]
fn a_question_of_a_background_task_is_answered_and_its_end_reported_in_a_turn() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nbackground '{\"task_id\":\"t1\"}'\nfinish started\npermission 1\nhear_reply ask-1\n\
         background ''\nbegin_turn\ntell reported\nfinish reported\nhear_the_end",
    ));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    world.ok(&["answer", &id, "allow"]);
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), summary(&run).as_str()), ("completed", "reported"), "{ended:#}");
    assert_eq!(events(&run, "answer")[0]["delivered"], true);
}

#[test]
fn a_conversation_ends_if_the_end_of_its_background_tasks_begins_no_turn() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nbackground '{\"task_id\":\"t1\"}'\nfinish started\nbackground ''\nhear_the_end",
    ));
    let run = begin(&world, &repo);
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), summary(&run).as_str()), ("completed", "started"), "{ended:#}");
}

#[test]
fn an_agent_that_exits_before_its_background_tasks_has_not_completed() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nbackground '{\"task_id\":\"t1\"},{\"task_id\":\"t2\"}'\nfinish started",
    ));
    let run = begin(&world, &repo);
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), &ended["exit_code"]), ("failed", &0.into()), "{ended:#}");
    assert!(text(&ended, "error").contains("while 2 background tasks were running"), "{ended:#}");
}

#[test]
fn an_agent_that_had_to_be_terminated_has_not_plainly_completed() {
    let (world, repo) = world(conversation::speaking("hear_message\nfinish done\nwhile :; do sleep 0.1; done"));
    let run = begin(&world, &repo);
    let ended = world.ended(&run);
    assert_eq!(text(&ended, "state"), "completed", "{ended:#}");
    assert!(text(&ended, "error").contains("did not exit after its last turn and was terminated"), "{ended:#}");
    let shown = world.ok(&["show", &run.id]);
    assert!(shown.stdout.contains("was terminated"), "{}", shown.stdout);
}
