//! Computes a forecast.

use std::collections::HashMap;

use agency_model::RunId;
use agency_workspace::{Conflict, MergeError, MergeForecast, Pair, Verdict, WorkState};

use super::candidates::Targets;
use super::states::{FoundState, Recorded, state_of};
use super::{
    Forecast, ForecastError, ForecastFile, ForecastPair, ForecastRequest, ForecastRun, ForecastTarget, ForecastVerdict,
};
use crate::agency::Agency;
use crate::store::{RunRow, now};

/// The runs that are compared, each with its position among the states.
struct Compared {
    merges: MergeForecast,
    /// First those of the targets, then those of runs.
    states: Vec<WorkState>,
    /// The target of each run, as a position.
    runs: Vec<(ForecastRun, Option<StatesOfRun>)>,
}

/// The positions of the state of a run and of its target.
#[derive(Clone, Copy)]
struct StatesOfRun {
    state: usize,
    target: usize,
}

/// A forecast, and what it was made of.
pub(crate) struct ComputedForecast {
    pub(crate) forecast: Forecast,
    pub(crate) merges: MergeForecast,
    /// The branches that are there.
    pub(crate) targets: HashMap<String, WorkState>,
    /// The runs that were compared.
    pub(crate) states: HashMap<RunId, WorkState>,
}

impl Agency {
    /// A forecast to decide by what lands.
    pub(crate) fn forecast_to_land(&mut self, request: &ForecastRequest) -> Result<ComputedForecast, ForecastError> {
        self.reconcile_live()?;
        self.compute_forecast(request)
    }

    pub(super) fn compute_forecast(&mut self, request: &ForecastRequest) -> Result<ComputedForecast, ForecastError> {
        let computed_at = now();
        let merges = MergeForecast::of(&request.repository)?;
        let rows = self.unlanded(&request.repository)?;
        let (targets, mut compared) = self.compared(request, merges, &rows)?;
        let pairs = compared.judge()?;
        let keep =
            |run: &ForecastRun, row: &RunRow| run.verdict != ForecastVerdict::Nothing || !row.state.is_terminal();
        let Compared { merges, states, runs: sides } = compared;
        let mut of_targets = HashMap::new();
        let mut of_runs = HashMap::new();
        for (run, side) in &sides {
            if let Some(side) = side {
                of_targets.insert(run.target.clone(), states[side.target].clone());
                of_runs.insert(run.id.clone(), states[side.state].clone());
            }
        }
        let kept = sides.into_iter().zip(&rows).filter(|((run, _), row)| keep(run, row));
        let runs = kept.map(|((run, _), _)| run).collect();
        let repo_path = request.repository.display().to_string();
        let forecast = Forecast { repo_path, computed_at, targets, runs, pairs };
        Ok(ComputedForecast { forecast, merges, targets: of_targets, states: of_runs })
    }

    /// Reads the targets and the work of the runs.
    fn compared(
        &self,
        request: &ForecastRequest,
        mut merges: MergeForecast,
        rows: &[RunRow],
    ) -> Result<(Vec<ForecastTarget>, Compared), ForecastError> {
        let mut found = Targets::default();
        let mut branches: Vec<(ForecastTarget, Option<usize>)> = vec![];
        let mut states = vec![];
        let mut targets = vec![];
        for row in rows {
            let target = match &request.into {
                Some(into) => Ok(into.clone()),
                None => found.of(self, &request.repository, row),
            };
            if let Ok(branch) = &target
                && !branches.iter().any(|(known, _)| known.branch == *branch)
            {
                let state = match merges.branch(branch) {
                    Ok(state) => Some(state),
                    Err(MergeError::TargetMissing { .. }) if request.into.is_none() => None,
                    Err(error) => return Err(error.into()),
                };
                let commit = state.as_ref().map(|state| state.commit.to_string());
                branches
                    .push((ForecastTarget { branch: branch.clone(), commit }, state.as_ref().map(|_| states.len())));
                states.extend(state);
            }
            targets.push(target);
        }
        let recorded = Recorded::read(&merges)?;
        let mut runs = vec![];
        for (row, target) in rows.iter().zip(targets) {
            let of_target =
                target.as_ref().ok().and_then(|name| branches.iter().find(|(known, _)| known.branch == *name));
            let of_target = of_target.and_then(|(_, position)| *position);
            let state = state_of(self, &mut merges, &recorded, row, request.fresh);
            runs.push(described(row, target, of_target, state, &mut states));
        }
        let targets = branches.into_iter().map(|(target, _)| target).collect();
        Ok((targets, Compared { merges, states, runs }))
    }
}

/// A run that is not compared yet.
fn described(
    row: &RunRow,
    target: Result<String, String>,
    of_target: Option<usize>,
    state: Result<FoundState, String>,
    states: &mut Vec<WorkState>,
) -> (ForecastRun, Option<StatesOfRun>) {
    let missing = || format!("there is no branch {} any more", target.as_deref().unwrap_or_default());
    let reason = match (&target, &state, of_target) {
        (Err(reason), _, _) | (_, Err(reason), _) => Some(reason.clone()),
        (_, _, None) => Some(missing()),
        (Ok(_), Ok(_), Some(_)) => None,
    };
    let found = state.ok();
    let run = ForecastRun {
        id: row.id.clone(),
        name: row.name.clone(),
        target: target.unwrap_or_default(),
        commit: found.as_ref().map(|found| found.state.commit.to_string()),
        tree: found.as_ref().map(|found| found.state.tree.to_string()),
        source: found.as_ref().map(|found| found.source),
        verdict: ForecastVerdict::Unknown,
        files: vec![],
        reason,
    };
    let side = found.zip(of_target).map(|(found, target)| {
        states.push(found.state);
        StatesOfRun { state: states.len() - 1, target }
    });
    (run, side)
}

impl Compared {
    /// Compares every run with its target and with each other.
    fn judge(&mut self) -> Result<Vec<ForecastPair>, ForecastError> {
        self.leave_out_missing()?;
        let mut targets: Vec<usize> = self.runs.iter().filter_map(|(_, side)| side.map(|side| side.target)).collect();
        targets.sort_unstable();
        targets.dedup();
        let mut pairs = vec![];
        for target in targets {
            self.judge_for(target, &mut pairs)?;
        }
        pairs.sort_by(|a, b| (&a.first, &a.second).cmp(&(&b.first, &b.second)));
        Ok(pairs)
    }

    /// The runs of one target, and the pairs of which the older one has this target.
    fn judge_for(&mut self, target: usize, pairs: &mut Vec<ForecastPair>) -> Result<(), ForecastError> {
        let mut asked: Vec<(Pair, usize, Option<usize>)> = vec![];
        for (one, side) in self.runs.iter().enumerate().filter_map(|(one, (_, side))| Some((one, (*side)?))) {
            if side.target != target {
                continue;
            }
            asked.push(((target, side.state), one, None));
            let younger = self.runs.iter().enumerate().skip(one + 1);
            let younger = younger.filter_map(|(other, (_, side))| Some((other, (*side)?.state)));
            asked.extend(younger.map(|(other, state)| ((side.state, state), one, Some(other))));
        }
        let questions: Vec<Pair> = asked.iter().map(|(pair, _, _)| *pair).collect();
        let verdicts = self.merges.verdicts(&self.states, &questions, &self.states[target].tree)?;
        for ((_, one, other), verdict) in asked.into_iter().zip(verdicts) {
            let (verdict, files, reason) = told(verdict);
            match other {
                None => {
                    let run = &mut self.runs[one].0;
                    (run.verdict, run.files, run.reason) = (verdict, files, reason);
                }
                Some(_) if matches!(verdict, ForecastVerdict::Clean | ForecastVerdict::Nothing) => {}
                Some(other) => {
                    let (first, second) = (self.runs[one].0.id.clone(), self.runs[other].0.id.clone());
                    pairs.push(ForecastPair { first, second, verdict, files, reason });
                }
            }
        }
        Ok(())
    }

    /// A worktree may have a commit checked out that is not there: git's files of it belong to the agent.
    fn leave_out_missing(&mut self) -> Result<(), ForecastError> {
        let exist = self.merges.exist(&self.states)?;
        let replacement = exist.iter().position(|exists| *exists).map(|position| self.states[position].clone());
        for (run, side) in &mut self.runs {
            if side.is_some_and(|side| !exist[side.state] || !exist[side.target]) {
                *side = None;
                run.reason = Some("objects of its commit are missing in the repository".to_owned());
            }
        }
        for (state, exists) in self.states.iter_mut().zip(exist) {
            if let (false, Some(replacement)) = (exists, &replacement) {
                *state = replacement.clone();
            }
        }
        Ok(())
    }
}

fn told(verdict: Verdict) -> (ForecastVerdict, Vec<ForecastFile>, Option<String>) {
    let file = |conflict: Conflict| ForecastFile { path: conflict.path.display().to_string(), kind: conflict.kind };
    match verdict {
        Verdict::Clean => (ForecastVerdict::Clean, vec![], None),
        Verdict::Nothing => (ForecastVerdict::Nothing, vec![], None),
        Verdict::Conflicts(files) => (ForecastVerdict::Conflict, files.into_iter().map(file).collect(), None),
        Verdict::Unknown { reason } => (ForecastVerdict::Unknown, vec![], Some(reason)),
    }
}
