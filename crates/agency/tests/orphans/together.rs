//! Several look, or kill, at once.

use agency_testkit::Process;

use super::fixture::{agent_pid, orphan, pids, world};

// proves P13
#[test]
fn all_who_look_at_once_see_the_same_orphans() {
    let (world, repo) = world();
    let runs = [orphan(&world, &repo, "stubborn", "tmux"), orphan(&world, &repo, "stubborn", "detached")];
    // Nobody has noticed yet, so each of them wants to write down how the runs ended.
    let looking: Vec<Process> = (0..6).map(|_| world.spawn(&["agent", "orphans", "--json"])).collect();
    for process in looking {
        let answer = process.wait().object();
        let listed: Vec<i64> = answer["data"]["orphans"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer:#}"))
            .iter()
            .map(|orphan| orphan["pid"].as_i64().unwrap())
            .collect();
        assert_eq!(listed, runs.each_ref().map(agent_pid), "{answer:#}");
    }
}

// proves P13
#[test]
fn an_orphan_that_several_kill_at_once_is_gone_and_another_is_not() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    let other = orphan(&world, &repo, "stubborn", "detached");
    let pid = agent_pid(&run).to_string();
    let killing: Vec<Process> = (0..4).map(|_| world.spawn(&["agent", "kill-orphan", &pid, "--json"])).collect();
    let answers: Vec<_> = killing.into_iter().map(|process| process.wait().object()).collect();
    assert!(answers.iter().any(|answer| answer["ok"] == true), "{answers:#?}");
    for answer in answers.iter().filter(|answer| answer["ok"] == false) {
        assert_eq!(answer["error"]["code"], "E_NOT_AN_ORPHAN", "who comes too late is told so: {answer:#}");
    }
    assert!(run.processes().is_empty());
    assert_eq!(pids(&world), [agent_pid(&other)]);
}
