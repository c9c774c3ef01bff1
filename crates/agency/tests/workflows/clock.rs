//! Limits do not depend on the time of day.

use agency_testkit::wait_for;
use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{LIMIT, Place};

/// Two commands at the same time, so that the end of one wakes the driver while the other runs.
const WORKFLOW: &str = r#"
name: jump
timeout: 30m
steps:
  - name: both
    type: parallel
    timeout: 20m
    steps:
      - { name: long, type: script, timeout: 10m, command: 'echo long >>"$LOG"; until [ -e "$FLAGS/long" ]; do sleep 0.01; done' }
      - { name: short, type: script, command: 'echo short >>"$LOG"; until [ -e "$FLAGS/short" ]; do sleep 0.01; done' }
  - { name: last, type: script, command: echo last >>"$LOG" }
"#;

fn begin(place: &Place) -> String {
    let file = place.workflow(WORKFLOW);
    let mut begin = place.command(&["run", file.to_str().unwrap(), "--detach"]);
    begin.env("AGENCY_FAULT_CLOCK", place.world.root().join("offset"));
    let session = place.answer(&mut begin)["session"].as_str().unwrap().to_owned();
    wait_for("both commands run", LIMIT, || (place.lines() == ["long", "short"]).then_some(()));
    session
}

fn flag(place: &Place, name: &str, text: &str) {
    std::fs::write(place.world.root().join(name), text).unwrap();
}

// A machine that slept, or whose clock was set, failed its sessions: limits were measured by the time of day.
#[test]
fn a_session_outlives_a_jump_of_the_clock() {
    for offset in ["7200", "-7200"] {
        let place = Place::new();
        let session = begin(&place);
        flag(&place, "offset", offset);
        flag(&place, "short", "");
        place.wait_for_step(&session, "short", "done");
        let facts = place.facts(&session);
        let times: Vec<jiff::Timestamp> =
            facts.iter().map(|fact| fact["at"].as_str().unwrap().parse().unwrap()).collect();
        let jumped = times.last().unwrap().as_second().abs_diff(times.first().unwrap().as_second());
        assert!(jumped > 7000, "the driver sees the jump: {facts:?}");
        flag(&place, "long", "");
        place.wait_for_state(&session, "completed");
    }
}

// The same for the driver that comes after one that died.
#[test]
fn a_driver_that_comes_back_after_a_jump_of_the_clock_continues() {
    let place = Place::new();
    let session = begin(&place);
    flag(&place, "offset", "7200");
    let driver = place.driver(&session);
    let attempts = || driver.events().into_iter().filter(|event| event["type"] == "attempt").collect::<Vec<_>>();
    let pid = i32::try_from(attempts().last().unwrap()["pid"].as_u64().unwrap()).unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    wait_for("another driver", LIMIT, || (attempts().len() > 1).then_some(()));
    flag(&place, "short", "");
    place.wait_for_step(&session, "short", "done");
    flag(&place, "long", "");
    place.wait_for_state(&session, "completed");
    assert_eq!(place.lines(), ["last", "long", "short"]);
    let clock = place.facts(&session).last().unwrap()["clock"].clone();
    assert!(clock["worked_ms"].as_u64().unwrap() < 1_800_000, "{clock:#}");
}
