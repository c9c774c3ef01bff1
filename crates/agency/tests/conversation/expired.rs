//! Questions that nobody waits for any more.

use agency_model::ErrorCode;
use agency_testkit::{Run, World, conversation, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, answer, begin, begin_with, events, open, shown, text, wait_for_question, world};

/// The question is over, says so to whoever answers it, and is not in the inbox.
#[track_caller]
fn is_expired(world: &World, run: &Run, question: &str, why: &str) {
    assert_eq!(open(world, run), Vec::<Value>::new());
    let error = world.error(&["answer", question, "allow"], ErrorCode::QuestionExpired);
    for words in [question, why] {
        assert!(text(&error, "message").contains(words), "`{words}` is not in {error:#}");
    }
    let row = shown(world, question);
    assert_eq!((text(&row, "state"), &row["answer"]), ("expired", &Value::Null));
    assert_eq!(row["outcome"], error["details"]["outcome"]);
    assert_eq!(run.replies(), []);
}

// proves I5, P12
#[test]
fn a_stopped_run_does_not_wait_for_its_answers() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    world.ok(&["stop", &run.id]);
    is_expired(&world, &run, &id, "the process that asked is gone");
    let told = events(&run, "answer");
    assert_eq!((told.len(), text(&told[0], "by")), (1, "nobody"));
    assert_eq!(told[0]["outcome"], "expired: the process that asked is gone");
    let did: Vec<Value> = events(&run, "activity").into_iter().map(|mut event| event["activity"].take()).collect();
    assert_eq!(did, ["starting", "thinking", "waiting_for_user"], "who is gone does not think");
}

// proves I5
#[test]
fn an_agent_that_ends_does_not_wait_for_its_answers() {
    let (world, repo) = world(conversation::speaking("hear_message\npermission 1\nexit 3"));
    let run = begin(&world, &repo);
    assert_eq!(world.ended(&run)["state"], "failed");
    let id = text(&events(&run, "question")[0], "question_id").to_owned();
    is_expired(&world, &run, &id, "the process that asked is gone");
}

// proves I5
#[test]
fn what_the_agent_withdrew_is_expired_and_the_run_goes_on() {
    let (world, repo) = world(conversation::withdrawing());
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    world.release("agent");
    wait_for("the withdrawal", LIMIT, || (shown(&world, &id)["state"] == "expired").then_some(()));
    is_expired(&world, &run, &id, "the agent withdrew it");
    assert_eq!(world.show(&run)["state"], "running");
    wait_for("another activity", LIMIT, || (world.show(&run)["activity"] == "thinking").then_some(()));
    world.ok(&["stop", &run.id]);
}

// proves I5
#[test]
fn the_questions_of_a_supervisor_that_was_killed_expire_with_the_run_and_say_so() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    run.kill_supervisor();
    is_expired(&world, &run, &id, "the run has finished");
    let row = world.show(&run);
    assert_eq!(row["state"], "failed");
    assert!(text(&row, "error").starts_with("E_RUNNER_DISAPPEARED"), "{row:#}");
}

// proves I5
#[test]
fn an_agent_that_asks_again_after_a_crash_asks_a_new_question_that_names_the_old() {
    let (world, repo) = world(conversation::crashing_once());
    let run = begin_with(&world, &repo, &["--restart", "on-crash"], &[]);
    let old = wait_for_question(&world, &run);
    assert_eq!(shown(&world, &old)["repeats"], Value::Null);
    world.release("agent");
    let new = wait_for("another question", LIMIT, || {
        let open = open(&world, &run);
        open.first().map(|question| text(question, "id").to_owned()).filter(|id| *id != old)
    });
    assert_eq!(shown(&world, &new)["repeats"], old.as_str());
    assert_eq!(events(&run, "question")[1]["repeats"], old.as_str());
    let error = world.error(&["answer", &old, "allow"], ErrorCode::QuestionExpired);
    assert!(text(&error, "message").contains("the process that asked is gone"), "{error:#}");
    answer(&world, &new, &["allow"]);
    let ended = world.ended(&run);
    assert_eq!((&ended["state"], &ended["attempt"]), (&"completed".into(), &2.into()), "{ended:#}");
    assert_eq!(run.replies().len(), 1);
}
