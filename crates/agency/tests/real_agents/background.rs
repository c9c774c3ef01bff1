//! Claude Code works on in its background when its turn is over: sub-agents and commands.

use std::fs;

use agency_testkit::{Form, RealAgent, Run, Script, Turn, wait_for};
use serde_json::{Value, json};

use super::scene::{LIMIT, Scene};

/// A word by which the model knows the conversation of the sub-agent.
const SUB_AGENT: &str = "look around as a sub-agent";

#[test]
fn a_permission_of_a_background_agent_is_answered_after_the_turn_that_started_it() {
    let agent = RealAgent::Claude;
    let start = json!({ "description": "Look around", "prompt": SUB_AGENT, "run_in_background": true });
    let work = Turn::new().think("Where to?").say("I look around.").and(agent.run_command("echo found > found.txt"));
    let script = Script::new()
        .tool("Agent", start)
        .say("It looks around.")
        .say("It has looked around.")
        .beside(SUB_AGENT, Script::new().turn(work).say("There it is."));
    let scene = Scene::asking(agent, script);
    let run = scene.begin_asking();
    let question = scene.question(&run);
    assert!(question["detail"].as_str().unwrap().contains("found.txt"), "{question:#}");
    wait_for("the end of the first turn", LIMIT, || (!of_kind(&run, "usage").is_empty()).then_some(()));
    scene.answer(&question, &["allow"]);
    let ended = scene.ended(&run);
    assert_eq!((&ended["state"], &ended["error"]), (&"completed".into(), &Value::Null), "{ended:#}");
    let worktree = ended["worktree_path"].as_str().unwrap();
    assert_eq!(fs::read_to_string(format!("{worktree}/found.txt")).unwrap(), "found\n");
    let done: Value = serde_json::from_slice(&fs::read(run.file("done.json")).unwrap()).unwrap();
    assert_eq!(done["summary"], "It has looked around.");

    let started = of_kind(&run, "tool_use").into_iter().find(|event| event["tool_name"] == "Agent").unwrap();
    let parent = &started["tool_id"];
    assert!(started["parent_tool_id"].is_null(), "{started:#}");
    for (kind, count) in [("thinking", 1), ("output", 2), ("tool_use", 1), ("tool_result", 1)] {
        let below = of_kind(&run, kind).into_iter().filter(|event| &event["parent_tool_id"] == parent);
        assert_eq!(below.count(), count, "{kind}");
    }
    let tasks: Vec<Value> = of_kind(&run, "task").iter().map(|task| task["status"].clone()).collect();
    assert_eq!((tasks.first(), tasks.last()), (Some(&"started".into()), Some(&"completed".into())), "{tasks:?}");
    // Three calls of the agent's model, and two of the sub-agent's.
    assert_eq!((&ended["usage"]["input_tokens"], &ended["usage"]["output_tokens"]), (&500.into(), &100.into()));
}

#[test]
fn a_background_command_is_waited_for_and_the_agent_takes_messages_meanwhile() {
    let agent = RealAgent::Claude;
    let command = "until [ -e go.txt ]; do sleep 0.1; done; echo late > late.txt";
    let input = json!({ "command": command, "description": "Wait", "run_in_background": true });
    let script = Script::new().tool("Bash", input).say("It runs.").say("Still.").say("It is over.");
    let scene = Scene::new(agent, script);
    let run = scene.begin_with(Form::Conversation, &["--prompt", "do it"]);
    wait_for("the end of the first turn", LIMIT, || (!of_kind(&run, "usage").is_empty()).then_some(()));
    let why = scene.world.json(&["why", &run.id])["data"].take();
    assert_eq!(why["activity"], "running_command", "{why:#}");
    scene.world.ok(&["send", &run.id, "how far is it?"]);
    assert!(scene.model.wait_for_turn(2).says("how far is it?"));
    let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
    fs::write(format!("{}/go.txt", worktree.as_str().unwrap()), "").unwrap();
    let ended = scene.ended(&run);
    assert_eq!((&ended["state"], &ended["error"]), (&"completed".into(), &Value::Null), "{ended:#}");
    assert_eq!(fs::read_to_string(format!("{}/late.txt", worktree.as_str().unwrap())).unwrap(), "late\n");
    assert!(scene.model.wait_for_turn(3).says("Wait"), "the model was told of the end of the command");
}

#[test]
fn a_plan_is_shown_with_the_question_whether_it_is_right() {
    let agent = RealAgent::Claude;
    let plan = "# The plan\n\n1. Look\n2. Change it";
    let script = Script::new().tool("ExitPlanMode", json!({ "plan": plan })).say("Then I begin.");
    let scene = Scene::asking(agent, script);
    let run = scene.begin_of(Form::Conversation, &["--prompt", "do it"], &["--permission-mode", "plan"]);
    let question = scene.question(&run);
    assert_eq!((&question["kind"], &question["detail"]), (&"plan".into(), &plan.into()), "{question:#}");
    scene.answer(&question, &["allow"]);
    assert_eq!(scene.ended(&run)["state"], "completed");
}

fn of_kind(run: &Run, kind: &str) -> Vec<Value> {
    run.events().into_iter().filter(|event| event["type"] == kind).collect()
}
