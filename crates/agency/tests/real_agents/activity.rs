//! What an agent does, as its protocol says it.

use std::fs;

use agency_testkit::{RealAgent, Run, Script, Turn, wait_for};

use serde_json::json;

use super::scene::{LIMIT, Scene};

#[test]
fn claude_thinks_while_its_model_is_asked() {
    thinks_while_its_model_is_asked(RealAgent::Claude);
}

#[test]
fn codex_thinks_while_its_model_is_asked() {
    thinks_while_its_model_is_asked(RealAgent::Codex);
}

#[test]
fn gemini_thinks_while_its_model_is_asked() {
    thinks_while_its_model_is_asked(RealAgent::Gemini);
}

#[test]
fn opencode_thinks_while_its_model_is_asked() {
    thinks_while_its_model_is_asked(RealAgent::Opencode);
}

fn thinks_while_its_model_is_asked(agent: RealAgent) {
    let silence = Turn::new().say("Never said.").first_byte_after(LIMIT * 2);
    let scene = Scene::new(agent, Script::new().turn(silence));
    let run = scene.begin();
    scene.model.wait_for_turn(0);
    wait_until(&scene, &run, "thinking");
    scene.stop(&run);
}

#[test]
fn claude_runs_a_command_after_it_was_allowed() {
    runs_a_command_after_it_was_allowed(RealAgent::Claude);
}

#[test]
fn codex_runs_a_command_after_it_was_allowed() {
    runs_a_command_after_it_was_allowed(RealAgent::Codex);
}

fn runs_a_command_after_it_was_allowed(agent: RealAgent) {
    let command = "echo begun > begun.txt; until [ -e go.txt ]; do sleep 0.1; done";
    let scene = Scene::asking(agent, Script::new().turn(agent.run_command_if_allowed(command)).say("Done."));
    let run = scene.begin_asking();
    let question = scene.question(&run);
    scene.answer(&question, &["allow"]);
    let activities = || -> Vec<String> {
        let events = run.events().into_iter().filter(|event| event["type"] == "activity");
        events.map(|event| event["activity"].as_str().unwrap().to_owned()).collect()
    };
    wait_for("the command", LIMIT, || (activities().last()? != "waiting_for_user").then_some(()));
    let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
    fs::write(format!("{}/go.txt", worktree.as_str().unwrap()), "").unwrap();
    assert_eq!(scene.ended(&run)["state"], "completed");
    let activities = activities();
    let waited = activities.iter().position(|activity| activity == "waiting_for_user").unwrap();
    assert_eq!(activities[waited + 1], "running_command", "{activities:?}");
}

#[test]
fn a_message_before_an_interrupt_of_codex_is_not_lost() {
    let agent = RealAgent::Codex;
    // Codex itself stops waiting for a command after a while, ten seconds by default.
    let input = json!({ "cmd": "until [ -e go.txt ]; do sleep 0.1; done", "yield_time_ms": 30_000 });
    let script = Script::new().tool("exec_command", input).say("Then the other.");
    let scene = Scene::new(agent, script);
    let run = scene.begin();
    wait_until(&scene, &run, "running_command");
    scene.world.ok(&["send", &run.id, "do the other thing"]);
    scene.world.ok(&["interrupt", &run.id]);
    let asked = scene.model.wait_for_turn(1);
    assert!(asked.says("do the other thing"));
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let told = scene.model.turns().iter().filter(|request| request.says("do the other thing")).count();
    assert_eq!(told, 1, "it is sent once");
}

#[test]
fn a_message_that_codex_has_taken_and_not_begun_to_answer_is_not_lost_by_an_interrupt() {
    let input = json!({ "cmd": "until [ -e go.txt ]; do sleep 0.1; done", "yield_time_ms": 30_000 });
    let silence = Turn::new().say("Never said.").first_byte_after(LIMIT * 2);
    let script = Script::new().tool("exec_command", input).turn(silence);
    let scene = Scene::new(RealAgent::Codex, script);
    let run = scene.begin();
    wait_until(&scene, &run, "running_command");
    scene.world.ok(&["send", &run.id, "do the other thing"]);
    let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
    fs::write(format!("{}/go.txt", worktree.as_str().unwrap()), "").unwrap();
    // The model has it, and does not say anything.
    assert!(scene.model.wait_for_turn(1).says("do the other thing"));
    scene.world.ok(&["interrupt", &run.id]);
    let asked = || scene.model.turns().iter().filter(|request| request.says("do the other thing")).count();
    wait_for("another turn with the message", LIMIT, || (asked() == 2).then_some(()));
    scene.stop(&run);
}

/// Waits until an agent does something.
#[track_caller]
fn wait_until(scene: &Scene, run: &Run, activity: &str) {
    wait_for(activity, LIMIT, || {
        let why = scene.world.json(&["why", &run.id])["data"].take();
        (why["activity"] == activity).then_some(())
    });
}
