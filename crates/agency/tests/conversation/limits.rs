//! Agents that do nothing, and questions that nobody answers. Minutes are short here.

use std::time::Instant;

use agency_testkit::{agent, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, answer, begin_with, events, rows, text, wait_for_question, world};

/// A minute of 300 milliseconds.
const SHORT: (&str, &str) = ("AGENCY_MINUTE_MS", "300");

// proves I7
#[test]
fn an_agent_without_a_sign_of_life_is_ended_and_says_why() {
    for agent in [conversation::silent(), agent::stubborn()] {
        let (world, repo) = world(agent);
        let run = begin_with(&world, &repo, &["--no-progress-minutes", "1"], &[SHORT]);
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"timeout".into()), "{ended:#}");
        let error = text(&ended, "error");
        assert!(error.starts_with("E_TIMEOUT") && error.contains("made no progress"), "{error}");
        run.wait_until_gone();
    }
}

// proves I7
#[test]
fn who_waits_for_a_human_is_not_without_progress_but_who_got_the_answer_may_be() {
    let (world, repo) = world(conversation::speaking("hear_message\npermission 1\nhear_the_end"));
    let run = begin_with(&world, &repo, &["--no-progress-minutes", "1"], &[SHORT]);
    let id = wait_for_question(&world, &run);
    let asked = Instant::now();
    wait_for("three of our minutes", LIMIT, || (asked.elapsed().as_millis() > 900).then_some(()));
    assert_eq!(world.show(&run)["state"], "running");
    answer(&world, &id, &["allow"]);
    let ended = world.ended(&run);
    assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"timeout".into()), "{ended:#}");
    assert_eq!(run.replies().len(), 1);
}

// proves I7
#[test]
fn an_agent_that_gives_signs_of_life_goes_on() {
    let work = "for turn in 1 2 3 4 5 6 7 8; do tell \"still at it\"; sleep 0.3; done\nfinish done\nhear_the_end";
    let (world, repo) = world(conversation::speaking(&format!("hear_message\n{work}")));
    let run = begin_with(&world, &repo, &["--no-progress-minutes", "7"], &[SHORT]);
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
}

// proves I7
#[test]
fn a_question_that_nobody_answers_in_time_ends_the_run() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin_with(&world, &repo, &["--question-minutes", "2"], &[SHORT]);
    let ended = world.ended(&run);
    assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"timeout".into()), "{ended:#}");
    let error = text(&ended, "error");
    assert!(error.starts_with("E_TIMEOUT") && error.contains("without an answer"), "{error}");
    assert_eq!(rows(&world, &run)[0].0, "expired");
    assert_eq!(events(&run, "answer")[0]["answer"], Value::Null);
}

// proves I7
#[test]
fn each_question_has_a_time_of_its_own() {
    let (world, repo) = world(conversation::asking(3));
    let run = begin_with(&world, &repo, &["--question-minutes", "10"], &[SHORT]);
    let asked = Instant::now();
    for _ in 0..3 {
        let id = wait_for_question(&world, &run);
        let part = Instant::now();
        wait_for("a part of the time", LIMIT, || (part.elapsed().as_millis() > 1100).then_some(()));
        answer(&world, &id, &["allow"]);
    }
    assert!(asked.elapsed().as_millis() > 3000, "all of them together took longer than one may");
    assert_eq!(world.ended(&run)["state"], "completed");
}
