//! An agent that does what it should: all of them tell the same story.

use std::fs;

use agency_testkit::{Form, RealAgent, Run, Script, Turn};
use serde_json::Value;

use super::scene::Scene;

each_agent![
    work_in_a_conversation_is_done_and_told,
    work_in_one_shot_is_done_and_told,
    a_turn_with_several_calls_is_told_whole
];

fn work_in_a_conversation_is_done_and_told(agent: RealAgent) {
    work_is_done_and_told(agent, Form::Conversation);
}

fn work_in_one_shot_is_done_and_told(agent: RealAgent) {
    work_is_done_and_told(agent, Form::OneShot);
}

// proves P3, P5, I8
fn work_is_done_and_told(agent: RealAgent, form: Form) {
    let script = Script::new()
        .turn(agent.write_file("hello.txt", "hello\n"))
        .turn(agent.run_command("cat hello.txt && echo shell-ok"))
        .say("All done: wrote hello.txt.");
    let scene = Scene::new(agent, script);
    let run = scene.begin_with(form, &["--prompt", "do it"]);
    let ended = scene.ended(&run);
    assert_eq!((&ended["state"], &ended["exit_code"], &ended["error"]), (&"completed".into(), &0.into(), &Value::Null));
    assert!(!ended["agent_session"].as_str().unwrap().is_empty());
    let used = match (agent, form) {
        // In a conversation it counts only the last call of its model.
        (RealAgent::Opencode, Form::Conversation) => (100, 20),
        (_, _) => (300, 60),
    };
    assert_eq!((&ended["usage"]["input_tokens"], &ended["usage"]["output_tokens"]), (&used.0.into(), &used.1.into()));

    let worktree = ended["worktree_path"].as_str().unwrap();
    assert_eq!(fs::read_to_string(format!("{worktree}/hello.txt")).unwrap(), "hello\n");
    assert!(scene.model.wait_for_turn(2).says("shell-ok"), "the model was told what the command printed");

    assert_eq!(kinds(&run), story(agent, form));
    let done = serde_json::from_slice::<Value>(&fs::read(run.file("done.json")).unwrap()).unwrap();
    assert_eq!(done["summary"], "All done: wrote hello.txt.");
    assert_eq!(done["changed_files"][0]["path"], "hello.txt");
    // On a busy machine a program may take longer to say its version than a run waits for it.
    let version = &ended["agent_version"];
    assert!(*version == agent.version() || version.is_null(), "{version}");
    assert_eq!(said(&run), "All done: wrote hello.txt.");
    let results = successes(&run);
    let printed = results[1]["output"].as_str().unwrap();
    match (agent, form) {
        // In a conversation it does not tell what a command printed.
        (RealAgent::Gemini, Form::Conversation) => assert_eq!(printed, ""),
        (_, _) => assert!(printed.contains("shell-ok"), "{results:?}"),
    }
    for (used, result) in of_kind(&run, "tool_use").iter().zip(&results) {
        assert_eq!((&used["tool_id"], &used["tool_name"]), (&result["tool_id"], &result["tool_name"]));
    }
}

fn a_turn_with_several_calls_is_told_whole(agent: RealAgent) {
    let both = agent.write_file("one.txt", "1\n").and(agent.write_file("two.txt", "2\n"));
    let script =
        Script::new().turn(Turn::new().think("Two files.").say("I write both.").and(both)).say("Both are there.");
    let scene = Scene::new(agent, script);
    let run = scene.begin();
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let worktree = ended["worktree_path"].as_str().unwrap();
    for (name, text) in [("one.txt", "1\n"), ("two.txt", "2\n")] {
        assert_eq!(fs::read_to_string(format!("{worktree}/{name}")).unwrap(), text);
    }
    // Some tell both uses before the first result.
    assert_eq!((of_kind(&run, "tool_use").len(), successes(&run).len()), (2, 2));
    assert_eq!(said(&run), "I write both.Both are there.");
    let turns: Vec<_> = scene.model.turns().iter().map(|request| request.turn).collect();
    assert_eq!(turns, [Some(0), Some(1)]);
}

/// The kinds of events that such a run has.
fn story(agent: RealAgent, form: Form) -> Vec<&'static str> {
    // Who counts step by step tells it after each; the others count once, at the end.
    let step: &[&str] = match (agent, form) {
        (RealAgent::Opencode, Form::OneShot) | (RealAgent::Codex, Form::Conversation) => {
            &["tool_use", "tool_result", "usage"]
        }
        (_, _) => &["tool_use", "tool_result"],
    };
    let begin: &[&str] = &["state_change", "state_change", "attempt"];
    let end: &[&str] = &["output", "usage", "exit", "state_change", "completed"];
    [begin, step, step, end].concat()
}

/// The kinds of a run's events. Some agents say a text in pieces: that is one.
fn kinds(run: &Run) -> Vec<String> {
    // What it was doing follows from the rest, and when checkpoints are taken depends on how its turns end.
    let events = run.events().into_iter().filter(|event| event["type"] != "activity" && event["type"] != "checkpoint");
    let mut kinds: Vec<String> = events.map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    kinds.dedup_by(|next, before| next == before && next == "output");
    kinds
}

fn of_kind(run: &Run, kind: &str) -> Vec<Value> {
    run.events().into_iter().filter(|event| event["type"] == kind).collect()
}

/// All that the agent said.
fn said(run: &Run) -> String {
    of_kind(run, "output").iter().map(|event| event["text"].as_str().unwrap()).collect()
}

/// The results of the agent's tools, each of which has to be a success.
#[track_caller]
fn successes(run: &Run) -> Vec<Value> {
    let results = of_kind(run, "tool_result");
    assert!(results.iter().all(|result| result["success"] == true), "{results:?}");
    results
}
