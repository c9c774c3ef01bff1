//! A process that sends comments is killed at every step: each comment reaches the agent once.

use std::os::unix::process::ExitStatusExt;

use agency_model::ErrorCode;
use agency_testkit::{Run, World, conversation};

use super::fixture::{begin, world};
use super::reviewing::{review, reviewed, states};

#[track_caller]
fn die_at(world: &World, point: &str, arguments: &[&str]) {
    let output = world.run(world.command(arguments).env("AGENCY_FAULT_POINT", point));
    assert_eq!(output.status.signal(), Some(9), "{point}: {output}");
}

/// How many runs received the comment.
fn received(world: &World) -> Vec<Run> {
    let has_comment = |run: &Run| {
        let heard = run.heard();
        heard.iter().any(|line| line["message"]["content"].as_str().is_some_and(|text| text.contains("Change it")))
    };
    world.runs().into_iter().filter(has_comment).collect()
}

#[test]
fn a_message_with_comments_is_delivered_once_although_its_sender_died() {
    for point in ["review.sent", "review.delivered"] {
        let (world, repo) = world(conversation::echoing());
        let run = begin(&world, &repo);
        run.wait_for_output("heard: do it");
        die_at(&world, point, &["review", &run.id, "--comment", "README.md:1:Change it", "--send"]);
        // What the dead sender left is in the database, and not sent again.
        world.error(&["review", &run.id, "--send"], ErrorCode::InvalidState);
        assert_eq!(world.ended(&run)["state"], "completed", "{point}");
        let users = run.heard().into_iter().filter(|line| line["type"] == "user").count();
        assert_eq!(users, 2, "{point}: the prompt and one message");
        let found = review(&world, &run, &[]);
        assert_eq!(states(&found), ["sent"], "{point}");
        assert!(!found["comments"][0]["delivered_at"].is_null(), "{point}: {found:#}");
    }
}

#[test]
fn a_prompt_with_comments_is_delivered_once_although_its_sender_died() {
    let points =
        ["review.claimed", "run.locked", "run.inserted", "run.prompt", "run.hosted", "run.ordered", "run.reported"];
    for point in points.into_iter().chain(["review.delivered"]) {
        let (world, _repo, run) = reviewed();
        die_at(&world, point, &["review", &run.id, "--comment", "work.txt:2:Change it", "--send"]);
        // The run that the dead sender left may have begun, or it is known not to begin any more.
        for left in world.runs() {
            world.ended(&left);
        }
        let state = states(&review(&world, &run, &[])).remove(0);
        let before = received(&world).len();
        match state.as_str() {
            "open" => {
                assert_eq!(before, 0, "{point}");
                let sent = review(&world, &run, &["--send"]);
                world.ended(&world.run_with_id(sent["sent"]["run_id"].as_str().unwrap()));
            }
            "addressed" => {
                world.error(&["review", &run.id, "--send"], ErrorCode::InvalidState);
            }
            other => panic!("{point}: {other}"),
        }
        assert_eq!(received(&world).len(), 1, "{point}: {state}");
        assert_eq!(states(&review(&world, &run, &[])), ["addressed"], "{point}");
    }
}

#[test]
fn an_approval_whose_process_died_is_recorded_and_can_be_repeated() {
    let (world, _repo, run) = reviewed();
    die_at(&world, "review.approved", &["review", &run.id, "--approve"]);
    assert_eq!(review(&world, &run, &[])["approved"], true);
    assert_eq!(review(&world, &run, &["--approve"])["approved"], true);
}

#[test]
fn comments_are_sent_by_one_of_several_processes() {
    let (world, _repo, run) = reviewed();
    review(&world, &run, &["--comment", "work.txt:2:Change it"]);
    let senders: Vec<_> = (0..4).map(|_| world.spawn(&["--json", "review", &run.id, "--send"])).collect();
    let succeeded = senders.into_iter().map(|sender| sender.wait()).filter(|output| output.status.success()).count();
    assert_eq!(succeeded, 1);
    for left in world.runs() {
        world.ended(&left);
    }
    assert_eq!(received(&world).len(), 1);
}
