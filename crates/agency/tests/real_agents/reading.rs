//! `agency logs` of a real agent on a terminal: readable, and the terminal's modes are as before.

use agency_testkit::{RealAgent, Script, wait_for};

use super::scene::{LIMIT, Scene};

each_agent![the_log_of_a_live_screen_leaves_the_terminal_as_it_was, the_log_of_a_headless_run_is_a_transcript];

/// Shows the log on a terminal; the modes there are those of a terminal on which nothing was shown.
fn shown_without_a_trace(scene: &Scene, id: &str) -> String {
    let other = scene.world.terminal(&["--version"]);
    other.wait_for_exit();
    let terminal = scene.world.terminal(&["logs", id]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(terminal.modes(), other.modes());
    terminal.screen()
}

/// Attaches a terminal and leaves again: what the agent turned on for itself is off again.
fn left_without_a_trace(scene: &Scene, id: &str) {
    let other = scene.world.terminal(&["--version"]);
    other.wait_for_exit();
    let terminal = scene.world.terminal(&["attach", id]);
    terminal.wait_until("the agent's screen", |screen| screen.contains("Hello from"));
    terminal.send_keys(&["C-\\"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(terminal.modes(), other.modes());
    terminal.wait_for_text("it is still running");
}

fn the_log_of_a_live_screen_leaves_the_terminal_as_it_was(agent: RealAgent) {
    let mut scene = Scene::new(agent, Script::new().say("Hello from the model."));
    // A pager would stay where the screen is longer than the terminal.
    scene.world.set_variable("PAGER", "cat");
    let run = scene.world.begin(&scene.repo, agent.runner(), &["--host", "detached", "--mode", "interactive"]);
    assert!(scene.model.wait_for_turn(0).says("do it"));
    wait_for("the answer in the log", LIMIT, || {
        scene.world.ok(&["logs", "--transcript", &run.id]).stdout.contains("Hello from the model.").then_some(())
    });
    // The screen may have got the rest of the sentence later, at another place.
    let clean = scene.world.ok(&["logs", "--clean", &run.id]).stdout;
    assert!(clean.contains("Hello from"), "words stay apart: {clean}");
    let screen = shown_without_a_trace(&scene, &run.id);
    assert!(!screen.trim().is_empty(), "{screen}");
    left_without_a_trace(&scene, &run.id);
    scene.stop(&run);
}

fn the_log_of_a_headless_run_is_a_transcript(agent: RealAgent) {
    let mut scene = Scene::new(agent, Script::new().say("Hello from the model."));
    // A pager would stay where the screen is longer than the terminal.
    scene.world.set_variable("PAGER", "cat");
    let run =
        scene.world.begin(&scene.repo, agent.runner(), &["--host", "detached", "--mode", "headless", "--one-shot"]);
    scene.world.ended(&run);
    let screen = shown_without_a_trace(&scene, &run.id);
    assert!(screen.contains("Hello from the model.") && !screen.contains("\"type\":"), "{screen}");
}
