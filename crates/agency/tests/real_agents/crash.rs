//! Named agents that are killed in mid-conversation, and come back with it.

use agency_testkit::{Form, ProcessTable, RealAgent, Request, Run, Script, wait_for};
use rustix::process::{Signal, kill_process};

use super::scene::{LIMIT, Scene};

each_agent![a_named_agent_that_is_killed_goes_on_with_its_conversation, a_named_agent_waits_for_its_first_message,];

/// Gemini is none of them: it shows its input before it has loaded its history, and loses what is typed meanwhile.
mod a_message_in_the_pause_after_a_crash_is_typed_on_the_screen_of_the_next_process {
    use agency_testkit::RealAgent;

    #[test]
    fn claude() {
        super::typed_after_the_pause(RealAgent::Claude);
    }

    #[test]
    fn codex() {
        super::typed_after_the_pause(RealAgent::Codex);
    }

    #[test]
    fn opencode() {
        super::typed_after_the_pause(RealAgent::Opencode);
    }
}

fn spawn(scene: &Scene, options: &[&str]) -> Run {
    let repo = scene.repo.path.to_str().unwrap();
    let always = ["agent", "spawn", "alice", "--repo", repo, "--runner", scene.agent.runner(), "--host", "detached"];
    let permissive = scene.agent.permissive(Form::Conversation);
    let answer = scene.world.json(&[&always, options, &["--"], permissive].concat());
    scene.world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap())
}

fn wait_until_idle(scene: &Scene) {
    wait_for("its rest", LIMIT, || {
        let shown = scene.world.json(&["agent", "show", "alice"]);
        (shown["data"]["agent_state"] == "idle").then_some(())
    });
}

// proves P11
fn a_named_agent_that_is_killed_goes_on_with_its_conversation(agent: RealAgent) {
    let mark = format!("{}{}", std::process::id(), agent as u8);
    // Agents differ in how many turns they count for the call that was cut off: some make it again.
    let command = format!("test -e seen || {{ touch seen; tail -n {mark} -f /dev/null; }}");
    let script = Script::new().say("I remember it.").turn(agent.run_command(&command));
    let script = (0..4).fold(script, |script, _| script.say("It was that."));
    let scene = Scene::new(agent, script);
    let run = spawn(&scene, &["--prompt", "Remember the number 4711"]);
    wait_until_idle(&scene);
    scene.world.ok(&["send", "alice", "What was it? Look it up first."]);
    wait_for("the command", LIMIT, || ProcessTable::read().started_with(&[&mark, "-f", "/dev/null"]).pop());

    kill_process(run.agent(), Signal::KILL).unwrap();
    let asked = asked_with(&scene, "Your process ended unexpectedly");
    assert!(asked.says("Remember the number 4711") && asked.says("Look it up first"), "the history is there");
    wait_until_idle(&scene);
    scene.world.ok(&["send", "alice", "And now?"]);
    let asked = asked_with(&scene, "And now?");
    assert!(asked.says("Remember the number 4711") && asked.says("It was that."));
    wait_until_idle(&scene);
    let attempts = run.events().iter().filter(|event| event["type"] == "attempt").count();
    assert_eq!(attempts, 2);
    assert_eq!(ProcessTable::read().started_with(&[&mark, "-f", "/dev/null"]), [], "what it left is ended");
    scene.stop(&run);
}

/// The first request to the model that holds these words.
fn asked_with(scene: &Scene, words: &str) -> Request {
    wait_for(words, LIMIT, || scene.model.turns().into_iter().find(|turn| turn.says(words)))
}

// proves P9
fn a_named_agent_waits_for_its_first_message(agent: RealAgent) {
    let scene = Scene::new(agent, Script::new().say("Hello.").say("Hello again."));
    let run = spawn(&scene, &[]);
    wait_until_idle(&scene);
    assert_eq!(scene.model.turns().len(), 0);
    for (number, message) in ["Are you there?", "Are you still there?"].into_iter().enumerate() {
        scene.world.ok(&["send", "alice", message]);
        let asked =
            wait_for("the turn", LIMIT, || scene.model.turns().into_iter().find(|turn| turn.turn == Some(number)));
        assert!(asked.says(message));
        wait_for("the answer", LIMIT, || {
            let said = run.events().into_iter().filter(|event| event["type"] == "output");
            let said: String = said.map(|event| event["text"].as_str().unwrap().to_owned()).collect();
            said.ends_with(["Hello.", "Hello again."][number]).then_some(())
        });
        wait_until_idle(&scene);
    }
    scene.stop(&run);
}

// proves P11
fn typed_after_the_pause(agent: RealAgent) {
    let script = (0..4).fold(Script::new(), |script, _| script.say("Noted."));
    let scene = Scene::new(agent, script);
    scene.world.configure("\n[restart]\npauses_seconds = [5]\n");
    let repo = scene.repo.path.to_str().unwrap();
    let always = ["agent", "spawn", "alice", "--repo", repo, "--runner", agent.runner(), "--host", "detached"];
    let answer = scene.world.json(&[&always[..], &["--mode", "interactive", "--prompt", "Remember 4711"]].concat());
    let run = scene.world.run_with_id(answer["data"]["run"]["id"].as_str().unwrap());
    asked_with(&scene, "Remember 4711");
    wait_until_idle(&scene);
    kill_process(run.agent(), Signal::KILL).unwrap();
    wait_for("the pause", LIMIT, || run.events().iter().any(|event| event["type"] == "restart").then_some(()));
    let sent = scene.world.json(&["send", "alice", "What was the number?"]);
    assert_eq!(sent["ok"], true, "{sent:#}");
    assert!(asked_with(&scene, "What was the number?").says("Remember 4711"));
    scene.stop(&run);
}
