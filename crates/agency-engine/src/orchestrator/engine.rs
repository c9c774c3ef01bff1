//! Drives a session: one loop, in which everything that happens becomes a fact, and every fact is asked what comes next.
//!
//! The one rule: a fact is on disk before anything follows from it, and whatever follows can be done again. So it does
//! not matter where a driver dies.

mod agent;
mod cancel;
mod clock;
mod describe;
mod driver_event;
mod driver_protocol;
mod error;
mod final_answer;
mod leftovers;
mod merge;
mod other_work;
mod questions;
mod script;
mod start_step;
mod workdir;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use agency_model::workflow::{Action, Fact, Flow, HistoryEntry, Recorded, SessionState, Step, StepPath, Work};
use agency_model::{RunId, SessionId};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_workspace::GitWorktree;
use jiff::Timestamp;
use tracing::{debug, info};

pub(crate) use cancel::cancel;
pub(crate) use clock::fresh_reading;
pub use describe::describe_fact;
pub(crate) use driver_protocol::DriverOrder;
pub use driver_protocol::{DriverProtocol, DriverStream};
pub use error::DriveError;
pub(crate) use questions::key_of_question;
pub(crate) use script::output_of;

use self::clock::{Clock, Due, Now};
use self::driver_event::{DriverEvent, catch_signals, listen};
use self::driver_protocol::DriverInput;
use super::state::{Journal, SessionDirectory, SessionManager, SessionRecord};
use crate::agency::{Agency, OpenError};
use crate::config::Config;
use crate::home::Home;
use crate::runs::user_repository::users;
use crate::store::RunRow;
use crate::variant_name::variant_name;

/// How long a driver that comes back waits for the one before it to be gone.
const PREDECESSOR_TIMEOUT: Duration = Duration::from_secs(30);

/// Where everything is.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct DriverContext {
    /// The home.
    pub home: Home,
    /// The configuration.
    pub config: Config,
    /// The program that supervises.
    pub executable: PathBuf,
    /// The environment of whatever is started.
    pub environment: BTreeMap<OsString, OsString>,
}

impl DriverContext {
    fn agency(&self) -> Result<Agency, OpenError> {
        Agency::open(self.home.clone(), self.config.clone(), self.executable.clone())
    }
}

/// Executes the workflow of a session.
#[derive(Debug)]
#[doc(hidden)]
pub struct WorkflowExecutor {
    place: DriverContext,
    agency: Agency,
    record: SessionRecord,
    directory: SessionDirectory,
    /// The first run that drove it, whose worktree is the session's.
    maker: RunRow,
    worktree: GitWorktree,
    flow: Flow,
    journal: Journal,
    clock: Clock,
    stream: DriverStream,
    sender: Sender<DriverEvent>,
    arrivals: Receiver<DriverEvent>,
    under_way: HashMap<(StepPath, u32), UnderWay>,
    /// The open questions, by their keys.
    asked: HashMap<String, (StepPath, u32)>,
    /// Whether a fact was stored since the actions were last computed.
    changed: bool,
    _lock: Lock,
}

/// Something that happens on a thread of its own.
#[derive(Debug)]
struct UnderWay {
    what: Job,
    stopping: bool,
}

#[derive(Debug)]
enum Job {
    Agent(RunId, Arc<AtomicBool>),
    Script(PathBuf, Arc<AtomicBool>),
    Looking,
    Merging(Arc<AtomicBool>),
}

impl WorkflowExecutor {
    /// Takes a session over from its last driver.
    pub fn open(place: DriverContext, id: &SessionId, stream: DriverStream) -> Result<Self, DriveError> {
        let manager = SessionManager::new(place.home.clone());
        let lock = manager.lock(id, PREDECESSOR_TIMEOUT)?;
        let directory = manager.directory(id);
        let (journal, entries) = Journal::open(&directory.history())?;
        let session = manager.load(id)?;
        let agency = place.agency()?;
        let drivers = agency.drivers_of(id)?;
        let maker = drivers.first().cloned().ok_or_else(|| DriveError::NoWorktree(id.clone()))?;
        // The worktree stays as long as one of the runs in it is not removed.
        let removed = drivers.iter().all(|driver| driver.removed_at.is_some());
        let worktree = start_step::worktree_of(&place.home, &maker).filter(|_| !removed);
        let worktree = worktree.ok_or_else(|| DriveError::NoWorktree(id.clone()))?;
        let repo = users(&place.home, session.record.repo.as_ref());
        let repo = repo.map_err(|_| DriveError::NoWorktree(id.clone()))?.display().to_string();
        let came: Vec<Timestamp> = drivers.iter().filter_map(|driver| driver.started_at).collect();
        let (sender, arrivals) = channel();
        Ok(Self {
            clock: Clock::new(&entries, &came, Now::read()),
            place,
            agency,
            record: SessionRecord { repo, ..session.record },
            directory,
            maker,
            worktree,
            flow: session.flow,
            journal,
            stream,
            sender,
            arrivals,
            under_way: HashMap::new(),
            asked: HashMap::new(),
            changed: false,
            _lock: lock,
        })
    }

    /// Drives the session until it stops, as the program of a run. `input` is the output of its supervisor.
    pub fn drive(mut self, input: impl Read + Send + 'static) -> Result<SessionState, DriveError> {
        info!(session = %self.record.id, pid = std::process::id(), "driver started");
        if let Some(why) = self.missing_adapter(&self.record.plan.steps) {
            // Another attempt would find the same.
            self.stream.report_refusal(&self.record.id, why);
            return Ok(self.flow.state());
        }
        listen(input, self.stream.protocol(), self.sender.clone());
        catch_signals(self.sender.clone())?;
        self.stream.write_started(&self.record.id);
        let state = self.work()?;
        info!(session = %self.record.id, %state, "driver exits");
        let reason = self.flow.reason().unwrap_or_default().to_owned();
        match state {
            SessionState::Completed => self.stream.write_completed("the workflow is completed".to_owned()),
            SessionState::Running
            | SessionState::Waiting
            | SessionState::PendingMerge
            | SessionState::Blocked
            | SessionState::Failed
            | SessionState::Cancelled => self.stream.write_stopped(format!("the session is {state}: {reason}")),
        }
        self.stream.flush();
        Ok(state)
    }

    /// Why an agent of these steps cannot be used in this process, for want of its adapter.
    fn missing_adapter(&self, steps: &[Step]) -> Option<String> {
        let defaults = &self.record.plan.defaults;
        steps.iter().find_map(|step| match &step.work {
            Work::Agent(agent) => {
                let named = agent.adapter.as_ref().or(defaults.adapter.as_ref()).map(|adapter| adapter.value.as_str());
                self.place.config.adapter_missing_for(named.unwrap_or(&self.place.config.default_agent))
            }
            Work::Script(_) | Work::Loop(_) | Work::Parallel(_) | Work::Merge(_) | Work::Approval(_) => {
                self.missing_adapter(step.children())
            }
        })
    }

    fn work(&mut self) -> Result<SessionState, DriveError> {
        self.clock.go_on(self.flow.state());
        self.resume_running()?;
        loop {
            self.advance()?;
            let state = self.flow.state();
            if state.is_settled() {
                leftovers::end(&self.directory);
                return Ok(state);
            }
            match self.clock.look(&self.flow) {
                Ok(due) => self.take_due(due)?,
                Err(limit) => {
                    self.stream.flush();
                    let arrival = match limit {
                        Some(limit) => self.arrivals.recv_timeout(limit),
                        None => self.arrivals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                    };
                    match arrival {
                        Ok(arrival) => self.take(arrival)?,
                        // What is due then is looked at above; we hold a sender ourselves.
                        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
                    }
                }
            }
        }
    }

    /// Stores a fact, unless it changes nothing; returns whether it did.
    fn note(&mut self, fact: Fact) -> Result<bool, DriveError> {
        match self.flow.record(&fact)? {
            Recorded::Noted => {
                let fact = self.judged(fact);
                self.store(fact)?;
                self.changed = true;
                Ok(true)
            }
            Recorded::Stale => Ok(false),
        }
    }

    /// The end of a step for the session: one that was stopped failed by that, or was completed by a user.
    fn judged(&self, fact: Fact) -> Fact {
        if let Fact::StepEnded { path, attempt, result } = fact {
            let result = self.flow.result(path.name()).cloned().unwrap_or(result);
            return Fact::StepEnded { path, attempt, result };
        }
        fact
    }

    fn store(&mut self, fact: Fact) -> Result<(), DriveError> {
        let entry: HistoryEntry = self.journal.append_with_clock(fact, Some(self.clock.reading()))?;
        fault::point("session.saved");
        self.clock.take(&entry, self.flow.state());
        self.stream.write_progress(describe_fact(&entry.fact));
        Ok(())
    }

    /// Does what comes next, until something has to be waited for. Whatever an action stores may lead to further ones, so
    /// the actions are computed again until none of them stores a fact.
    fn advance(&mut self) -> Result<(), DriveError> {
        loop {
            self.changed = false;
            for action in self.flow.advance() {
                debug!(session = %self.record.id, action = %variant_name(&action), "action of the workflow");
                match action {
                    Action::Note(fact) => self.store(fact)?,
                    Action::Start { path, attempt } => self.start(&path, attempt)?,
                    Action::Ask { path, attempt } => self.ask(&path, attempt)?,
                    Action::Merge { path, attempt } => self.merge(&path, attempt)?,
                    Action::Stop { path, attempt, .. } => self.stop(&path, attempt),
                }
            }
            if !self.changed {
                self.ask_no_more();
                return Ok(());
            }
        }
    }

    fn take(&mut self, arrival: DriverEvent) -> Result<(), DriveError> {
        match arrival {
            DriverEvent::DriverInput(DriverInput::Answer(answer)) => self.answered(answer),
            DriverEvent::DriverInput(DriverInput::DriverOrder(order)) => self.apply(order),
            // Steps that are running continue; the next driver finds them again.
            DriverEvent::Deserted => Err(DriveError::Deserted),
            DriverEvent::Terminated => self.note(Fact::CancelAsked).map(|_| ()),
            DriverEvent::Ended { path, attempt, result } => {
                self.under_way.remove(&(path.clone(), attempt));
                self.note(Fact::StepEnded { path, attempt, result: *result }).map(|_| ())
            }
            DriverEvent::MergeBlocked { path, attempt, checkouts } => {
                self.under_way.remove(&(path.clone(), attempt));
                self.note(Fact::MergeBlocked { path, attempt, checkouts }).map(|_| ())
            }
            DriverEvent::Lost { path, attempt } => {
                self.under_way.remove(&(path.clone(), attempt));
                self.note(Fact::StepInterrupted { path, attempt }).map(|_| ())
            }
            DriverEvent::MergePreview { path, attempt, looked } => {
                self.under_way.remove(&(path.clone(), attempt));
                self.looked(&path, attempt, looked)
            }
        }
    }

    fn apply(&mut self, order: DriverOrder) -> Result<(), DriveError> {
        match order {
            DriverOrder::CompleteTask { step } => {
                let path = StepPath::new(step);
                // The command checked the state before; the step may have ended since, and then there is nothing to do.
                match self.flow.record(&Fact::CompletionAsked { path: path.clone() }) {
                    Ok(Recorded::Noted) => self.store(Fact::CompletionAsked { path }),
                    Ok(Recorded::Stale) | Err(_) => Ok(()),
                }
            }
        }
    }

    fn take_due(&mut self, due: Due) -> Result<(), DriveError> {
        let fact = match due {
            Due::Step(path) => Fact::StepTimedOut { path },
            Due::Session => Fact::SessionTimedOut,
        };
        if !self.note(fact)? {
            // It was reported before, and its consequences are still being handled.
            self.wait_a_moment()?;
        }
        Ok(())
    }

    /// Waits for whatever comes next while something is due that is being dealt with.
    fn wait_a_moment(&mut self) -> Result<(), DriveError> {
        self.stream.flush();
        match self.arrivals.recv_timeout(Duration::from_secs(1)) {
            Ok(arrival) => self.take(arrival),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Ok(()),
        }
    }

    fn stop(&mut self, path: &StepPath, attempt: u32) {
        let Some(under_way) = self.under_way.get_mut(&(path.clone(), attempt)) else { return };
        if std::mem::replace(&mut under_way.stopping, true) {
            return;
        }
        match &under_way.what {
            Job::Agent(run, stopped) => {
                stopped.store(true, Ordering::Relaxed);
                let (place, run) = (self.place.clone(), run.clone());
                std::thread::spawn(move || {
                    if let Ok(mut agency) = place.agency() {
                        agent::stop(&mut agency, &run);
                    }
                });
            }
            Job::Script(directory, stopped) => {
                stopped.store(true, Ordering::Relaxed);
                let (directory, grace) = (directory.clone(), self.place.config.stop_grace);
                std::thread::spawn(move || leftovers::end_step(&directory, grace));
            }
            // Git is soon done, and half of it would be worse; checks may take long.
            Job::Merging(stopped) => stopped.store(true, Ordering::Relaxed),
            Job::Looking => {}
        }
    }
}
