//! Orphans: agents, and their child processes, that still run although the supervisor of their run has died.
//!
//! The one rule: a process is named only if its pid file or the run's id in its environment proves whose it is, or if its
//! parent or the leader of its session is such a one. A number alone proves nothing.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config};
//! # let place = tempfile::tempdir()?;
//! # let mut agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! // No process of a run outlived its supervisor.
//! assert!(agency.detect_orphans()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use agency_model::RunId;
use agency_model::run::State;
use agency_system::fault;
use agency_system::process::{
    FoundProcess, ProcessHandle, ProcessState, RUN_ID_VARIABLE, carriers, connect, end_found, of_run, processes_of_run,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use tracing::info;

pub use self::error::OrphanError;
use crate::agency::Agency;
use crate::home::RunDirectory;
use crate::host::Tmux;
use crate::record::pid_file::{self, PidFile, UnclearPidFile};
use crate::runs::owner::has_owner;
use crate::store::{RunRow, StoreError};

/// How long a process that only checks or records the end of a run may hold its lock.
const LOCK_WAIT: Duration = Duration::from_secs(1);
/// The interval of the check whether the lock is free.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// An agent without a supervisor, or what is left of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OrphanInfo {
    /// The agent's process; if that is gone, the oldest of those it left.
    pub pid: u32,
    /// Its run.
    pub run_id: RunId,
    /// The label that the user gave the run.
    pub run_name: Option<String>,
    /// Where the run stands.
    pub run_state: State,
    /// The command line.
    pub command: String,
    /// Whether it does something.
    pub process_state: ProcessState,
    /// The processor time it used, in milliseconds.
    pub cpu_ms: u64,
    /// Where it works now, if that may be known.
    pub directory: Option<PathBuf>,
    /// When it was started.
    pub since: Timestamp,
    /// How many other processes of the run there are.
    pub descendants: usize,
    /// Where the run works.
    pub workspace: PathBuf,
    /// Whether the run's tmux session is there.
    pub attachable: bool,
}

/// An orphan that was ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct KilledOrphan {
    /// The process.
    pub pid: u32,
    /// Its run.
    pub run_id: RunId,
    /// The label that the user gave the run.
    pub run_name: Option<String>,
    /// Where the run stands.
    pub run_state: State,
    /// How many processes were ended, with those that it had started.
    pub ended: usize,
}

/// The processes of a run without a supervisor, the agent or the oldest first.
pub(crate) struct Orphan {
    pub(crate) row: RunRow,
    pub(crate) processes: Vec<ProcessHandle>,
}

impl Orphan {
    fn is_headed_by(&self, pid: u32) -> bool {
        self.processes.first().is_some_and(|head| head.pid() == pid)
    }

    fn has(&self, pid: u32) -> bool {
        self.processes.iter().any(|process| process.pid() == pid)
    }
}

/// The processes that point to each run.
pub(crate) type TracesByRun = BTreeMap<RunId, Traces>;

/// What points to a run.
#[derive(Default)]
pub(crate) struct Traces {
    agent: Option<ProcessHandle>,
    carrying: Vec<ProcessHandle>,
}

impl Agency {
    /// Where pid files are.
    #[must_use]
    pub fn pid_dir(&self) -> PathBuf {
        self.home.pid_dir(self.config.pid_dir.as_deref())
    }

    /// The agents that still run although the supervisors of their runs have died. Pid files that are of no more use are
    /// cleared away.
    pub fn detect_orphans(&mut self) -> Result<Vec<OrphanInfo>, StoreError> {
        self.reconcile_live()?;
        self.clear_pid_files()?;
        Ok(self.orphans()?.iter().filter_map(describe).collect())
    }

    /// The pid files that cannot be read. They are left to their owner.
    #[must_use]
    pub fn unclear_pid_files(&self) -> Vec<UnclearPidFile> {
        let directory = self.pid_dir();
        match pid_file::runs_in(&directory) {
            Ok(runs) => runs.iter().filter_map(|id| PidFile::read(&directory, id).err()).collect(),
            Err(unclear) => vec![unclear],
        }
    }

    /// Ends an orphan with all that is left of its run: TERM, the grace period, KILL.
    pub fn kill_orphan(&mut self, pid: u32) -> Result<KilledOrphan, OrphanError> {
        self.reconcile_live()?;
        let orphans = self.orphans()?;
        let Some(orphan) = orphans.iter().find(|orphan| orphan.is_headed_by(pid)) else {
            return Err(self.no_orphan(pid, &orphans));
        };
        let id = &orphan.row.id;
        let staying = self.end_processes(id, self.config.stop_grace);
        if !staying.is_empty() {
            let staying = staying.iter().map(|process| (process.pid(), process.command_line())).collect();
            return Err(OrphanError::Stays { id: id.clone(), staying });
        }
        info!(run = %id, pid, processes = orphan.processes.len(), "orphan ended");
        fault::point("orphan.ended");
        pid_file::remove(&self.pid_dir(), id);
        fault::point("orphan.cleared");
        self.settle(&orphan.row)?;
        let row = self.store.run(id)?;
        Ok(KilledOrphan {
            pid,
            run_id: row.id,
            run_name: row.name,
            run_state: row.state,
            ended: orphan.processes.len(),
        })
    }

    /// Ends every process of a run that has no supervisor any more. Gives back those that stay.
    pub(crate) fn end_processes(&self, id: &RunId, grace: Duration) -> Vec<ProcessHandle> {
        let directory = self.pid_dir();
        end_found(grace, || of_run(id, agent_of(&directory, id), processes_of_run(id)))
    }

    /// Every run without a supervisor that still has processes.
    pub(crate) fn orphans(&self) -> Result<Vec<Orphan>, StoreError> {
        self.orphans_among(traces(&self.pid_dir()), &[])
    }

    /// The same of processes that were found before, with runs that the database does not have.
    pub(crate) fn orphans_among(&self, traces: TracesByRun, more: &[&RunRow]) -> Result<Vec<Orphan>, StoreError> {
        let mut orphans = vec![];
        for (id, Traces { agent, carrying }) in traces {
            // A run of another home is not looked at.
            let unknown = more.iter().find(|row| row.id == id);
            if (unknown.is_none() && !self.store.knows(&id)?) || has_supervisor(&self.home.run(&id)) {
                continue;
            }
            // A process that runs after that check was not about to be ended by its supervisor.
            let processes = of_run(&id, agent, carrying);
            if !processes.is_empty() {
                let row = match unknown {
                    Some(row) => (*row).clone(),
                    None => self.store.run(&id)?,
                };
                orphans.push(Orphan { row, processes });
            }
        }
        Ok(orphans)
    }

    /// Clears away the pid files of processes that are gone.
    pub(crate) fn clear_pid_files(&self) -> Result<(), StoreError> {
        let directory = self.pid_dir();
        self.dead_pid_files()?.iter().for_each(|id| pid_file::remove(&directory, id));
        Ok(())
    }

    /// The runs with pid files of processes that are gone.
    pub(crate) fn dead_pid_files(&self) -> Result<Vec<RunId>, StoreError> {
        let directory = self.pid_dir();
        let mut dead = vec![];
        for id in pid_file::runs_in(&directory).unwrap_or_default() {
            let is_known = self.store.knows(&id)?;
            // A supervisor may write another one at any moment, so the file is read after this look.
            if is_known && has_supervisor(&self.home.run(&id)) {
                continue;
            }
            let Ok(Some(file)) = PidFile::read(&directory, &id) else {
                continue;
            };
            match file.process.find() {
                Ok(FoundProcess::AnotherBoot) => dead.push(id),
                Ok(FoundProcess::Gone) if is_known => dead.push(id),
                // The supervisor of another home's run may be about to start the next process.
                Ok(FoundProcess::Gone | FoundProcess::Here(_)) | Err(_) => {}
            }
        }
        Ok(dead)
    }

    /// Why a pid is not that of an orphan.
    fn no_orphan(&self, pid: u32, orphans: &[Orphan]) -> OrphanError {
        if let Some(head) = orphans.iter().find(|orphan| orphan.has(pid)).and_then(|orphan| orphan.processes.first()) {
            return OrphanError::PartOf { pid, head: head.pid() };
        }
        let Some(process) = ProcessHandle::open(pid) else {
            return OrphanError::NoProcess(pid);
        };
        let run = process.variable(RUN_ID_VARIABLE).and_then(|id| id.parse::<RunId>().ok());
        match run.filter(|id| self.store.knows(id).unwrap_or(false) && has_owner(&self.home.run(id))) {
            Some(id) => OrphanError::Supervised { pid, id },
            None => OrphanError::Stranger(pid),
        }
    }
}

/// The processes that point to runs, of this home or another: by a pid file, or by the run's id in their environment.
pub(crate) fn traces(pid_dir: &Path) -> TracesByRun {
    let mut traces = TracesByRun::new();
    // A directory that cannot be read is among the unclear files.
    for id in pid_file::runs_in(pid_dir).unwrap_or_default() {
        if let Some(agent) = agent_of(pid_dir, &id) {
            traces.entry(id).or_default().agent = Some(agent);
        }
    }
    for (id, process) in carriers() {
        traces.entry(id).or_default().carrying.push(process);
    }
    traces
}

/// The agent that a run's pid file names, if it is there.
fn agent_of(directory: &Path, id: &RunId) -> Option<ProcessHandle> {
    match PidFile::read(directory, id).ok()??.process.find() {
        Ok(FoundProcess::Here(process)) => Some(process),
        Ok(FoundProcess::Gone | FoundProcess::AnotherBoot) | Err(_) => None,
    }
}

/// Whether a supervisor supervises the run. One that does can be reached; who holds its lock and cannot be reached does so
/// for a moment only, and is waited for.
fn has_supervisor(directory: &RunDirectory) -> bool {
    let deadline = Instant::now() + LOCK_WAIT;
    while has_owner(directory) {
        if connect(&directory.control_socket()).is_ok() || Instant::now() >= deadline {
            return true;
        }
        thread::sleep(LOCK_POLL_INTERVAL);
    }
    false
}

/// What an orphan is doing; `None` if it has ended meanwhile.
fn describe(orphan: &Orphan) -> Option<OrphanInfo> {
    let Orphan { row, processes } = orphan;
    let (head, others) = processes.split_first()?;
    let command = head.command_line();
    let condition = head.condition()?;
    let session = row.tmux_session_name.as_deref();
    Some(OrphanInfo {
        pid: head.pid(),
        run_id: row.id.clone(),
        run_name: row.name.clone(),
        run_state: row.state,
        command,
        process_state: condition.state,
        cpu_ms: u64::try_from(condition.used.as_millis()).unwrap_or(u64::MAX),
        directory: condition.directory,
        since: condition.since,
        descendants: others.len(),
        workspace: row.directory().into(),
        attachable: session
            .is_some_and(|session| Tmux::new(row.tmux_socket.clone()).has_session(session).unwrap_or(false)),
    })
}
