//! An agent on a terminal of its own.

use agency_testkit::{RealAgent, Script, wait_for};

use super::scene::{LIMIT, Scene};

each_agent![a_prompt_is_answered_without_any_question_before];

fn a_prompt_is_answered_without_any_question_before(agent: RealAgent) {
    let scene = Scene::new(agent, Script::new().say("Hello from the model."));
    let run = scene.world.begin(&scene.repo, agent.runner(), &["--host", "tmux", "--mode", "interactive"]);
    assert!(scene.model.wait_for_turn(0).says("do it"));
    let session = format!("agency_{}", run.id);
    wait_for("the answer on the screen", LIMIT, || {
        scene.world.tmux(&["capture-pane", "-p", "-t", &session]).contains("Hello from the model.").then_some(())
    });
    scene.stop(&run);
}
