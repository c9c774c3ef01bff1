//! An agent on its own screen that asks, is told something, and is interrupted.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use agency_testkit::{RealAgent, Run, Script, Turn, wait_for};
use serde_json::Value;

use super::scene::{LIMIT, Scene};

#[test]
fn claude_asks_on_its_screen_and_is_answered() {
    asks_on_its_screen_and_is_answered(RealAgent::Claude);
}

#[test]
fn codex_asks_on_its_screen_and_is_answered() {
    asks_on_its_screen_and_is_answered(RealAgent::Codex);
}

#[test]
fn claude_asks_on_its_screen_in_the_mode_for_screen_readers_and_is_answered() {
    is_answered_on_its_screen(&asking_scene(RealAgent::Claude), &["--ax-screen-reader"]);
}

// proves I1, I3, P1
fn asks_on_its_screen_and_is_answered(agent: RealAgent) {
    is_answered_on_its_screen(&asking_scene(agent), &[]);
}

fn asking_scene(agent: RealAgent) -> Scene {
    let script = Script::new()
        .turn(agent.run_command_if_allowed("echo first > one.txt"))
        .turn(agent.run_command_if_allowed("echo second > two.txt"))
        .say("Finished for now.")
        .say("Said more.");
    Scene::asking(agent, script)
}

fn is_answered_on_its_screen(scene: &Scene, args: &[&str]) {
    let run = begin_of(scene, &[], &[arguments(scene), args].concat());
    let question = scene.question(&run);
    assert_eq!(question["kind"], "permission", "{question:#}");
    assert!(question["detail"].as_str().unwrap().contains("echo first > one.txt"), "{question:#}");
    scene.answer(&question, &["allow"]);
    let second = scene.question(&run);
    assert!(second["detail"].as_str().unwrap().contains("echo second > two.txt"), "{second:#}");
    scene.answer(&second, &["allow"]);
    wait_until(scene, &run, "idle");
    let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
    for (name, text) in [("one.txt", "first\n"), ("two.txt", "second\n")] {
        assert_eq!(fs::read_to_string(format!("{}/{name}", worktree.as_str().unwrap())).unwrap(), text);
    }
    scene.world.ok(&["send", &run.id, "and more,\nin two lines"]);
    let asked = scene.model.wait_for_turn(3);
    assert!(asked.says("and more,") && asked.says("in two lines"));
    scene.stop(&run);
}

#[test]
fn claude_is_interrupted_on_its_screen() {
    let silence = Turn::new().say("Never said.").first_byte_after(LIMIT);
    let scene = Scene::new(RealAgent::Claude, Script::new().turn(silence));
    let run = begin(&scene, &[]);
    wait_until(&scene, &run, "thinking");
    scene.world.ok(&["interrupt", &run.id]);
    wait_until(&scene, &run, "idle");
    scene.stop(&run);
}

each_agent![a_conversation_on_a_screen_goes_on_without_one];

fn a_conversation_on_a_screen_goes_on_without_one(agent: RealAgent) {
    let scene = Scene::new(agent, Script::new().say("Hello from the screen.").say("Hello again."));
    let run = begin(&scene, &[]);
    scene.model.wait_for_turn(0);
    wait_until(&scene, &run, "idle");
    scene.stop(&run);
    let answer =
        scene.world.json(&["resume", &run.id, "--mode", "headless", "--host", "detached", "--prompt", "go on"]);
    let resumed = scene.world.run_with_id(answer["data"]["id"].as_str().unwrap());
    let ended = scene.ended(&resumed);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let asked = scene.model.wait_for_turn(1);
    assert!(asked.says("do it") && asked.says("Hello from the screen.") && asked.says("go on"));
}

#[test]
fn trust_in_a_worktree_is_given_and_taken_back() {
    let scene = Scene::new(RealAgent::Claude, Script::new().say("Hello."));
    let settings = scene.world.root().join("home/.claude.json");
    let mut answered: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    answered["projects"] = serde_json::json!({});
    fs::write(&settings, answered.to_string()).unwrap();

    let asking = begin(&scene, &[]);
    let question = scene.question(&asking);
    assert_eq!(question["kind"], "trust", "{question:#}");
    scene.stop(&asking);

    scene.world.set("trust_worktrees", "true");
    let run = begin(&scene, &[]);
    scene.model.wait_for_turn(0);
    let worktree = scene.world.json(&["show", &run.id])["data"]["worktree_path"].take();
    let trusted = |path: &Value| {
        let settings: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
        settings["projects"][path.as_str().unwrap()]["hasTrustDialogAccepted"] == true
    };
    assert!(trusted(&worktree));
    scene.stop(&run);
    scene.world.ok(&["rm", &run.id]);
    assert!(!trusted(&worktree));
}

#[test]
fn gemini_is_trusted_by_an_answer_and_goes_on_with_its_prompt() {
    // It mostly starts itself once more when it is trusted; if it began with its prompt before, it begins again.
    let script = Script::new().say("Hello from the screen.").say("Hello from the screen.").say("Hello again.");
    let mut scene = Scene::new(RealAgent::Gemini, script);
    scene.world.set_variable("GEMINI_CLI_TRUST_WORKSPACE", "");
    let run = begin(&scene, &[]);
    let question = scene.question(&run);
    assert_eq!(question["kind"], "trust", "{question:#}");
    scene.answer(&question, &["allow"]);
    let told = scene.model.wait_for_turn(0);
    assert!(told.says("do it"), "{:#}", told.body);
    wait_until(&scene, &run, "idle");
    assert_eq!(scene.world.json(&["show", &run.id])["data"]["state"], "running");
    // It was idle before its prompt, too, and writes its conversation down after it has shown the answer.
    wait_for("the conversation in Gemini's files", LIMIT, || {
        let chats = files_below(&scene.world.root().join("home/.gemini/tmp"));
        let told = chats.into_iter().filter(|(_, text)| text.contains("do it"));
        let (_, newest) = told.max_by_key(|(modified, _)| *modified)?;
        newest.contains("Hello from the screen.").then_some(())
    });
    scene.stop(&run);

    let options = ["--mode", "headless", "--host", "detached", "--prompt", "go on"];
    let answer = scene.world.json(&[&["resume", &run.id], &options[..]].concat());
    let resumed = scene.world.run_with_id(answer["data"]["id"].as_str().unwrap());
    let ended = scene.ended(&resumed);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let mut turns = scene.model.turns();
    // Where it began with its prompt again, it may have been stopped before the answer.
    let began_again = turns.len() > 2;
    let asked = turns.pop().unwrap();
    assert!(asked.says("do it") && asked.says("go on"), "{:#}", asked.body);
    assert!(asked.says("Hello from the screen.") || began_again, "{:#}", asked.body);
}

/// Every text file below a directory, with the time at which it was modified.
fn files_below(directory: &Path) -> Vec<(SystemTime, String)> {
    let mut found = vec![];
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            found.extend(files_below(&path));
        } else if let (Ok(modified), Ok(text)) = (metadata.modified(), fs::read_to_string(&path)) {
            found.push((modified, text));
        }
    }
    found
}

#[track_caller]
fn begin(scene: &Scene, options: &[&str]) -> Run {
    begin_of(scene, options, arguments(scene))
}

#[track_caller]
fn begin_of(scene: &Scene, options: &[&str], args: &[&str]) -> Run {
    let interactive = ["--host", "tmux", "--mode", "interactive"];
    scene.world.begin(&scene.repo, scene.agent.runner(), &[&interactive, options, &["--"], args].concat())
}

fn arguments(scene: &Scene) -> &'static [&'static str] {
    match scene.agent {
        RealAgent::Claude => scene.agent.asking(),
        RealAgent::Codex | RealAgent::Gemini | RealAgent::Opencode => &[],
    }
}

/// Waits until the screen says that the agent is doing something.
#[track_caller]
fn wait_until(scene: &Scene, run: &Run, activity: &str) {
    wait_for(activity, LIMIT, || {
        let why = scene.world.json(&["why", &run.id])["data"].take();
        (why["activity"] == activity).then_some(())
    });
}
