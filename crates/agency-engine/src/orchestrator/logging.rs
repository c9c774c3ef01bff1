//! What the steps of a session printed and answered, and where it is kept.

use std::path::PathBuf;

use agency_model::workflow::{Fact, StepPath};
use agency_model::{RunId, SessionId, nearest};

use super::commands::flattened;
use super::engine::output_of;
use super::{Orchestrator, OrchestratorError};

/// The log of one attempt of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StepLog {
    /// The step.
    pub path: StepPath,
    /// Which attempt.
    pub attempt: u32,
    /// The run of an agent.
    pub run_id: Option<RunId>,
    /// The file that holds it.
    pub file: PathBuf,
}

impl Orchestrator {
    /// The logs of a session in the order in which its steps began, or of one step alone.
    pub fn logs(&self, id: &SessionId, step: Option<&str>) -> Result<Vec<StepLog>, OrchestratorError> {
        let session = self.show(id)?;
        let steps = session.steps();
        let names = flattened(&steps);
        let known = |text: &str| names.iter().any(|node| node.name == text || node.path.as_str() == text);
        let wanted = |path: &StepPath| step.is_none_or(|text| path.name() == text || path.as_str() == text);
        let mut logs = vec![];
        for entry in &session.entries {
            let Fact::StepStarted { path, attempt, run_id } = &entry.fact else { continue };
            let file = match run_id {
                Some(run) => self.agency.home.run(run).combined_log(),
                None => output_of(&session.directory().step(path, *attempt)),
            };
            if wanted(path) && file.exists() {
                logs.push(StepLog { path: path.clone(), attempt: *attempt, run_id: run_id.clone(), file });
            }
        }
        match step {
            Some(text) if logs.is_empty() && !known(text) => Err(OrchestratorError::NoSuchStep {
                name: text.to_owned(),
                nearest: nearest(text, names.iter().map(|node| node.name.as_str())).map(str::to_owned),
            }),
            Some(_) | None => Ok(logs),
        }
    }
}
