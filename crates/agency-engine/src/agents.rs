//! Named agents, which are restarted when they crash: [`AgentManager`].
//!
//! A named agent is a run of kind `agent` with restart policy `on-crash`; the one rule is that nothing of a run's life
//! is done here. The manager has no terminal: it returns values, and sends events through its channel.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use agency_engine::agents::{AgentEventKind, AgentManager, ManagerConfig};
//! use agency_engine::runner::{ScriptStep, ScriptedRunner, Stream};
//! use agency_model::run::Exit;
//! # use agency_engine::{agency::Agency, config::Config, runs::create::RunRequest};
//! # let place = tempfile::tempdir()?;
//! # let repository = agency_engine::scripted::sample::create(&place.path().join("repository"))?;
//! # let agency = Agency::builder().home(place.path().join("home")).config(Config::default()).program("agency").build()?;
//! # let request = RunRequest::new(&repository.path, "scripted").prompt("Count");
//!
//! // `AgentManager::new` starts the agents themselves; this one is for tests.
//! let config = ManagerConfig::of(agency.config());
//! let mut manager = AgentManager::with_runner(agency, config, |_mode, _command| {
//!     let exit = Exit { exit_code: Some(0), signal: None };
//!     Ok(Box::new(ScriptedRunner::new([
//!         ScriptStep::Say(Stream::Stdout, b"one, two\n".to_vec()),
//!         ScriptStep::Exit(exit),
//!     ])))
//! });
//! let events = manager.events()?;
//! manager.spawn_agent("alice", request, &AtomicBool::new(false))?;
//! let said = events.into_iter().find_map(|event| match event.happened {
//!     AgentEventKind::Output { text, .. } => Some(text),
//!     _ => None,
//! });
//! assert_eq!(said.as_deref(), Some("one, two\n"));
//! manager.shutdown(&AtomicBool::new(false))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod events;
mod follower;
mod named_agent;
mod restart_request;
mod shutdown;
mod state;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agency_model::run::{RestartPolicy, State};
use agency_model::{Host, Mode, RunId, RunKind, nearest};

pub use error::AgentError;
pub use events::{AgentEvent, AgentEventKind, AgentEvents, Missed};
pub use named_agent::NamedAgent;
pub use restart_request::RestartRequest;
pub use shutdown::{Shutdown, StoppedAgent};
pub use state::AgentState;

use crate::agency::Agency;
use crate::config::Config;
use crate::home::Home;
use crate::runner::{ProcessRunner, RunnerCommand, RunnerFactory, SpawnError};
use crate::runs::create::{CreateError, Plan, ResumeFallback, ResumeRequest, RunRequest, SetupChoice, SupervisorStart};
use crate::runs::orphans::{KilledOrphan, OrphanInfo};
use crate::store::{RunFilter, RunRow, StoreError};
use crate::supervise::supervise_in_thread;
use crate::wire::wake_supervisor;
use events::Queue;
use follower::Follower;
use named_agent::check_name;

/// What holds for all agents of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ManagerConfig {
    /// How many runs may be live at once, across all processes.
    pub max_agents: u32,
    /// How long agents may take to end by themselves when all are shut down.
    pub shutdown_timeout: Duration,
    /// Where pid files are, if not in the home.
    pub pid_dir: Option<PathBuf>,
}

impl ManagerConfig {
    /// What the user's configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self { max_agents: config.max_agents, shutdown_timeout: config.shutdown_grace, pid_dir: config.pid_dir.clone() }
    }
}

/// Spawns, stops, restarts and watches named agents.
///
/// A clone manages the same agents, and has a database connection and a channel of its own: it can be used in another
/// thread, also while [`shutdown`](Self::shutdown) waits in this one.
pub struct AgentManager {
    agency: Agency,
    config: ManagerConfig,
    queue: Arc<Queue>,
    runner: Option<RunnerFactory>,
    followers: Vec<Follower>,
}

impl fmt::Debug for AgentManager {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AgentManager").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Clone for AgentManager {
    fn clone(&self) -> Self {
        Self {
            agency: self.agency.clone(),
            config: self.config.clone(),
            queue: Arc::default(),
            runner: self.runner.clone(),
            followers: vec![],
        }
    }
}

/// What happened to the agents before is given to the consumer of the events.
impl Drop for AgentManager {
    fn drop(&mut self) {
        Follower::finish(std::mem::take(&mut self.followers));
        self.queue.close();
    }
}

impl AgentManager {
    /// A manager of the agents in this place.
    #[must_use]
    pub fn new(mut agency: Agency, config: ManagerConfig) -> Self {
        agency.config.max_agents = config.max_agents;
        agency.config.pid_dir.clone_from(&config.pid_dir);
        Self { agency, config, queue: Arc::default(), runner: None, followers: vec![] }
    }

    /// The same, with agents that `spawn` starts instead of processes, so that a program that manages agents can be
    /// tested without one: see [`ScriptedRunner`](crate::runner::ScriptedRunner).
    ///
    /// Each run is supervised by a thread of this program, with all its files, events and restarts; no agent has to be
    /// installed, and neither agents nor supervisors are processes. The runs end with the program: stop them, or call
    /// [`shutdown`](Self::shutdown), before. They have no host and send no notifications.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use agency_engine::agents::{AgentManager, AgentState, ManagerConfig};
    /// use agency_engine::runner::{ScriptStep, ScriptedRunner, Stream};
    /// # use agency_engine::{agency::Agency, config::Config, runs::create::RunRequest};
    /// # let place = tempfile::tempdir()?;
    /// # let repository = agency_engine::scripted::sample::create(&place.path().join("repository"))?;
    /// # let config = Config::default();
    /// # let agency = Agency::builder().home(place.path().join("home")).config(config.clone()).program("agency").build()?;
    /// # let request = RunRequest::new(&repository.path, "claude-code");
    ///
    /// let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done."}"#;
    /// let mut manager = AgentManager::with_runner(agency, ManagerConfig::of(&config), move |_mode, _command| {
    ///     Ok(Box::new(ScriptedRunner::new([
    ///         ScriptStep::AwaitInput(b"Fix the login".to_vec()),
    ///         ScriptStep::Say(Stream::Stdout, format!("{result}\n").into_bytes()),
    ///     ])))
    /// });
    /// let alice = manager.spawn_agent("alice", request, &AtomicBool::new(false))?;
    /// manager.agency().send(&alice.run, "Fix the login")?;
    /// assert_eq!(manager.stop_agent("alice")?.state, AgentState::Stopped);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_runner(
        mut agency: Agency,
        config: ManagerConfig,
        spawn: impl Fn(Mode, &RunnerCommand) -> Result<Box<dyn ProcessRunner>, SpawnError> + Send + Sync + 'static,
    ) -> Self {
        for agent in agency.config.agents.values_mut() {
            agent.own_runner = true;
        }
        let mut manager = Self::new(agency, config);
        manager.runner = Some(Arc::new(spawn));
        manager
    }

    /// The place that it manages.
    pub const fn agency(&mut self) -> &mut Agency {
        &mut self.agency
    }

    /// What happens from now on to the live agents, and to those that this manager spawns.
    ///
    /// A manager has one channel: a further call gives a clone of the first, and each event is given to one of them.
    pub fn events(&mut self) -> Result<AgentEvents, AgentError> {
        let events = AgentEvents::of(&self.queue);
        for agent in self.list_agents()? {
            if !agent.run.state.is_terminal() {
                let from = self.agency.last_event(&agent.run.id, |line| Some(line.seq))?.unwrap_or_default();
                self.follow(&agent, from)?;
            }
        }
        Ok(events)
    }

    /// Makes a workspace and starts an agent in it. If the agent cannot be started, no workspace is left.
    pub fn spawn_agent(
        &mut self,
        name: &str,
        mut request: RunRequest,
        interrupted: &AtomicBool,
    ) -> Result<NamedAgent, AgentError> {
        self.agency.refuse_within_ask(&request.environment)?;
        check_name(name)?;
        self.check_free(name)?;
        request.kind = RunKind::Agent;
        request.may_wait = false;
        request.flags.name = Some(name.to_owned());
        request.flags.restart = Some(RestartPolicy::OnCrash);
        request.flags.mode = request.flags.mode.or(Some(Mode::Headless));
        if self.runner.is_some() {
            request.flags.host = Some(Host::Detached);
            request.notify = false;
        }
        let plan = self.agency.plan(request)?;
        let run = self.create(&plan, interrupted).map_err(|error| AgentError::spawning(name, error))?;
        self.welcome(run)
    }

    /// Stops an agent. Its workspace stays.
    pub fn stop_agent(&mut self, name: &str) -> Result<NamedAgent, AgentError> {
        let agent = self.agent(name)?;
        let run = self.agency.stop(&agent.run)?;
        Ok(NamedAgent::of(run))
    }

    /// Stops an agent if it runs, and starts it again in its workspace, with its conversation where it can be resumed. It
    /// gets the messages that its last run did not deliver.
    ///
    /// What can be checked is checked before the agent is stopped: a restart that is refused, because its prompt is empty,
    /// say, or its adapter is not known in this process, leaves the agent as it is.
    pub fn restart_agent(
        &mut self,
        name: &str,
        request: RestartRequest,
        interrupted: &AtomicBool,
    ) -> Result<NamedAgent, AgentError> {
        let mut again = ResumeRequest {
            parent: self.agent(name)?.run,
            prompt_text: request.prompt,
            fallback: ResumeFallback::BeginAnother,
            mode: None,
            host: self.runner.is_some().then_some(Host::Detached),
            name: None,
            args: vec![],
            current_directory: request.current_directory,
            environment: request.environment,
            may_wait: false,
            terminal: None,
            notify: false,
            setup: SetupChoice::Project,
        };
        if !again.parent.state.is_terminal() {
            self.agency.check_restart(again.clone())?;
            if interrupted.load(Ordering::Relaxed) {
                return Err(CreateError::Interrupted.into());
            }
            again.parent = self.stop_unless_over(&again.parent)?;
        }
        let plan = self.agency.plan_resume(again)?;
        let run = self.create(&plan, interrupted).map_err(|error| AgentError::spawning(name, error))?;
        if self.agency.store.inherit_messages(&run.id)? > 0 {
            wake_supervisor(&self.agency.home.run(&run.id));
        }
        self.welcome(run)
    }

    /// The state of an agent, as one word.
    pub fn state(&mut self, name: &str) -> Result<AgentState, AgentError> {
        Ok(self.agent(name)?.state)
    }

    /// All agents that are not removed, by their names.
    pub fn list_agents(&mut self) -> Result<Vec<NamedAgent>, AgentError> {
        let filter = RunFilter { kind: Some(RunKind::Agent), ..RunFilter::default() };
        let mut agents: BTreeMap<String, NamedAgent> = BTreeMap::new();
        // Newest first: of a name that was used again, the live run counts, else the newest.
        for run in self.agency.list(&filter)? {
            let agent = NamedAgent::of(run);
            match agents.entry(agent.name.clone()) {
                Entry::Vacant(free) => drop(free.insert(agent)),
                Entry::Occupied(mut newer) => {
                    if newer.get().run.state.is_terminal() && !agent.run.state.is_terminal() {
                        newer.insert(agent);
                    }
                }
            }
        }
        Ok(agents.into_values().collect())
    }

    /// The agent with this name.
    pub fn agent(&mut self, name: &str) -> Result<NamedAgent, AgentError> {
        let agents = self.list_agents()?;
        let near = nearest(name, agents.iter().map(|agent| agent.name.as_str())).map(str::to_owned);
        let found = agents.into_iter().find(|agent| agent.name == name);
        found.ok_or_else(|| AgentError::NotFound { name: name.to_owned(), nearest: near })
    }

    /// The agents, and other runs, that still run although their supervisor has died.
    pub fn detect_orphans(&mut self) -> Result<Vec<OrphanInfo>, AgentError> {
        Ok(self.agency.detect_orphans()?)
    }

    /// Ends an orphan with all that is left of its run.
    pub fn kill_orphan(&mut self, pid: u32) -> Result<KilledOrphan, AgentError> {
        Ok(self.agency.kill_orphan(pid)?)
    }

    fn create(&mut self, plan: &Plan, interrupted: &AtomicBool) -> Result<RunRow, CreateError> {
        let Some(factory) = &self.runner else { return self.agency.create(plan, interrupted) };
        let start = |home: &Home, id: &RunId| supervise_in_thread(home, id, factory);
        self.agency.create_supervised(plan, interrupted, SupervisorStart::Thread(&start))
    }

    fn check_free(&mut self, name: &str) -> Result<(), AgentError> {
        self.agency.adopt_missing()?;
        let live = RunFilter {
            kind: Some(RunKind::Agent),
            name: Some(name.to_owned()),
            states: vec![State::Queued, State::Running],
            ..RunFilter::default()
        };
        match self.agency.list(&live)?.pop() {
            Some(run) => Err(AgentError::NameTaken { name: name.to_owned(), run: Some(run.id) }),
            None => Ok(()),
        }
    }

    fn welcome(&mut self, run: RunRow) -> Result<NamedAgent, AgentError> {
        let agent = NamedAgent::of(run);
        if self.queue.is_heard() {
            self.follow(&agent, 0)?;
        }
        Ok(agent)
    }

    fn follow(&mut self, agent: &NamedAgent, from: u64) -> Result<(), AgentError> {
        self.followers.retain(Follower::is_at_work);
        if self.followers.iter().any(|follower| follower.is_of(&agent.run.id)) {
            return Ok(());
        }
        self.followers.push(Follower::start(&self.agency, agent, from, &self.queue)?);
        Ok(())
    }
}

impl From<StoreError> for AgentError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
