//! Agents that crash, and come back.

use agency_testkit::{Run, World, agent, conversation, wait_for};
use rustix::process::{Signal, kill_process};

use super::fixture::{LIMIT, said, spawn, spawn_words, told, wait_for_events, wait_for_state, world};

fn attempts(run: &Run) -> Vec<u64> {
    let events = run.events().into_iter().filter(|event| event["type"] == "attempt");
    events.map(|event| event["attempt"].as_u64().unwrap()).collect()
}

// proves P11
#[test]
fn an_agent_that_crashes_in_mid_work_goes_on_with_its_conversation_and_what_it_was_told() {
    let (world, repo) = world(conversation::staying());
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    wait_for_state(&world, "alice", "idle");
    world.ok(&["send", "alice", "please crash"]);
    wait_for("the second attempt at work", LIMIT, || (said(&run).len() >= 5).then_some(()));
    wait_for_state(&world, "alice", "idle");
    let said = said(&run);
    assert_eq!(said[..3], ["started with: ", "heard: begin", "heard: please crash"]);
    assert_eq!(said[3], format!("started with: --resume conversation-of-{}", run.id));
    assert!(said[4].starts_with("heard: Your process ended unexpectedly"), "{said:?}");
    assert!(said[4].contains("please crash"), "what may not have been read is told again: {said:?}");
    let errors: Vec<String> =
        wait_for_events(&run, "error", 1).iter().map(|event| event["message"].as_str().unwrap().to_owned()).collect();
    assert_eq!(errors, ["the agent crashed; it is started again with its conversation"]);
    assert_eq!(attempts(&run), [1, 2]);
    // Each attempt has its own part of the logs.
    let log = |attempt: &str| world.ok(&["logs", "alice", "--stdout", "--attempt", attempt]).stdout;
    assert!(log("1").contains("please crash") && !log("1").contains("--resume"), "{}", log("1"));
    assert!(log("2").contains("--resume") && !log("2").contains("heard: begin"), "{}", log("2"));
    assert_eq!(log("1") + &log("2"), world.ok(&["logs", "alice", "--stdout"]).stdout);
    world.error(&["logs", "alice", "--attempt", "3"], agency_model::ErrorCode::Usage);
}

// proves P11
#[test]
fn an_agent_that_is_killed_while_it_waits_comes_back_and_is_told_nothing() {
    let (world, repo) = world(conversation::staying());
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    wait_for_state(&world, "alice", "idle");
    kill_process(run.agent(), Signal::KILL).unwrap();
    wait_for_events(&run, "attempt", 2);
    wait_for_state(&world, "alice", "idle");
    world.ok(&["send", "alice", "are you there?"]);
    wait_for("the answer", LIMIT, || said(&run).contains(&"heard: are you there?".to_owned()).then_some(()));
    assert_eq!(told(&run), ["begin", "are you there?"]);
}

// proves P11
#[test]
fn a_message_that_comes_while_the_agent_is_away_waits_for_it() {
    let (world, repo) = world(conversation::staying());
    let path = world.root().join("home/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("pauses_seconds = [0]", "pauses_seconds = [3]")).unwrap();
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    wait_for_state(&world, "alice", "idle");
    kill_process(run.agent(), Signal::KILL).unwrap();
    wait_for_state(&world, "alice", "error");
    world.ok(&["send", "alice", "when you are back"]);
    wait_for("the answer", LIMIT, || said(&run).contains(&"heard: when you are back".to_owned()).then_some(()));
    assert_eq!(attempts(&run), [1, 2]);
}

// proves P11
#[test]
fn a_message_that_comes_while_an_agent_on_a_terminal_is_away_waits_for_it() {
    let (world, repo) = world("while IFS= read -r line; do printf '%s\\n' \"$line\" >>\"$0.heard\"; done");
    let path = world.root().join("home/config.toml");
    let config = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, config.replace("pauses_seconds = [0]", "pauses_seconds = [3]")).unwrap();
    let run = spawn(&world, &repo, "alice", &["--mode", "interactive"]);
    wait_for_events(&run, "attempt", 1);
    kill_process(run.agent(), Signal::KILL).unwrap();
    wait_for_events(&run, "restart", 1);
    let sent = world.json(&["send", "alice", "when you are back"]);
    assert_eq!(sent["ok"], true, "{sent:#}");
    assert_eq!(attempts(&run), [1, 2], "it was sent to the second process");
    let heard = world.root().join("agents/agent.heard");
    wait_for("the message", LIMIT, || {
        std::fs::read_to_string(&heard).is_ok_and(|heard| heard == "when you are back\n").then_some(())
    });
    // A message to an agent that does not come back is not lost in silence.
    for crash in 2..=3 {
        wait_for_events(&run, "attempt", crash);
        kill_process(run.agent(), Signal::KILL).unwrap();
        wait_for_events(&run, "exit", crash);
    }
    wait_for_state(&world, "alice", "stopped");
    world.error(&["send", "alice", "and now?"], agency_model::ErrorCode::InvalidState);
}

// proves P11
#[test]
fn an_agent_that_crashes_three_times_in_a_row_is_stopped_with_an_error() {
    let (world, repo) = world(agent::failing(3));
    let run = spawn(&world, &repo, "alice", &["--prompt", "do it"]);
    let ended = wait_for_state(&world, "alice", "stopped");
    assert_eq!((&ended["run"]["state"], &ended["run"]["attempt"]), (&"failed".into(), &3.into()), "{ended:#}");
    assert_eq!(ended["run"]["exit_code"], 3);
    let errors: Vec<String> =
        wait_for_events(&run, "error", 3).iter().map(|event| event["message"].as_str().unwrap().to_owned()).collect();
    assert_eq!(errors[0], "the agent crashed; it is started again from the beginning");
    assert_eq!(errors[2], "the agent crashed 3 times in a row and is not started again");
    assert_eq!(wait_for_events(&run, "restart", 2)[1]["failures"], 2);
}

// proves P11
#[test]
fn crashes_are_forgotten_when_the_agent_was_well_for_long_enough() {
    let (mut world, repo) = world(conversation::staying());
    // Ten of these minutes are half a second.
    world.shorten_minutes(std::time::Duration::from_millis(50));
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    for crash in 1..=4 {
        wait_for_state(&world, "alice", "idle");
        kill_process(run.agent(), Signal::KILL).unwrap();
        wait_for_events(&run, "attempt", crash + 1);
        wait_for_events(&run, "notice", crash);
    }
    let failures: Vec<u64> =
        wait_for_events(&run, "restart", 4).iter().map(|event| event["failures"].as_u64().unwrap()).collect();
    assert_eq!(failures, [1, 1, 1, 1]);
}

// proves P11, I5
#[test]
fn a_question_of_an_agent_that_crashes_expires_and_is_asked_again() {
    let (world, repo) = world(conversation::crashing_once());
    let run = spawn(&world, &repo, "alice", &["--prompt", "do it"]);
    let open = || world.json(&["inbox"])["data"]["questions"].as_array().unwrap().clone();
    let first = wait_for("the question", LIMIT, || open().first().cloned());
    world.release("agent");
    let second =
        wait_for("the second question", LIMIT, || open().into_iter().find(|question| question["id"] != first["id"]));
    let id = second["id"].as_str().unwrap();
    assert_eq!(world.json(&["inbox", "show", id])["data"]["repeats"], first["id"]);
    world.error(&["answer", first["id"].as_str().unwrap(), "allow"], agency_model::ErrorCode::QuestionExpired);
    world.ok(&["answer", id, "allow"]);
    wait_for_state(&world, "alice", "idle");
    assert_eq!(attempts(&run), [1, 2]);
}

// proves P11
#[test]
fn a_stopped_agent_is_not_started_again() {
    let (world, repo) = world(conversation::staying());
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    wait_for_state(&world, "alice", "idle");
    world.ok(&["agent", "stop", "alice"]);
    run.wait_until_gone();
    assert_eq!(attempts(&run), [1]);
    assert!(run.events().iter().all(|event| event["type"] != "restart"));
}

/// Restarts the agent twice, and returns what its next two runs received.
fn told_after_restarts(world: &World) -> [Vec<String>; 2] {
    [(); 2].map(|()| {
        let answer = world.json(&["agent", "restart", "alice"]);
        let run = world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap_or_else(|| panic!("{answer:#}")));
        world.ok(&["send", "alice", "the last one"]);
        wait_for("the last message", LIMIT, || told(&run).contains(&"the last one".to_owned()).then(|| told(&run)))
    })
}

// proves P11
#[test]
fn a_message_that_a_killed_supervisor_did_not_read_reaches_the_restarted_agent_once() {
    let (world, repo) = world(conversation::staying());
    let run = spawn(&world, &repo, "alice", &["--prompt", "begin"]);
    wait_for_state(&world, "alice", "idle");
    world.ok(&["send", "alice", "delivered"]);
    // The first message may wake it once more, and it would read the second one.
    run.suspend_supervisor();
    let sent = world.run(world.command(&["send", "alice", "kept"]).env("AGENCY_FAULT_POINT", "tell.requested"));
    assert!(!sent.status.success(), "{sent}");
    run.kill_supervisor();
    run.wait_until_unsupervised();
    assert_eq!(told_after_restarts(&world), [vec!["kept", "the last one"], vec!["the last one"]]);
}

// proves P11
#[test]
fn a_message_that_a_killed_supervisor_had_read_and_not_sent_reaches_the_restarted_agent_once() {
    let (world, repo) = world(conversation::staying());
    let words = spawn_words(&repo, "alice", &["--prompt", "begin"]);
    let spawned = world.run(world.command(&words).env("AGENCY_FAULT_POINT", "tell.taken"));
    assert!(spawned.status.success(), "{spawned}");
    wait_for_state(&world, "alice", "idle");
    let error = world.error(&["send", "alice", "kept"], agency_model::ErrorCode::NotDelivered);
    assert!(error["message"].as_str().unwrap().contains("the agent gets it when it is restarted"), "{error:#}");
    assert_eq!(told_after_restarts(&world), [vec!["kept", "the last one"], vec!["the last one"]]);
}
