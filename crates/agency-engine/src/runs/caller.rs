//! The caller: the process that does something in the user's name, and the run whose agent started it, if one did.
//!
//! The one rule: what an agent started does not answer agents' questions. Without a sandbox this is a guard and not a
//! boundary: an agent can hide its origin on purpose.

mod pane;

use std::collections::BTreeMap;

use agency_model::{Caller, RunId, RunKind};
use agency_system::process::{
    Ancestor, FoundProcess, NOTIFICATION_VARIABLE, RUN_ID_VARIABLE, ancestry, own_terminal_name,
};

use crate::agency::Agency;
use crate::own_program::supervised_run;
use crate::record::pid_file::{self, PidFile};
use crate::store::{StartedBy, StoreError};

/// Why a process may not do what only users may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum NotAllowed {
    /// An agent started it.
    #[error("this process was started by the agent of {0}, or in the tmux session of that run")]
    Agent(RunId),
    /// It runs in a tmux session that no terminal was attached to.
    #[error(
        "this process runs in the tmux session '{0}', to which no terminal was ever attached: an agent may have opened it"
    )]
    UnseenSession(String),
}

/// Why this process is not accepted as a caller.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallerError {
    /// Only users may do what it requests.
    #[error(transparent)]
    NotAllowed(#[from] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The caller that started a process.
enum CallerOrigin {
    User,
    Agent(RunId),
    UnseenSession(String),
}

impl Agency {
    /// This process, unless an agent started it and that is not allowed.
    pub(crate) fn permitted_caller(&self) -> Result<Caller, CallerError> {
        let run = match self.origin()? {
            CallerOrigin::User => None,
            CallerOrigin::Agent(run) if self.allows_answers_of(&run)? => Some(run),
            CallerOrigin::Agent(run) => return Err(NotAllowed::Agent(run).into()),
            CallerOrigin::UnseenSession(session) => return Err(NotAllowed::UnseenSession(session).into()),
        };
        let uid = rustix::process::getuid().as_raw();
        Ok(Caller { uid, pid: std::process::id(), terminal: own_terminal_name(), run })
    }

    /// Who starts a run that this process creates. An agent cannot give a run of its own the right to answer unless it has
    /// it, and a run that it starts through others stays its own.
    pub(crate) fn starter(&self) -> Result<StartedBy, StoreError> {
        let (agent, may_answer) = match self.origin()? {
            CallerOrigin::User => (false, true),
            CallerOrigin::Agent(run) => (self.is_of_an_agent(&run)?, self.store.allows_self_answer(&run)?),
            CallerOrigin::UnseenSession(_) => (true, false),
        };
        Ok(StartedBy { agent, allow_self_answer: self.config.allow_self_answer && may_answer })
    }

    /// Whether an agent is behind what the process of a run starts. For the driver of a workflow that is decided by who started it.
    fn is_of_an_agent(&self, run: &RunId) -> Result<bool, StoreError> {
        let is_driver = self.store.run(run)?.kind == RunKind::Workflow;
        Ok(!is_driver || self.store.is_started_by_agent(run)?)
    }

    /// Whether the agent of a run may answer: if the configuration says so, and said so when the run was created. An
    /// agent can choose the configuration of a command, but not the one that its run was created with.
    fn allows_answers_of(&self, run: &RunId) -> Result<bool, StoreError> {
        Ok(self.config.allow_self_answer && self.store.allows_self_answer(run)?)
    }

    /// The caller that started this process, directly or not.
    fn origin(&self) -> Result<CallerOrigin, StoreError> {
        let agents = self.live_agents()?;
        let chain = ancestry();
        for (index, ancestor) in chain.iter().enumerate() {
            if let Some(run) = agents.get(&ancestor.process().pid()) {
                return Ok(CallerOrigin::Agent(run.clone()));
            }
            let carried = ancestor.process().variable(RUN_ID_VARIABLE).and_then(|id| id.parse::<RunId>().ok());
            if let Some(run) = carried
                && self.store.knows(&run)?
            {
                return Ok(CallerOrigin::Agent(run));
            }
            if let Some(run) = supervised_by(ancestor)
                && self.store.knows(&run)?
            {
                // Whatever is above, the supervisor works for the user, unless an agent chose its configuration.
                let child = index.checked_sub(1).and_then(|below| chain.get(below));
                let left = child.is_some_and(|child| !is_of_supervisor(child, ancestor));
                let is_agents = left || self.store.is_started_by_agent(&run)?;
                return Ok(if is_agents { CallerOrigin::Agent(run) } else { CallerOrigin::User });
            }
            if let Some(origin) = self.opener_of_pane(ancestor, chain.get(..index).unwrap_or_default())? {
                return Ok(origin);
            }
        }
        Ok(CallerOrigin::User)
    }

    /// The agents of this home that run now, by their pids.
    fn live_agents(&self) -> Result<BTreeMap<u32, RunId>, StoreError> {
        let directory = self.pid_dir();
        let mut agents = BTreeMap::new();
        for run in pid_file::runs_in(&directory).unwrap_or_default() {
            let Ok(Some(file)) = PidFile::read(&directory, &run) else { continue };
            if let Ok(FoundProcess::Here(process)) = file.process.find()
                && self.store.knows(&run)?
            {
                agents.insert(process.pid(), run);
            }
        }
        Ok(agents)
    }
}

/// The run that a process supervises. Any process could have the name, so it has to be this very program.
fn supervised_by(ancestor: &Ancestor) -> Option<RunId> {
    let run = supervised_run(ancestor.arguments().get(1..)?)?;
    ancestor.is_same_program().then_some(run)
}

/// Whether a supervisor itself started a process, as it starts `notify.command`. What its agent left behind becomes the
/// supervisor's child too, but is of another session and was not started for a notification.
fn is_of_supervisor(child: &Ancestor, supervisor: &Ancestor) -> bool {
    child.session() == supervisor.session() || child.process().variable(NOTIFICATION_VARIABLE).is_some()
}
