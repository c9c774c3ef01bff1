//! An agent that is stopped while it works.

use std::time::Duration;

use agency_testkit::{ProcessTable, RealAgent, Script, wait_for};

use super::scene::Scene;

each_agent![a_stop_in_the_middle_of_a_command_leaves_nothing];

fn a_stop_in_the_middle_of_a_command_leaves_nothing(agent: RealAgent) {
    // Some refuse a plain `sleep`. The words are different for each agent, so that its process can be told from others.
    let mark = format!("9870{}", agent as u8);
    let command = format!("tail -n {mark} -f /dev/null");
    let scene = Scene::new(agent, Script::new().turn(agent.run_command(&command)).say("It ended."));
    let run = scene.begin();
    let ends = [mark.as_str(), "-f", "/dev/null"];
    let working = wait_for("the command", Duration::from_secs(60), || ProcessTable::read().started_with(&ends).pop());
    assert!(run.processes().contains(&working));

    let stopped = scene.world.json(&["stop", &run.id])["data"].take();
    assert_eq!((&stopped["state"], &stopped["reason"]), (&"killed".into(), &"stopped".into()), "{stopped:#}");
    run.wait_until_gone();
    assert_eq!(ProcessTable::read().started_with(&ends), []);
    assert_eq!(scene.model.turns().len(), 1, "the agent did not go on");
}
