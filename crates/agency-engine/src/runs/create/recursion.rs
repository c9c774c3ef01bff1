//! Nothing is started from inside an ask: its agent answers from the sources it has.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use agency_model::{RunId, RunKind};
use agency_system::process::{ASK_VARIABLE, RUN_ID_VARIABLE};

use super::CreateError;
use crate::agency::Agency;

impl Agency {
    /// Refuses what is started from inside an ask. Two marks tell: the variable of every ask, and the run that the
    /// environment names, for a process that lost the variable.
    pub(crate) fn refuse_within_ask(&self, environment: &BTreeMap<OsString, OsString>) -> Result<(), CreateError> {
        let run = environment.get(OsStr::new(RUN_ID_VARIABLE)).and_then(|id| id.to_str()?.parse::<RunId>().ok());
        let row = run.and_then(|id| self.store.run(&id).ok());
        let marked = environment.get(OsStr::new(ASK_VARIABLE)).is_some_and(|value| !value.is_empty());
        if marked || row.is_some_and(|row| row.kind == RunKind::Ask) { Err(CreateError::Recursion) } else { Ok(()) }
    }
}
