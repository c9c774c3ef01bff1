//! Who calls: the process that does something in the user's name, and the run whose agent started it, if one did.
//!
//! The one rule: what an agent started does not answer agents' questions. Without a sandbox this is a guard and not a
//! boundary: an agent that wants to can hide where it comes from.

use std::collections::BTreeMap;

use agency_model::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agency::Agency;
use crate::pid_file::{self, PidFile};
use crate::process::{Ancestor, Found, NOTIFICATION_VARIABLE, RUN_ID_VARIABLE, ancestry, own_terminal_name};
use crate::store::StoreError;
use crate::tell::TellError;

/// The process that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caller {
    /// Its user.
    pub uid: u32,
    /// Its number.
    pub pid: u32,
    /// The terminal it was started on, if any.
    pub terminal: Option<String>,
    /// The run whose agent started it, if one did.
    pub run: Option<RunId>,
}

impl Agency {
    /// This process, unless an agent started it and the configuration does not allow that.
    pub(crate) fn permitted_caller(&self) -> Result<Caller, TellError> {
        let caller = Caller {
            uid: rustix::process::getuid().as_raw(),
            pid: std::process::id(),
            terminal: own_terminal_name(),
            run: self.calling_run()?,
        };
        match &caller.run {
            Some(run) if !self.config.allow_self_answer => Err(TellError::NotAllowed { run: run.clone() }),
            Some(_) | None => Ok(caller),
        }
    }

    /// The run of this home whose agent started this process, directly or not.
    fn calling_run(&self) -> Result<Option<RunId>, StoreError> {
        let agents = self.live_agents()?;
        let chain = ancestry();
        for (index, ancestor) in chain.iter().enumerate() {
            if let Some(run) = agents.get(&ancestor.process().pid()) {
                return Ok(Some(run.clone()));
            }
            let carried = ancestor.process().variable(RUN_ID_VARIABLE).and_then(|id| id.parse::<RunId>().ok());
            if let Some(run) = carried
                && self.store.knows(&run)?
            {
                return Ok(Some(run));
            }
            if let Some(run) = supervised_by(ancestor)
                && self.store.knows(&run)?
            {
                // Whatever is above, the supervisor works for the user.
                let child = index.checked_sub(1).and_then(|below| chain.get(below));
                return Ok(child.filter(|child| !is_of_supervisor(child, ancestor)).map(|_| run));
            }
        }
        Ok(None)
    }

    /// The agents of this home that run now, by their pids.
    fn live_agents(&self) -> Result<BTreeMap<u32, RunId>, StoreError> {
        let directory = self.pid_dir();
        let mut agents = BTreeMap::new();
        for run in pid_file::runs_in(&directory).unwrap_or_default() {
            let Ok(Some(file)) = PidFile::read(&directory, &run) else { continue };
            if let Ok(Found::Here(process)) = file.process.find()
                && self.store.knows(&run)?
            {
                agents.insert(process.pid(), run);
            }
        }
        Ok(agents)
    }
}

/// The run that a process supervises. The name alone could be anybody's, so it has to be this very program.
fn supervised_by(ancestor: &Ancestor) -> Option<RunId> {
    let arguments = ancestor.arguments();
    let (verb, id) = (arguments.get(1)?, arguments.get(2)?);
    (verb == "supervise" && ancestor.is_same_program()).then(|| id.parse().ok())?
}

/// Whether a supervisor itself started a process, as it starts `notify.command`. What its agent left behind becomes the
/// supervisor's child too, but is of another session and was not started for a notification.
fn is_of_supervisor(child: &Ancestor, supervisor: &Ancestor) -> bool {
    child.session() == supervisor.session() || child.process().variable(NOTIFICATION_VARIABLE).is_some()
}
