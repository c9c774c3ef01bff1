//! An agent that is stopped while it works.

use agency_testkit::{ProcessTable, RealAgent, Script, wait_for};

use super::scene::{LIMIT, Scene};

each_agent![a_stop_in_the_middle_of_a_command_leaves_nothing];

fn a_stop_in_the_middle_of_a_command_leaves_nothing(agent: RealAgent) {
    // Some refuse a plain `sleep`. The number is this test's own, so that the process can be told from all others.
    let mark = format!("{}{}", std::process::id(), agent as u8);
    let command = format!("tail -n {mark} -f /dev/null");
    let scene = Scene::new(agent, Script::new().turn(agent.run_command(&command)).say("It ended."));
    let run = scene.begin();
    let ends = [mark.as_str(), "-f", "/dev/null"];
    let working = wait_for("the command", LIMIT, || ProcessTable::read().started_with(&ends).pop());
    assert!(run.processes().contains(&working));

    scene.stop(&run);
    assert_eq!(ProcessTable::read().started_with(&ends), []);
    assert_eq!(scene.model.turns().len(), 1, "the agent did not go on");
}
