//! A session as answers show it: its steps with their runs, times and costs.

use std::collections::HashMap;

use agency_model::workflow::{SessionState, StepKind};
use agency_model::{Activity, RunId, SessionId, Usage};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::state::{StepNode, StepState};
use super::{Orchestrator, OrchestratorError, WorkflowSession};
use crate::store::{RunFilter, RunRow};

/// A session as answers show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Overview {
    /// Its id.
    pub session: SessionId,
    /// The name of its workflow.
    pub workflow: String,
    /// The file that the workflow was read from.
    pub file: String,
    /// Where it stands.
    pub state: SessionState,
    /// Why it is not being driven, where it is not completed.
    pub reason: Option<String>,
    /// Whether a run drives it now.
    pub driven: bool,
    /// The newest run that drives it.
    pub driver: Option<RunId>,
    /// The goal.
    pub goal: Option<String>,
    /// The title of the task.
    pub task: String,
    /// The repository.
    pub repo: String,
    /// The worktree that its tasks share.
    pub worktree_path: Option<String>,
    /// The branch of that worktree.
    pub branch: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When something last happened.
    pub updated_at: Timestamp,
    /// What its agents cost, as far as they report it.
    pub cost_usd: Option<f64>,
    /// Its steps in order, those inside others after them.
    pub steps: Vec<StepOverview>,
}

/// A step as answers show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StepOverview {
    /// Its name.
    pub name: String,
    /// Where it is: `test-fix[2]/fix` is `fix` in the second round of `test-fix`.
    pub path: String,
    /// How many steps are around it.
    pub depth: usize,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: StepKind,
    /// How it stands.
    pub state: StepState,
    /// How often it began.
    pub attempts: u32,
    /// The newest run of an agent.
    pub run_id: Option<RunId>,
    /// Every run of an agent, oldest first.
    pub runs: Vec<RunId>,
    /// The round of a loop.
    pub round: Option<u32>,
    /// When it last began.
    pub started_at: Option<Timestamp>,
    /// When it last ended.
    pub ended_at: Option<Timestamp>,
    /// What was done.
    pub summary: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The exit code of its process.
    pub exit_code: Option<i32>,
    /// What its runs cost, as far as they report it.
    pub cost_usd: Option<f64>,
}

impl Orchestrator {
    /// A session as answers show it.
    pub fn overview(&mut self, session: &WorkflowSession) -> Result<Overview, OrchestratorError> {
        self.agency.reconcile_live()?;
        let id = session.id();
        let of_session = RunFilter { session: Some(id.clone()), removed: true, ..RunFilter::default() };
        let runs = self.agency.store.list(&of_session)?;
        let drivers = self.agency.drivers_of(id)?;
        let driven = drivers.last().is_some_and(|driver| !driver.state.is_terminal());
        let record = &session.record;
        let used = runs.iter().fold(Usage::default(), |sum, run| sum.plus(run.usage));
        let by_id: HashMap<&RunId, &RunRow> = runs.iter().map(|run| (&run.id, run)).collect();
        let mut steps = vec![];
        for step in &session.steps() {
            put(step, 0, &by_id, &mut steps);
        }
        Ok(Overview {
            session: id.clone(),
            workflow: record.plan.name.clone(),
            file: record.plan.file.clone(),
            state: session.state(),
            reason: session.flow.reason().map(str::to_owned),
            driven,
            driver: drivers.last().map(|driver| driver.id.clone()),
            goal: record.goal.clone(),
            task: record.task.title().to_owned(),
            repo: record.repo.clone(),
            worktree_path: drivers.first().and_then(|driver| driver.worktree_path.clone()),
            branch: drivers.first().and_then(|driver| driver.new_branch.clone()),
            created_at: record.created_at,
            updated_at: session.updated_at(),
            cost_usd: used.cost_usd,
            steps,
        })
    }
}

fn put(step: &StepNode, depth: usize, runs: &HashMap<&RunId, &RunRow>, found: &mut Vec<StepOverview>) {
    let own: Vec<&RunRow> = step.runs.iter().filter_map(|run| runs.get(run).copied()).collect();
    let used = own.iter().fold(Usage::default(), |sum, run| sum.plus(run.usage));
    let asks = own.last().is_some_and(|run| run.activity == Some(Activity::WaitingForUser));
    let result = step.result.as_ref();
    found.push(StepOverview {
        name: step.name.clone(),
        path: step.path.to_string(),
        depth,
        kind: step.kind,
        // An agent that asks waits for the user, as an approval does.
        state: if step.state == StepState::Running && asks { StepState::Waiting } else { step.state },
        attempts: step.attempts,
        run_id: step.run_id.clone(),
        runs: step.runs.clone(),
        round: step.round,
        started_at: step.started_at,
        ended_at: step.ended_at,
        summary: result.map(|result| result.summary.clone()).filter(|summary| !summary.is_empty()),
        error: result.and_then(|result| result.error.clone()),
        exit_code: result.and_then(|result| result.exit_code),
        cost_usd: used.cost_usd,
    });
    for child in &step.children {
        put(child, depth + 1, runs, found);
    }
}
