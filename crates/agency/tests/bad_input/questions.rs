//! The codes of answers and messages that do not reach an agent.

use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, agent, conversation, wait_for};

use super::refusal::{answers, hints, refused, says, world};

/// A run of an agent that waits for the answer to its question, and the question's id.
fn asked(world: &World, repo: &Repo) -> (Run, String) {
    let run = world.begin(repo, "asking", &["--host", "detached", "--mode", "headless"]);
    let event = wait_for("a question", Duration::from_secs(30), || {
        run.events().into_iter().find(|event| event["type"] == "question")
    });
    (run, event["question_id"].as_str().unwrap().to_owned())
}

// proves I5
#[test]
fn a_question_that_nobody_asked_is_not_answered() {
    let (world, repo) = world();
    for arguments in [&["answer", "q_7ZZ", "allow"][..], &["inbox", "show", "q_7ZZ"]] {
        let error = refused(&world, &repo, arguments, ErrorCode::QuestionNotFound);
        says(&error, &["q_7ZZ"]);
        hints(&error, "agency inbox");
    }
    world.error(&["answer", "q_7ZZ"], ErrorCode::Usage);
}

// proves I5
#[test]
fn an_answer_is_refused_if_it_does_not_fit_comes_second_or_too_late() {
    let (world, repo) = world();
    world.agent("asking", conversation::asking(1));
    let (run, id) = asked(&world, &repo);
    let error = refused(&world, &repo, &["answer", &id, "perhaps"], ErrorCode::InvalidAnswer);
    says(&error, &["perhaps"]);
    hints(&error, "allow, deny, allow-all");
    // Without variables, the name comes from the user database.
    assert!(world.run(world.command(&["answer", &id, "allow"]).env_remove("USER")).status.success());
    let error = answers(&world, || world.command(&["answer", &id, "deny"]), ErrorCode::AlreadyAnswered);
    let by = format!("answered by {} at", world.run(world.program("id").arg("-un")).stdout.trim());
    says(&error, &[&id, &by]);
    hints(&error, "agency inbox show");
    assert_eq!(world.ended(&run)["state"], "completed");

    let (run, id) = asked(&world, &repo);
    world.ok(&["stop", &run.id]);
    let error = refused(&world, &repo, &["answer", &id, "allow"], ErrorCode::QuestionExpired);
    says(&error, &[&id, "has expired"]);
    hints(&error, "agency inbox");
}

#[test]
fn an_agent_that_takes_no_messages_gets_none() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &["--host", "detached", "--mode", "headless"]);
    for arguments in [&["send", &run.id, "hello"][..], &["interrupt", &run.id]] {
        let error = refused(&world, &repo, arguments, ErrorCode::NotDelivered);
        says(&error, &[&run.id, "does not accept messages"]);
        hints(&error, "agency why");
    }
    world.release("waiting");
    assert_eq!(world.ended(&run)["state"], "completed");
}
