//! Telling a running agent something, and letting it stop what it does.

use std::io::Write;
use std::process::Stdio;

use agency_model::ErrorCode;
use agency_testkit::{Run, agent, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, TALK, begin, events, open, shown, summary, text, wait_for_question, world};

/// The messages that an agent got, after its prompt.
fn messages(run: &Run) -> Vec<String> {
    let heard = run.heard().into_iter().filter(|line| line["type"] == "user").skip(1);
    heard.map(|line| text(&line["message"], "content").to_owned()).collect()
}

// proves P12
#[test]
fn a_message_arrives_once_and_what_came_of_it_is_told() {
    let (world, repo) = world(conversation::echoing());
    let run = begin(&world, &repo);
    run.wait_for_output("heard: do it");
    let told = world.json(&["send", &run.id, "Use the \"other\" parser\nand hurry"]);
    assert_eq!(told["data"]["outcome"], "sent by the agent's protocol", "{told:#}");
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert_eq!(messages(&run), ["Use the \"other\" parser\nand hurry"]);
    let event = &events(&run, "message")[0];
    assert_eq!(event["text"], "Use the \"other\" parser\nand hurry");
    let said: Vec<String> = events(&run, "output").iter().map(|event| text(event, "text").to_owned()).collect();
    assert_eq!(said.last().unwrap(), "heard: Use the \"other\" parser\nand hurry");
}

#[test]
fn messages_arrive_in_their_order_and_from_standard_input() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nhear_message\nhear_message\nhear_message\nfinish \"$(message)\"\nhear_the_end",
    ));
    let run = begin(&world, &repo);
    world.ok(&["send", &run.id, "one"]);
    world.ok(&["send", &run.id, "--two"]);
    let mut piped = world.command(&["send", &run.id, "-"]);
    let mut sender = piped.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    sender.stdin.take().unwrap().write_all("three\n".as_bytes()).unwrap();
    assert!(sender.wait().unwrap().success());
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(messages(&run), ["one", "--two", "three\n"]);
}

#[test]
fn a_message_that_comes_when_a_turn_is_over_begins_another() {
    let (world, repo) = world(conversation::echoing());
    let run = begin(&world, &repo);
    world.ok(&["send", &run.id, "first"]);
    run.wait_for_output("heard: first");
    world.ok(&["send", &run.id, "second"]);
    let ended = world.ended(&run);
    assert_eq!((&ended["state"], messages(&run)), (&"completed".into(), vec!["first".to_owned(), "second".to_owned()]));
}

#[test]
fn an_agent_that_takes_no_messages_is_not_told_any() {
    let (world, repo) = world(agent::waiting());
    world.agent("stream", agent::waiting().stream("claude"));
    for name in ["agent", "stream"] {
        let run = world.begin(&repo, name, &TALK);
        run.wait_for_output("ready");
        for arguments in [&["send", &run.id, "hello"][..], &["interrupt", &run.id]] {
            let error = world.error(arguments, ErrorCode::NotDelivered);
            assert!(text(&error, "message").contains("does not accept messages"), "{error:#}");
        }
        assert_eq!(events(&run, "message"), Vec::<Value>::new());
        world.release(name);
        assert_eq!(world.ended(&run)["state"], "completed");
    }
}

#[test]
fn a_run_that_is_over_is_not_told_anything_but_can_be_resumed() {
    let (world, repo) = world(conversation::brief());
    let run = begin(&world, &repo);
    assert_eq!(world.ended(&run)["state"], "completed");
    for arguments in [&["send", &run.id, "hello"][..], &["interrupt", &run.id]] {
        let error = world.error(arguments, ErrorCode::InvalidState);
        assert!(text(&error, "message").contains("is completed"), "{error:#}");
        assert!(text(&error, "hint").contains(&format!("agency resume {}", run.id)), "{error:#}");
    }
    world.error(&["send", &run.id, " "], ErrorCode::Usage);
}

// proves I3
#[test]
fn an_interrupted_agent_stays_drops_its_question_and_goes_on_when_it_is_told_how() {
    let (world, repo) = world(conversation::interruptible());
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    world.ok(&["interrupt", &run.id]);
    wait_for("the withdrawal", LIMIT, || (shown(&world, &id)["state"] == "expired").then_some(()));
    assert_eq!(shown(&world, &id)["outcome"], "the agent withdrew it");
    wait_for("the end of the turn", LIMIT, || (world.show(&run)["activity"] == "idle").then_some(()));
    assert_eq!((open(&world, &run).len(), &world.show(&run)["state"]), (0, &"running".into()));
    world.ok(&["send", &run.id, "Leave the tests alone"]);
    let ended = world.ended(&run);
    assert_eq!((text(&ended, "state"), summary(&run).as_str()), ("completed", "Leave the tests alone"));
    assert_eq!(messages(&run), ["Leave the tests alone"]);
    let interrupts = run.heard().iter().filter(|line| line["request"]["subtype"] == "interrupt").count();
    assert_eq!(interrupts, 1);
}

#[test]
fn an_agent_whose_protocol_tells_no_beginning_of_a_turn_thinks_from_its_prompt_on() {
    let (world, repo) = world(conversation::thinking_by_protocol());
    let run = begin(&world, &repo);
    wait_for("its turn", LIMIT, || (world.show(&run)["activity"] == "thinking").then_some(()));
    world.release("agent");
    assert_eq!(text(&world.ended(&run), "state"), "completed");
    let did: Vec<Value> = events(&run, "activity").into_iter().map(|mut event| event["activity"].take()).collect();
    assert_eq!(did, ["starting", "thinking", "idle"]);
}

// proves I3
#[test]
fn a_message_to_an_agent_that_has_closed_its_input_is_not_reported_as_sent() {
    let script = "hear_message\nexec 0<&-\necho closed\nuntil [ -e \"$0.release\" ]; do sleep 0.05; done";
    let (world, repo) = world(conversation::speaking(script));
    let run = begin(&world, &repo);
    run.wait_for_output("closed");
    let refused = world.error(&["send", &run.id, "hello"], ErrorCode::NotDelivered);
    assert!(text(&refused, "message").contains("the agent no longer reads its input"), "{refused:#}");
    world.ok(&["stop", &run.id]);
}
