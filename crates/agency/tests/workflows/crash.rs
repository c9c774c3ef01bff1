//! Drivers that are killed: nothing is done twice, and nothing is lost.

use std::process::Command;

use agency_testkit::long_way::WORKFLOW;
use agency_testkit::wait_for;
use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{LIMIT, Place};
use super::long_way::{check_end, place};

/// Answers whatever is asked, and lets the session go on whenever nobody drives it, until it stands still.
fn bring_to_its_end(place: &Place, session: &str, mut meanwhile: impl FnMut(&mut Command), mut each: impl FnMut()) {
    let still = ["blocked", "completed", "failed", "cancelled"];
    wait_for(&format!("the end of {session}"), LIMIT * 3, || {
        each();
        let shown = place.shown(session);
        let state = shown["state"].as_str().unwrap().to_owned();
        match (still.contains(&state.as_str()), shown["driven"].as_bool().unwrap()) {
            (true, false) => return Some(()),
            (false, false) => {
                let mut resume = place.command(&["resume", session, "--detach"]);
                meanwhile(&mut resume);
                // Another look may find that it is driven again.
                place.world.run(&mut resume);
            }
            (false, true) if state == "waiting" || state == "pending_merge" => {
                // The one who asked may be gone by now.
                place.world.run(&mut place.command(&["approve", session]));
            }
            (_, true) => {}
        }
        None
    });
}

/// Kills drivers at each so many checkpoints.
fn killed_after(checkpoints: u32) {
    let place = place();
    let fatal = |command: &mut Command| {
        command.env("AGENCY_FAULT_POINT", "session.saved").env("AGENCY_FAULT_TIMES", checkpoints.to_string());
    };
    let file = place.workflow(WORKFLOW);
    let mut begin = place.command(&["run", file.to_str().unwrap(), "--detach"]);
    fatal(&mut begin);
    let session = place.answer(&mut begin)["session"].as_str().unwrap().to_owned();
    bring_to_its_end(&place, &session, fatal, || {});
    check_end(&place, &session);
}

// proves W9
#[test]
fn a_driver_that_dies_after_every_checkpoint_does_everything_once() {
    killed_after(1);
}

// proves W9
#[test]
fn a_driver_that_dies_after_every_third_checkpoint_does_everything_once() {
    killed_after(3);
}

// proves W9
#[test]
fn a_driver_that_dies_after_every_seventh_checkpoint_does_everything_once() {
    killed_after(7);
}

// proves W9
#[test]
fn a_driver_that_is_killed_at_any_time_does_everything_once() {
    let mut kills = 0_u32;
    // On a busy machine a session may come to its end between two looks at it; then another one is needed.
    while kills < 5 {
        let place = place();
        let session = place.begin(WORKFLOW, &[]);
        let mut seen = 0_u64;
        bring_to_its_end(
            &place,
            &session,
            |_| {},
            || {
                // What happened since the last time is as much chance as there is.
                let facts = place.facts(&session).len() as u64;
                if kills < 15 && facts != seen {
                    seen = facts;
                    kills += u32::from(kill_driver(&place, &session));
                }
            },
        );
        check_end(&place, &session);
    }
}

/// Kills the process that drives the session; says whether there was one.
fn kill_driver(place: &Place, session: &str) -> bool {
    let driver = place.driver(session);
    let attempt = driver.events().into_iter().rfind(|event| event["type"] == "attempt");
    let pid = attempt.and_then(|event| i32::try_from(event["pid"].as_u64()?).ok()).and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

// proves W9
#[test]
fn when_the_machine_dies_what_is_done_stays_done_and_the_rest_can_be_tried_again() {
    let place =
        Place::new().with_agent("worker", "echo \"$STEP\" >>\"$LOG\"\nuntil [ -e \"$FLAGS/go\" ]; do sleep 0.01; done");
    let session = place.begin(
        "name: two\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  \
         - { name: first, type: script, command: echo first >>\"$LOG\" }\n  \
         - { name: second, type: agent, prompt: go, env: { STEP: second } }\n",
        &[],
    );
    wait_for("the agent is at work", LIMIT, || place.lines().contains(&"second".to_owned()).then_some(()));
    place.world.kill_everything();
    std::fs::write(place.world.root().join("go"), "").unwrap();
    assert_eq!(place.shown(&session)["driven"], false);
    place.does(&["resume", &session, "--detach"]);
    let shown = place.wait_for_state(&session, "blocked");
    assert!(shown["reason"].as_str().unwrap().contains("E_RUNNER_DISAPPEARED"), "{shown:#}");
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["first", "second", "second"]);
}

// The file can hold secrets of agents' environments.
#[test]
fn the_configuration_of_a_driver_that_died_with_its_supervisor_is_deleted() {
    let place = Place::new();
    let session = place.begin("name: x\nsteps:\n  - { name: ok, type: approval, message: 'Continue?' }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let driver = place.driver(&session);
    let stored = driver.file("driver-config.json");
    assert!(stored.exists());
    place.world.kill_everything();
    assert!(stored.exists());
    place.world.ok(&["ls"]);
    assert!(!stored.exists(), "after its end was recorded");
    // An earlier version left it.
    for command in [&["reconcile"][..], &["rm", driver.id.as_str()]] {
        std::fs::write(&stored, "{}").unwrap();
        // The session may still need the worktree; it never needs this file again.
        place.world.agency(command);
        assert!(!stored.exists(), "{command:?}");
    }
}
