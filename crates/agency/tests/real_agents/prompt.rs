//! A prompt that is longer than any argument can be.

use agency_testkit::{Form, RealAgent, Script};

use super::scene::Scene;

each_agent![a_long_prompt_arrives_whole];

fn a_long_prompt_arrives_whole(agent: RealAgent) {
    let line = |number| format!("Line {number} of the task: größer, “quoted”, \\back\\ and\ttabs.\n");
    let prompt: String = (1..=3_500).map(line).collect();
    assert!(prompt.len() > 200 * 1024, "Linux allows 128 KiB for one argument");
    let scene = Scene::new(agent, Script::new().say("Read it all."));
    scene.repo.commit_file("task.md", &prompt);
    let run = scene.begin_with(Form::Conversation, &["--prompt-file", "task.md"]);
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert!(scene.model.wait_for_turn(0).says(prompt.trim_end()), "the model got another prompt");
}
