//! Programs that are to tell the user something, and do not: nobody waits for them, and nobody is hurt.

use agency_testkit::{ProcessTable, Run, World, agent, wait_for};

use super::fixture::{LIMIT, asks, open, permission, start, text, world};
use super::notify::fake_desktop;

/// Makes a program of that name the command that is told everything.
fn tell_by(world: &World, name: &str, script: &str) {
    let path = world.agent(name, script);
    world.configure(&format!("\n[notify]\ncommand = [{:?}]\n", path.display().to_string()));
}

fn complaints(run: &Run) -> Vec<String> {
    run.messages().into_iter().filter(|message| message.contains("you could not be notified")).collect()
}

/// The processes that a hanging program left, by the number it sleeps for.
fn asleep(number: &str) -> usize {
    ProcessTable::read().started_with(&[number]).len()
}

#[test]
fn a_command_that_hangs_holds_up_neither_the_answer_nor_the_end_and_is_killed() {
    let (world, repo) = world();
    tell_by(&world, "hanging", "trap '' TERM INT HUP\nsleep 36001 &\nwait; sleep 36001");
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &["--notify"]);
    let asked = open(&world, 1).remove(0);
    wait_for("the hanging command", LIMIT, || (asleep("36001") == 1).then_some(()));
    world.ok(&["answer", text(&asked, "id"), "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    run.wait_until_unsupervised();
    assert!(asleep("36001") > 0, "the run was over before its time was");
    assert!(run.messages().iter().all(|message| !message.contains("left running")), "{:?}", run.messages());
    world.ok(&["rm", &run.id]);
    wait_for("the end of the hanging command", LIMIT, || (asleep("36001") == 0).then_some(()));
}

#[test]
fn while_the_run_goes_on_a_killed_command_is_said() {
    let (world, repo) = world();
    tell_by(&world, "hanging", "exec sleep 36002");
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &["--notify"]);
    open(&world, 1);
    let said = wait_for("the notice", LIMIT, || complaints(&run).pop());
    assert!(said.contains("took more than 10 s and was killed"), "{said}");
    assert_eq!(asleep("36002"), 0);
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn what_fails_is_said_once() {
    let (world, repo) = world();
    tell_by(&world, "failing", "exit 7");
    asks(&world, "asking", &[permission("r1", "touch one"), permission("r2", "touch two")]);
    let run = start(&world, &repo, "asking", &["--notify"]);
    open(&world, 2);
    wait_for("the notice", LIMIT, || complaints(&run).pop());
    for question in open(&world, 2) {
        world.ok(&["answer", text(&question, "id"), "allow"]);
    }
    assert_eq!(world.ended(&run)["state"], "completed");
    run.wait_until_unsupervised();
    let said = complaints(&run);
    assert!(said.len() == 1 && said[0].contains("exit status: 7"), "{said:?}");
}

#[test]
fn a_command_that_is_not_there_is_said_before_the_run_begins() {
    let (world, repo) = world();
    world.configure("\n[notify]\ncommand = [\"no-such-teller\"]\n");
    world.agent("quiet", agent::quiet());
    let mut command = world.run_command(&repo, "quiet", &["--host", "detached", "--notify", "--wait"]);
    let output = world.run(&mut command);
    assert!(output.status.success(), "{output}");
    let warning = "the program of notify.command, 'no-such-teller', is not on the PATH";
    assert!(output.stderr.contains(warning), "{output}");
    assert!(world.runs()[0].messages().contains(&warning.to_owned()));
}

#[test]
fn the_agents_of_a_stopped_run_are_ended_and_the_teller_is_not() {
    let (world, repo) = world();
    let _path = fake_desktop(&world);
    tell_by(&world, "slow", "read -r line; until [ -e \"$0.go\" ]; do sleep 0.01; done; echo told >>\"$0.said\"");
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &["--notify"]);
    open(&world, 1);
    world.ok(&["stop", &run.id]);
    run.wait_until_gone();
    let slow = world.root().join("agents/slow");
    std::fs::write(slow.with_extension("go"), "").unwrap();
    let said = || std::fs::read_to_string(slow.with_extension("said")).unwrap_or_default();
    wait_for("both words", LIMIT, || (said().lines().count() == 2).then_some(()));
}
