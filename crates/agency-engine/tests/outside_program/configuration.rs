//! Issue 17: the configuration of the process that starts a session is that of its driver.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use agency_engine::config::{AgentConfig, Config};
use agency_engine::orchestrator::{Orchestrator, StartRequest};
use agency_engine::store::RunFilter;
use agency_engine::workflow::{Project, load};
use agency_model::run::State;
use agency_model::workflow::{SessionState, Task};
use agency_model::{HostChoice, RunKind};

use super::adapters::Mine;
use super::place::Place;

const WORKFLOW: &str = "
name: one-step
defaults: { adapter: in-memory, mode: headless }
steps:
  - { name: look, type: agent, prompt: look }
";

/// Lists what is in the private directory of its session's driver, and what its own environment has.
const LOOK: &str = "stat -c '%a %n' \"$RUNS\"/*/driver-config.json; echo \"$TOKEN\"";

pub(super) fn a_driver_uses_the_configuration_in_memory() {
    let place = Place::new();
    let mut agent = AgentConfig::new("sh");
    agent.args = vec!["-c".to_owned(), LOOK.to_owned()];
    agent.env = [("TOKEN".to_owned(), "secret".to_owned())].into();
    agent.env.insert("RUNS".to_owned(), place.home().join("runs").display().to_string());
    let mut config = Config::default();
    config.host = HostChoice::Detached;
    config.agents.insert("in_memory".to_owned(), agent);
    let mut agency = place.builder().config(config.clone()).build().unwrap();
    let file = place.file("workflow.yaml");
    std::fs::write(&file, WORKFLOW).unwrap();
    let loaded = load(&Project::around(&place.repo), &file, &config, None).unwrap();
    let mut orchestrator = Orchestrator::new(agency.clone());
    let request = StartRequest::new(loaded, &place.repo, Task::new("Count", ""));
    let session = orchestrator.start(request, &AtomicBool::new(false)).unwrap();
    let runs = |kind| RunFilter::default().kind(kind);
    let driver = agency.list(&runs(RunKind::Workflow)).unwrap().remove(0);
    agency.wait(&driver.id, None, State::is_terminal).unwrap();
    let state = orchestrator.show(session.id()).unwrap().state();
    let log = std::fs::read_to_string(&driver.stdout_log_path).unwrap();
    assert_eq!(state, SessionState::Completed, "{log}");
    let step = agency.list(&runs(RunKind::Task)).unwrap().remove(0);
    let said = std::fs::read_to_string(&step.stdout_log_path).unwrap();
    let stored = agency.home().run(&driver.id).driver_config();
    // Private while the driver needs it, and deleted with its end.
    assert_eq!(said, format!("600 {}\nsecret\n", stored.display()));
    assert!(!stored.exists());
    assert_eq!(mode_of(agency.home().root()), 0o700);
}

/// The driver is a program without the adapter.
pub(super) fn a_session_whose_driver_does_not_know_an_adapter_ends_with_its_name() {
    let place = Place::new();
    let mut config = Config::default();
    config.host = HostChoice::Detached;
    let program = place.program("without-adapters");
    let builder = place.builder().config(config).adapter("mine", &Mine).program(program);
    let mut agency = builder.build().unwrap();
    let file = place.file("workflow.yaml");
    std::fs::write(&file, WORKFLOW.replace("in-memory", "mine")).unwrap();
    let loaded = load(&Project::around(&place.repo), &file, agency.config(), None).unwrap();
    let mut orchestrator = Orchestrator::new(agency.clone());
    let request = StartRequest::new(loaded, &place.repo, Task::new("Count", ""));
    let session = orchestrator.start(request, &AtomicBool::new(false)).unwrap();
    let driver = agency.list(&RunFilter::default().kind(RunKind::Workflow)).unwrap().remove(0);
    let ended = agency.wait(&driver.id, None, State::is_terminal).unwrap();
    assert_eq!((ended.state, ended.attempt), (State::Failed, 1), "{ended:?}");
    let error = ended.error.unwrap();
    assert!(error.contains("the adapter 'mine' is not known in this process"), "{error}");
    assert!(!orchestrator.sessions().is_driven(session.id()).unwrap());
}

/// The driver does not know the adapter, and its session does not use it.
pub(super) fn an_unknown_adapter_that_a_session_does_not_use_is_not_needed() {
    let place = Place::new();
    let mut config = Config::default();
    config.host = HostChoice::Detached;
    let mut agent = AgentConfig::new("sh");
    agent.args = vec!["-c".to_owned(), "true".to_owned()];
    config.agents.insert("in_memory".to_owned(), agent);
    let program = place.program("without-adapters");
    let mut agency = place.builder().config(config).adapter("mine", &Mine).program(program).build().unwrap();
    let file = place.file("workflow.yaml");
    std::fs::write(&file, WORKFLOW).unwrap();
    let loaded = load(&Project::around(&place.repo), &file, agency.config(), None).unwrap();
    let mut orchestrator = Orchestrator::new(agency.clone());
    let request = StartRequest::new(loaded, &place.repo, Task::new("Count", ""));
    let session = orchestrator.start(request, &AtomicBool::new(false)).unwrap();
    let driver = agency.list(&RunFilter::default().kind(RunKind::Workflow)).unwrap().remove(0);
    let ended = agency.wait(&driver.id, None, State::is_terminal).unwrap();
    assert_eq!(orchestrator.show(session.id()).unwrap().state(), SessionState::Completed, "{ended:?}");
}

fn mode_of(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}
