//! Issue 17: one call for the top of `main`; a builder; cloneable handles.

use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_model::run::State;

use super::place::Place;

pub(super) fn a_run_of_a_program_with_init_completes() {
    let place = Place::new();
    let mut agency = place.builder().build().unwrap();
    let plan = agency.plan(place.request("scripted").name("echo")).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let ended = agency.wait(&run.id, None, State::is_terminal).unwrap();
    assert_eq!((ended.state, ended.name.as_deref()), (State::Completed, Some("echo")), "{ended:?}");
    assert_eq!(std::fs::read_to_string(&ended.stdout_log_path).unwrap(), "one\ntwo\n");
}

pub(super) fn handles_can_be_cloned_and_sent() {
    let place = Place::new();
    let mut agency = place.builder().build().unwrap();
    let plan = agency.plan(place.request("scripted")).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let mut clone: Agency = agency.clone();
    let id = run.id.clone();
    let waiting = std::thread::spawn(move || clone.wait(&id, None, State::is_terminal).unwrap());
    assert_eq!(waiting.join().unwrap().state, State::Completed);
    assert_eq!(agency.run(&run.id).unwrap().state, State::Completed);
}
