//! A model that refuses to answer.

use std::time::Duration;

use agency_testkit::{Form, RealAgent, Run, Script, Turn, wait_for};

use super::scene::{LIMIT, Scene};

each_agent![
    a_refused_key_fails_the_run,
    a_broken_model_ends_the_run,
    a_model_that_is_silent_is_not_waited_for,
    a_model_that_is_not_there_is_not_waited_for
];

fn a_refused_key_fails_the_run(agent: RealAgent) {
    let scene = Scene::new(agent, Script::failing(401));
    let run = scene.begin();
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "failed", "{ended:#}");
    let messages = run.messages();
    assert!(messages.iter().any(|message| message.contains("the scripted model answers 401")), "{messages:?}");
    assert!(ended["error"].as_str().unwrap().contains("401"), "{ended:#}");
    run.wait_until_gone();
}

// proves I7
fn a_model_that_is_silent_is_not_waited_for(agent: RealAgent) {
    let silence = Turn::new().say("Too late.").first_byte_after(LIMIT);
    let mut scene = Scene::new(agent, Script::new().turn(silence));
    let run = begin_impatiently(&mut scene);
    let ended = scene.ended(&run);
    assert_eq!((&ended["state"], &ended["reason"]), (&"failed".into(), &"timeout".into()), "{ended:#}");
    assert!(ended["error"].as_str().unwrap().starts_with("E_TIMEOUT: "), "{ended:#}");
    run.wait_until_gone();
}

fn a_model_that_is_not_there_is_not_waited_for(agent: RealAgent) {
    let mut scene = Scene::new(agent, Script::new().say("Nobody hears this."));
    scene.model.close();
    let run = begin_impatiently(&mut scene);
    let ended = scene.ended(&run);
    // Some give up before we do.
    assert_eq!(ended["state"], "failed", "{ended:#}");
    assert!(["timeout", "exited"].contains(&ended["reason"].as_str().unwrap()), "{ended:#}");
    run.wait_until_gone();
}

/// Starts a run that may make no progress for some seconds.
fn begin_impatiently(scene: &mut Scene) -> Run {
    scene.world.shorten_minutes(Duration::from_secs(12));
    scene.begin_with(Form::Conversation, &["--prompt", "do it", "--no-progress-minutes", "1"])
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
