//! A process is killed at every step at which something of an ask is on disk.

use std::os::unix::process::ExitStatusExt;

use super::fixture::{command, left, wait_until_clean, world};

/// The steps of whoever asks, and of the supervisor.
const STEPS: &[&str] = &[
    "run.locked",
    "run.inserted",
    "run.files",
    "scratch.filled",
    "run.workspace",
    "run.prompt",
    "run.hosted",
    "run.ordered",
    "run.reported",
    "supervise.locked",
    "supervise.ordered",
    "supervise.claimed",
    "supervise.spawning",
    "supervise.spawned",
    "supervise.reported",
    "finish.begin",
    "finish.marked",
    "finish.saved",
    "scratch.gone",
];

// proves A7
#[test]
fn nothing_is_left_when_an_ask_is_killed_at_any_step() {
    for step in STEPS {
        let world = world("cat docs/a.txt");
        let quick = world.agent("quick", "true");
        command(&world, "quick", "ask", quick.to_str().unwrap());
        let witness = world.root().join("witness");
        let mut asking = world.command(&["ask", "-s", "docs,note", "What?"]);
        let output = world.run(asking.env("AGENCY_FAULT_POINT", step).env("AGENCY_FAULT_WITNESS", &witness));
        assert!(witness.exists(), "{step} was not reached: {output}");
        let by_kill = output.status.signal() == Some(9);
        assert!(
            by_kill || !output.status.success() || step.starts_with("finish") || *step == "scratch.gone",
            "{step}: {output}"
        );
        world.ok(&["reconcile"]);
        world.ok(&["ask", "-s", "docs", "--runner", "quick", "And now?"]);
        let hidden = left(&world).iter().all(|path| path.to_str().unwrap().ends_with(".new"));
        // What was not whole yet is left alone for a minute: somebody may be making it.
        assert!(hidden && (left(&world).is_empty() || *step == "scratch.filled"), "{step}: {:?}", left(&world));
        if left(&world).is_empty() {
            wait_until_clean(&world);
        }
    }
}

/// One outcome, whether the supervisor had its orders when the process that asked was killed or not.
#[test]
fn a_question_whose_asker_is_killed_before_it_is_started_was_killed() {
    for step in ["run.inserted", "run.files", "run.workspace", "run.prompt", "run.hosted"] {
        let world = world("cat docs/a.txt");
        let mut asking = world.command(&["ask", "-s", "docs", "What?"]);
        let output = world.run(asking.env("AGENCY_FAULT_POINT", step));
        assert_eq!(output.status.signal(), Some(9), "{step}: {output}");
        let run = world.runs().remove(0);
        run.wait_until_unsupervised();
        let ended = world.show(&run);
        assert_eq!((&ended["state"], &ended["reason"]), (&"killed".into(), &"stopped".into()), "{step}: {ended:#}");
    }
}
