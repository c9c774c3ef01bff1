//! A home and a repository of their own, and a manager whose agents are scripts.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::agents::{AgentEvent, AgentEvents, AgentManager, ManagerConfig};
use agency_engine::config::Config;
use agency_engine::home::Home;
use agency_engine::runner::{RunnerCommand, ScriptStep, ScriptedHandle, ScriptedRunner, Stream};
use agency_engine::runs::create::RunRequest;

const LIMIT: Duration = Duration::from_secs(60);

/// What was started, in order: each command, and the other end of its script.
#[derive(Clone, Default)]
pub(crate) struct Started(Arc<Mutex<Vec<(RunnerCommand, ScriptedHandle)>>>);

impl Started {
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub(crate) fn command(&self, index: usize) -> RunnerCommand {
        self.0.lock().unwrap()[index].0.clone()
    }

    pub(crate) fn handle(&self, index: usize) -> ScriptedHandle {
        self.0.lock().unwrap()[index].1.clone()
    }
}

/// Where a test works.
pub(crate) struct Place {
    directory: tempfile::TempDir,
    pub(crate) started: Started,
    pub(crate) manager: AgentManager,
}

impl Place {
    /// A manager whose agents do what `script` says for each attempt. No program is the supervisor's.
    pub(crate) fn new(config: Config, script: impl Fn(usize) -> Vec<ScriptStep> + Send + Sync + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        agency_engine::scripted::sample::create(&directory.path().join("repository")).unwrap();
        let home = Home::new(directory.path().join("home"));
        let manager_config = ManagerConfig::of(&config);
        let agency = Agency::open(home, config, "/no/such/program".into()).unwrap();
        let started = Started::default();
        let noted = started.clone();
        let manager = AgentManager::with_runner(agency, manager_config, move |_, command| {
            let runner = ScriptedRunner::new(script(noted.count()));
            let mut started = noted.0.lock().unwrap();
            started.push((command.clone(), runner.handle()));
            Ok(Box::new(runner))
        });
        Self { directory, started, manager }
    }

    /// A request for an agent of this type, which is not installed: no program is on the PATH.
    pub(crate) fn request(&self, agent: &str) -> RunRequest {
        let mut request = RunRequest::new(self.directory.path().join("repository"), agent);
        request.environment = [("PATH".into(), "/nowhere".into())].into();
        request.notify = true;
        request
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Its files go with it; a test that has failed leaves its agents.
        let _ = self.manager.shutdown(&AtomicBool::new(true));
    }
}

/// A line on standard output.
pub(crate) fn say(line: &str) -> ScriptStep {
    ScriptStep::Say(Stream::Stdout, format!("{line}\n").into_bytes())
}

/// Waits for an event.
pub(crate) fn wait_for_event(events: &AgentEvents, mut wanted: impl FnMut(&AgentEvent) -> bool) -> AgentEvent {
    let until = Instant::now() + LIMIT;
    let mut seen = vec![];
    while let Some(event) = events.wait(until.saturating_duration_since(Instant::now())) {
        if wanted(&event) {
            return event;
        }
        seen.push(event);
    }
    panic!("the event did not come: {seen:#?}");
}
