//! A prompt that is longer than any argument can be.

use std::fmt::Write as _;

use agency_testkit::{RealAgent, Script};

use super::scene::Scene;

/// More than the 128 KiB that Linux allows for one argument.
const LENGTH: usize = 200 * 1024;

each_agent![a_long_prompt_arrives_whole];

fn a_long_prompt_arrives_whole(agent: RealAgent) {
    let mut prompt = String::new();
    for number in 1.. {
        if prompt.len() >= LENGTH {
            break;
        }
        writeln!(prompt, "Line {number} of the task: größer, “quoted”, \\back\\ and\ttabs.").unwrap();
    }
    let scene = Scene::new(agent, Script::new().say("Read it all."));
    scene.repo.commit_file("task.md", &prompt);
    let run = scene.begin_with(&["--prompt-file", "task.md"]);
    let ended = scene.world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert!(scene.model.wait_for_turn(0).says(prompt.trim_end()), "the model got another prompt");
}
