//! A process is killed at every step of asking, answering and telling.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;

use agency_model::ErrorCode;
use agency_system::fault::POINTS;
use agency_testkit::{Repo, Run, World, conversation, wait_for};
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::fixture::{LIMIT, answer, begin, begin_with, open, rows, shown, text, wait_for_question, world};

/// What is shown of an answer that may have reached the agent.
const UNKNOWN: &str = "the run has finished; whether the agent received the answer is not known";

/// At which steps whoever answers or tells is killed.
const ASKED_BY_USER: [&str; 3] = ["answer.begin", "answer.recorded", "tell.requested"];
/// At which steps the supervisor is killed.
const DONE_BY_SUPERVISOR: [&str; 6] =
    ["ask.heard", "ask.stored", "answer.delivering", "answer.written", "answer.delivered", "tell.taken"];

#[test]
fn every_step_of_a_conversation_is_played() {
    let talk = |point: &&str| ["ask.", "answer.", "tell."].iter().any(|topic| point.starts_with(topic));
    let played: BTreeSet<&str> = ASKED_BY_USER.into_iter().chain(DONE_BY_SUPERVISOR).collect();
    assert_eq!(played, POINTS.iter().copied().filter(talk).collect());
}

/// Runs a command that dies at a step.
#[track_caller]
fn die_at(world: &World, point: &str, arguments: &[&str]) {
    assert!(ASKED_BY_USER.contains(&point), "{point}");
    let output = world.run(world.command(arguments).env("AGENCY_FAULT_POINT", point));
    assert_eq!(output.status.signal(), Some(9), "{output}");
}

/// Starts a run whose supervisor dies at a step.
#[track_caller]
fn begin_doomed(world: &World, repo: &Repo, point: &str) -> Run {
    assert!(DONE_BY_SUPERVISOR.contains(&point), "{point}");
    let witness = world.root().join("witness");
    let variables = [("AGENCY_FAULT_POINT", point), ("AGENCY_FAULT_WITNESS", witness.to_str().unwrap())];
    begin_with(world, repo, &[], &variables)
}

/// The supervisor died at that step, the run is known to be over, and nothing is open.
#[track_caller]
fn died_at(world: &World, run: &Run, point: &str) {
    let witness = || fs::read_to_string(world.root().join("witness")).ok();
    // The file is there a moment before its content.
    let witness = wait_for("the fault point", LIMIT, || witness().filter(|witness| !witness.is_empty()));
    assert_eq!(witness.trim(), point);
    run.wait_until_unsupervised();
    assert_eq!(open(world, run), Vec::<Value>::new());
    assert!(text(&world.show(run), "error").starts_with("E_RUNNER_DISAPPEARED"));
}

// proves I5
#[test]
fn a_question_whose_answerer_died_before_its_answer_was_recorded_is_open() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    die_at(&world, "answer.begin", &["answer", &id, "deny"]);
    assert_eq!(open(&world, &run)[0]["id"], id.as_str());
    answer(&world, &id, &["allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(run.replies().len(), 1);
    assert_eq!(run.replies()[0].1["behavior"], "allow");
}

// proves I3, I5
#[test]
fn a_recorded_answer_is_delivered_once_although_its_answerer_died() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    die_at(&world, "answer.recorded", &["answer", &id, "deny"]);
    assert_eq!(open(&world, &run), Vec::<Value>::new());
    let error = world.error(&["answer", &id, "allow"], ErrorCode::AlreadyAnswered);
    assert_eq!(error["details"]["answer"]["answer"], "deny");
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(run.replies().len(), 1);
    assert_eq!(run.replies()[0].1["behavior"], "deny");
    assert_eq!(shown(&world, &id)["state"], "delivered");
}

// proves I5
#[test]
fn a_recorded_answer_is_delivered_although_nobody_looks_any_more() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    die_at(&world, "answer.recorded", &["answer", &id, "deny"]);
    // No further command: only the files are watched.
    wait_for("the end of the run", LIMIT, || run.file("done.json").exists().then_some(()));
    assert_eq!(run.replies()[0].1["behavior"], "deny");
}

#[test]
fn a_recorded_message_is_delivered_once_although_its_sender_died() {
    let (world, repo) = world(conversation::echoing());
    let run = begin(&world, &repo);
    run.wait_for_output("heard: do it");
    die_at(&world, "tell.requested", &["send", &run.id, "hello"]);
    // Whoever looks next rings.
    world.ok(&["ls"]);
    world.ok(&["ls"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let messages = run.heard().iter().filter(|line| line["message"]["content"] == "hello").count();
    assert_eq!(messages, 1);
}

// proves I5
#[test]
fn a_question_that_was_not_stored_was_not_shown_and_ends_with_its_supervisor() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_doomed(&world, &repo, "ask.heard");
    died_at(&world, &run, "ask.heard");
    assert_eq!(rows(&world, &run), []);
    assert!(!run.events().iter().any(|event| event["type"] == "question"));
}

// proves I5
#[test]
fn a_question_that_was_stored_expires_with_its_supervisor() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_doomed(&world, &repo, "ask.stored");
    died_at(&world, &run, "ask.stored");
    assert_eq!(rows(&world, &run), [("expired".to_owned(), "the run has finished".to_owned())]);
}

// proves I3, I5
#[test]
fn an_answer_that_the_agent_did_not_get_is_not_called_delivered() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_doomed(&world, &repo, "answer.delivering");
    let id = wait_for_question(&world, &run);
    let error = world.error(&["answer", &id, "allow"], ErrorCode::NotDelivered);
    assert!(text(&error, "message").contains(UNKNOWN), "{error:#}");
    died_at(&world, &run, "answer.delivering");
    assert_eq!(rows(&world, &run), [("answered".to_owned(), UNKNOWN.to_owned())]);
    assert_eq!(run.replies(), []);
}

// proves I3, I5
#[test]
fn an_answer_that_was_written_by_a_supervisor_that_died_then_has_not_expired() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_doomed(&world, &repo, "answer.written");
    let id = wait_for_question(&world, &run);
    world.error(&["answer", &id, "allow"], ErrorCode::NotDelivered);
    died_at(&world, &run, "answer.written");
    wait_for("the answer at the agent", LIMIT, || (run.replies().len() == 1).then_some(()));
    let shown = shown(&world, &id);
    assert_eq!((text(&shown, "state"), text(&shown, "outcome")), ("answered", UNKNOWN), "{shown:#}");
    world.error(&["answer", &id, "deny"], ErrorCode::AlreadyAnswered);
}

// proves I3, I5
#[test]
fn an_answer_that_the_supervisor_did_not_read_before_it_died_has_expired() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    kill_process(run.supervisor(), Signal::STOP).unwrap();
    die_at(&world, "answer.recorded", &["answer", &id, "allow"]);
    run.kill_supervisor();
    run.wait_until_unsupervised();
    world.ok(&["ls"]);
    assert_eq!(rows(&world, &run), [("expired".to_owned(), "the run has finished".to_owned())]);
}

#[test]
fn a_message_that_the_supervisor_read_before_it_died_is_not_reported_as_sent() {
    let (world, repo) = world(conversation::echoing());
    let run = begin_doomed(&world, &repo, "tell.taken");
    run.wait_for_output("heard: do it");
    let error = world.error(&["send", &run.id, "hello"], ErrorCode::NotDelivered);
    assert!(text(&error, "message").contains("the message was not delivered"), "{error:#}");
    died_at(&world, &run, "tell.taken");
}

// proves I3, I5
#[test]
fn an_answer_that_is_called_delivered_was_written_to_the_agent() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_doomed(&world, &repo, "answer.delivered");
    let id = wait_for_question(&world, &run);
    assert_eq!(answer(&world, &id, &["allow"])["outcome"], "sent by the agent's protocol");
    died_at(&world, &run, "answer.delivered");
    assert_eq!(shown(&world, &id)["state"], "delivered");
    wait_for("the answer at the agent", LIMIT, || (run.replies().len() == 1).then_some(()));
}
