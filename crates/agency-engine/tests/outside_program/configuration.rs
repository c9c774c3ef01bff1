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

fn mode_of(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}
