//! Messages that come during a turn: each has its turn before the conversation ends.

use agency_testkit::conversation;

use super::fixture::{answer, begin, events, shown, summary, text, wait_for_question, world};

/// What an agent does that begins a turn for each message: it ends the first turn when it is released, and asks something
/// in the third.
fn a_turn_per_message(begin_turn: &str, reports_messages: &str) -> String {
    format!(
        "reports_messages={reports_messages}\nhear_message\ntell ready\nuntil [ -e \"$0.release\" ]; do sleep 0.05; done\n\
         finish one\nhear_message\n{begin_turn}\nfinish two\nhear_message\n{begin_turn}\npermission 1\nhear_reply ask-1\n\
         finish three\nhear_the_end"
    )
}

fn two_messages_in_one_turn_have_two_turns(script: &str) {
    let (world, repo) = world(conversation::speaking(script));
    let run = begin(&world, &repo);
    run.wait_for_output("ready");
    world.ok(&["send", &run.id, "second"]);
    world.ok(&["send", &run.id, "third"]);
    world.release("agent");
    let question = wait_for_question(&world, &run);
    answer(&world, &question, &["allow"]);
    assert_eq!(shown(&world, &question)["state"], "delivered");
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), summary(&run).as_str()), ("completed", "three"), "{ended:#}");
}

#[test]
fn two_messages_in_one_turn_have_a_turn_each_if_the_agent_reports_each_turn() {
    two_messages_in_one_turn_have_two_turns(&a_turn_per_message("begin_turn", ""));
}

#[test]
fn two_messages_in_one_turn_have_a_turn_each_if_the_agent_reports_only_the_first_turn() {
    two_messages_in_one_turn_have_two_turns(&a_turn_per_message(":", ""));
}

#[test]
fn two_messages_in_one_turn_have_a_turn_each_if_the_agent_reports_each_message() {
    two_messages_in_one_turn_have_two_turns(&a_turn_per_message("begin_turn", "yes"));
}

#[test]
fn an_agent_is_not_idle_while_a_message_has_had_no_turn() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\ntell ready\nuntil [ -e \"$0.release\" ]; do sleep 0.05; done\nfinish one\n\
         hear_message\nbegin_turn\ntell again\nfinish two\nhear_the_end",
    ));
    let run = begin(&world, &repo);
    run.wait_for_output("ready");
    world.ok(&["send", &run.id, "second"]);
    world.release("agent");
    run.wait_for_output("again");
    assert_eq!(text(&world.ended(&run), "state"), "completed");
    let did = events(&run, "activity").into_iter().map(|event| text(&event, "activity").to_owned());
    let idle = did.filter(|activity| activity == "idle").count();
    assert_eq!(idle, 1, "after the last turn alone");
}
