//! Issue 17: one call for the top of `main`; a builder; cloneable handles.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::config::Config;
use agency_engine::home::Home;
use agency_engine::runs::create::{CreateError, RunRequest};
use agency_model::run::State;
use agency_model::{Host, Mode};

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

pub(super) fn a_limit_of_any_length_is_accepted() {
    let place = Place::new();
    let mut config = Config::default();
    (config.stop_grace, config.shutdown_grace, config.lock_timeout) = (Duration::MAX, Duration::MAX, Duration::MAX);
    config.restart.pauses = vec![Duration::MAX];
    let mut agency = place.builder().config(config).build().unwrap();
    let script = "```agency\nsay ready\nwait 600s\n```";
    let plan = agency.plan(place.request("scripted").prompt(script)).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let running = agency.wait(&run.id, Some(Duration::MAX), |state| state == State::Running).unwrap();
    assert_eq!(running.state, State::Running);
    assert_eq!(agency.stop(&running).unwrap().state, State::Killed);
}

// `supervise()` does not panic under `#[tokio::main]`, and its death before its report is explained.
pub(super) fn init_in_an_async_main_is_explained() {
    let place = Place::new();
    let mut agency = place.builder().program(place.program("async")).build().unwrap();
    let plan = agency.plan(place.request("scripted")).unwrap();
    let error = agency.create(&plan, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(error.contains("call agency_engine::init() before a runtime is started"), "{error}");
    let log = agency.home().run(&plan.id).supervisor_log();
    assert!(error.contains(&format!("Its log is {}", log.display())), "{error}");
}

pub(super) fn one_plan_is_created_once() {
    let place = Place::new();
    let mut agency = place.builder().build().unwrap();
    let plan = agency.plan(place.request("scripted")).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let error = agency.create(&plan, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(&error, CreateError::PlanUsed(id) if *id == run.id), "{error}");
    // The run that was created is as it was.
    let ended = agency.wait(&run.id, None, State::is_terminal).unwrap();
    assert_eq!(ended.state, State::Completed, "{ended:?}");
    assert_eq!(std::fs::read_to_string(&ended.stdout_log_path).unwrap(), "one\ntwo\n");
}

pub(super) fn relative_paths_are_taken_from_the_current_directory() {
    let place = Place::new();
    let above: PathBuf = std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect();
    let relative = |path: PathBuf| above.join(path.strip_prefix("/").unwrap());
    let program = relative(place.program("without-adapters"));
    let home = Home::new(relative(place.home()));
    let mut agency = Agency::open(home, Config::default(), program).unwrap();
    assert!(agency.home().root().is_absolute());
    let request = RunRequest::new(relative(place.repo.clone()), "scripted").prompt("one");
    assert_eq!(RunRequest::new("shop", "scripted").current_directory, std::env::current_dir().unwrap().join("shop"));
    let plan = agency.plan(request.mode(Mode::Headless).host(Host::Detached)).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let ended = agency.wait(&run.id, None, State::is_terminal).unwrap();
    assert_eq!(ended.state, State::Completed, "{ended:?}");
}

pub(super) fn a_supervisor_that_is_not_there_is_named() {
    let place = Place::new();
    let mut agency = place.builder().program("/no/such/program").build().unwrap();
    let plan = agency.plan(place.request("scripted")).unwrap();
    let error = agency.create(&plan, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(error.starts_with("the supervisor did not start: /no/such/program: No such file"), "{error}");
}
