//! A model that refuses to answer.

use agency_testkit::{RealAgent, Script, wait_for};

use super::scene::{LIMIT, Scene};

each_agent![a_refused_key_fails_the_run, a_broken_model_ends_the_run];

fn a_refused_key_fails_the_run(agent: RealAgent) {
    let scene = Scene::new(agent, Script::failing(401));
    let run = scene.begin();
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let messages = run.messages();
    assert!(messages.iter().any(|message| message.contains("the scripted model answers 401")), "{messages:?}");
    run.wait_until_gone();
}

fn a_broken_model_ends_the_run(agent: RealAgent) {
    let scene = Scene::new(agent, Script::failing(500));
    let run = scene.begin();
    let told = match agent {
        RealAgent::Claude | RealAgent::Gemini => "the scripted model answers 500",
        // It has words of its own for every 500.
        RealAgent::Codex => "experiencing high demand",
        // It asks again for ever and says nothing.
        RealAgent::Opencode => {
            let again = || (scene.model.turns().len() > 1).then_some(());
            wait_for("a second attempt", LIMIT, again);
            return scene.stop(&run);
        }
    };
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let messages = run.messages();
    assert!(messages.iter().any(|message| message.contains(told)), "{messages:?}");
    run.wait_until_gone();
}
