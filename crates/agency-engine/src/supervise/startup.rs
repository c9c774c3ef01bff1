//! The beginning of a supervisor: its lock, its orders, its place in the queue.

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use agency_adapters::find_adapter;
use agency_model::run::{Input, State};
use agency_model::{ErrorCode, Host, RunId};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_system::process::{adopt_orphans, bind_listener, close_on_exec, connect, leave_session};
use agency_workspace::UncommittedCheck;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tracing::{debug, error, info};

use super::Supervisor;
use super::control::{ControlMessage, ControlServer};
use super::notifier::Notifier;
use super::parent_watch::ParentWatch;
use super::scope::SupervisorScope;
use super::slot::{self, SlotOutcome};
use crate::home::{Home, HomeError, RunDirectory};
use crate::record::finish::{Ended, announce_end, write_markers};
use crate::runner::RunnerFactory;
use crate::runs::create::SupervisorThread;
use crate::store::{RunRow, Store, StoreError};
use crate::wire::{Environment, LaunchOrders, Report, receive_orders, send_report};

/// How long the creator may take to hand the orders over: it makes the workspace meanwhile. One that dies closes the socket.
const ORDERS_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the database is waited for before there are orders, which say how long that may be.
const EARLY_DATABASE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a prober may hold the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a supervisor could not do its work.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SuperviseError {
    /// The run has a supervisor, or is being removed.
    #[error("{0} has an owner already")]
    Owned(RunId),
    /// It received no launch orders.
    #[error("no orders came for {id}: {source}")]
    NoOrders {
        /// The run.
        id: RunId,
        /// What happened to the socket.
        #[source]
        source: io::Error,
    },
    /// A file could not be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The caller is inside of a tokio runtime, and the supervisor has one of its own.
    #[error(
        "the supervisor has a tokio runtime of its own and cannot work inside of another one: \
         call agency_engine::init() before a runtime is started, in a main that is not async"
    )]
    WithinRuntime,
    /// The operating system refused.
    #[error("the supervisor of {id} could not be set up: {source}")]
    System {
        /// The run.
        id: RunId,
        /// Its message.
        #[source]
        source: io::Error,
    },
}

/// Supervises one run from its queue to its end. It blocks and changes settings of the whole process, so call it before
/// anything else, and not inside of a tokio runtime (`#[tokio::main]`).
///
/// # Errors
///
/// Fails when it is called inside of a tokio runtime, when the run has a supervisor already, when no orders come, and
/// when the run's files or the database cannot be used.
pub fn supervise(home: &Home, id: &RunId) -> Result<(), SuperviseError> {
    if tokio::runtime::Handle::try_current().is_ok() {
        return Err(SuperviseError::WithinRuntime);
    }
    info!(run = %id, pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "supervisor started");
    let outcome = supervise_process(home, id);
    match &outcome {
        Ok(()) => info!(run = %id, "supervisor exits"),
        // What a bad value in the database is may be a secret.
        Err(SuperviseError::Store(error)) => error!(run = %id, code = error.code().as_str(), "supervisor exits"),
        Err(error) => error!(run = %id, %error, "supervisor exits"),
    }
    outcome
}

/// Supervises one run in a thread of this program, which starts its agents by `factory`. The run ends with the program.
pub(crate) fn supervise_in_thread(home: &Home, id: &RunId, factory: &RunnerFactory) -> io::Result<SupervisorThread> {
    let (home, id, factory) = (home.clone(), id.clone(), Arc::clone(factory));
    let supervise = move || supervise_run(&home, &id, SupervisorScope::Thread(factory)).map_err(Into::into);
    std::thread::Builder::new().name("supervisor".to_owned()).spawn(supervise)
}

fn supervise_process(home: &Home, id: &RunId) -> Result<(), SuperviseError> {
    leave_session();
    close_on_exec();
    adopt_orphans().map_err(|source| SuperviseError::System { id: id.clone(), source })?;
    supervise_run(home, id, SupervisorScope::Process)
}

fn supervise_run(home: &Home, id: &RunId, scope: SupervisorScope) -> Result<(), SuperviseError> {
    let system = |source| SuperviseError::System { id: id.clone(), source };
    let directory = home.run(id);
    let lock =
        Lock::take(&directory.supervisor_lock(), LOCK_TIMEOUT)?.ok_or_else(|| SuperviseError::Owned(id.clone()))?;
    fault::point("supervise.locked");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(system)?;
    // The workspace may still be made, so what needs no orders comes first. A thread shares its limits with the program.
    let early_store = matches!(scope, SupervisorScope::Process)
        .then(|| Store::open(&home.database(), EARLY_DATABASE_TIMEOUT).ok())
        .flatten();
    let (creator, launch, environment) =
        orders(&directory).map_err(|source| SuperviseError::NoOrders { id: id.clone(), source })?;
    debug!(version = launch.version, host = %launch.host, mode = %launch.mode, "orders received");
    if launch.host == Host::Tmux && matches!(scope, SupervisorScope::Process) {
        // The pane may be older than the workspace, and new panes open in the directory of this process.
        let _ = std::env::set_current_dir(&launch.directory);
    }
    fault::point("supervise.ordered");
    let notifier = runtime.block_on(async {
        let run = RunParts { home, id, directory, scope, launch, environment, creator, early_store };
        run.supervise().await
    })?;
    // The run has finished, also for commands that have just connected; only notification programs are waited for.
    drop(runtime);
    drop(lock);
    if let Some(notifier) = notifier {
        notifier.wait_or_kill();
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the terminal of the pane is known by the variables of this process")]
fn orders(directory: &RunDirectory) -> io::Result<(UnixStream, LaunchOrders, Environment)> {
    let mut creator = connect(&directory.launch_socket())?;
    creator.set_read_timeout(Some(ORDERS_TIMEOUT))?;
    let (launch, mut environment) = receive_orders(&mut creator)?;
    if launch.host == Host::Tmux {
        // The agent's screen is this pane, not the terminal the caller sat at.
        for name in ["TERM", "TMUX", "TMUX_PANE"] {
            environment.extend(std::env::var_os(name).map(|value| (name.into(), value)));
        }
    }
    Ok((creator, launch, environment))
}

struct RunParts<'a> {
    home: &'a Home,
    id: &'a RunId,
    directory: RunDirectory,
    scope: SupervisorScope,
    launch: LaunchOrders,
    environment: Environment,
    creator: UnixStream,
    /// The database, where it could be opened before there were orders.
    early_store: Option<Store>,
}

impl RunParts<'_> {
    async fn supervise(mut self) -> Result<Option<Notifier>, SuperviseError> {
        let system = |source| SuperviseError::System { id: self.id.clone(), source };
        // A run that waits does not end with its pane, no more than one that works.
        let _hangup = self.scope.survive_hangup().map_err(system)?;
        let (mut control, sender) = self.listen()?;
        let mut store = self.open_store()?;
        if let Some(name) = self.launch.adapter.as_deref().filter(|name| find_adapter(name).is_none()) {
            let message = format!(
                "the adapter '{name}' is not known to the supervisor: pass it to agency_engine::Init::adapter at the top of main"
            );
            self.refuse(&mut store, ErrorCode::RunnerNotConfigured, message)?;
            return Ok(None);
        }
        let waiting = slot::Waiting { home: self.home, id: self.id, launch: &self.launch };
        let outcome = waiting
            .wait(&mut store, &mut control, || tell(&self.creator, self.launch.version, &Report::Queued))
            .await?;
        match outcome {
            SlotOutcome::Granted(row) => {
                look_for_uncommitted(self.launch.uncommitted.clone(), sender);
                self.run(*row, store, control).await.map(Some)
            }
            SlotOutcome::Refused => {
                info!(max_agents = self.launch.max_agents, "no slot is free");
                let message = format!("{} runs are live, as many as max_agents allows", self.launch.max_agents);
                self.refuse(&mut store, ErrorCode::MaxAgents, message)?;
                Ok(None)
            }
            SlotOutcome::Over(row) => {
                info!(state = %row.state, "the run finished before it had a slot");
                self.end_unstarted(&mut store, &row)?;
                tell(&self.creator, self.launch.version, &Report::Stopped);
                Ok(None)
            }
        }
    }

    fn open_store(&mut self) -> Result<Store, StoreError> {
        let limit = Duration::from_millis(self.launch.lock_timeout_ms);
        let early = self.early_store.take().map(|store| store.with_lock_timeout(limit));
        // It may have been replaced meanwhile.
        match early.map(|mut store| store.refresh().map(|_| store)) {
            Some(Ok(store)) => Ok(store),
            Some(Err(_)) | None => Store::open(&self.home.database(), limit),
        }
    }

    fn listen(&self) -> Result<(ControlServer, mpsc::Sender<ControlMessage>), SuperviseError> {
        let system = |source| SuperviseError::System { id: self.id.clone(), source };
        let listener = bind_listener(&self.directory.control_socket()).map_err(system)?;
        listener.set_nonblocking(true).map_err(system)?;
        let listener = UnixListener::from_std(listener).map_err(system)?;
        let (server, sender) = ControlServer::start(listener);
        if let Some(lock) = &self.launch.parent_lock {
            let limit = Duration::from_millis(self.launch.lock_timeout_ms);
            ParentWatch { lock: lock.clone(), database: self.home.database(), limit, run: self.id.clone() }
                .watch(sender.clone())
                .map_err(system)?;
        }
        Ok((server, sender))
    }

    /// Records and reports why the agent is not started.
    fn refuse(&self, store: &mut Store, code: ErrorCode, message: String) -> Result<(), SuperviseError> {
        store.apply(self.id, &Input::CouldNotStart(code), Some(&message))?;
        let row = store.run(self.id)?;
        self.end_unstarted(store, &row)?;
        tell(&self.creator, self.launch.version, &Report::Failed { code, message });
        Ok(())
    }

    /// Records the end of a run whose agent never started.
    fn end_unstarted(&self, store: &mut Store, row: &RunRow) -> Result<(), SuperviseError> {
        write_markers(&self.directory, &Ended::from_row(row))?;
        announce_end(self.home, store, State::Queued, row);
        Ok(())
    }

    async fn run(self, row: RunRow, store: Store, control: ControlServer) -> Result<Notifier, SuperviseError> {
        fault::point("supervise.claimed");
        // The row can be rebuilt from the snapshot, which therefore has each change of state.
        let _ = self.directory.write_json("meta.json", &row);
        let system = |source| SuperviseError::System { id: self.id.clone(), source };
        let (home, creator, version) = (self.home, self.creator, self.launch.version);
        let given = (self.scope, self.launch, self.environment);
        let mut supervisor = Supervisor::new(home, row, given, store, control).map_err(system)?;
        // A failure is reported to the creator only after it is in the row.
        Ok(match supervisor.start() {
            Ok(()) => {
                tell(&creator, version, &Report::Running);
                debug!("reported to the creator");
                fault::point("supervise.reported");
                supervisor.process.scope().release_start_memory();
                supervisor.run_to_end().await
            }
            Err(error) => {
                let notifier = supervisor.run_to_end().await;
                let message = error.to_string();
                tell(&creator, version, &Report::Failed { code: ErrorCode::RunnerNotConfigured, message });
                notifier
            }
        })
    }
}

/// Looks for files that the run does not get, in a thread of its own. A run that ends before gets no warning.
fn look_for_uncommitted(check: Option<UncommittedCheck>, events: mpsc::Sender<ControlMessage>) {
    let Some(check) = check else { return };
    let look = move || {
        for message in check.warnings() {
            // Without a supervisor there is no event to write.
            let _ = events.blocking_send(ControlMessage::Notice(message));
        }
    };
    // A thread that cannot be started costs a warning and nothing else.
    let _ = std::thread::Builder::new().name("uncommitted".to_owned()).spawn(look);
}

fn tell(mut creator: &UnixStream, orders_version: u32, report: &Report) {
    // The creator may have been killed meanwhile; the run continues without it.
    let _ = send_report(&mut creator, orders_version, report);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_supervisor_inside_of_a_runtime_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let id = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        let error = supervise(&Home::new(home.path().to_owned()), &id).unwrap_err();
        assert!(matches!(error, SuperviseError::WithinRuntime), "{error}");
    }
}
