//! Which runs are ready to land, and in which order.
//!
//! The one rule: the planned runs were merged one after the other just before, on the branch as it was then; each landing
//! checks again.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use agency_model::run::State;
use agency_model::{Activity, RunId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::order::ConflictGraph;
use crate::agency::Agency;
use crate::forecast::{ComputedForecast, ForecastError, ForecastRequest, ForecastRun, ForecastVerdict};
use crate::project::Project;

/// What `land --all-ready` would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ReadyPlan {
    /// When it was made.
    pub computed_at: Timestamp,
    /// The runs that land, in this order. Merged one after the other, they do not conflict.
    pub order: Vec<PlannedRun>,
    /// The runs that are ready, but conflict with their target or with those that land before.
    pub rework: Vec<HeldRun>,
    /// The runs with work that are not ready.
    pub not_ready: Vec<HeldRun>,
}

/// A run that lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedRun {
    /// The run.
    pub id: RunId,
    /// Its name.
    pub name: Option<String>,
    /// The branch that it lands on.
    pub target: String,
}

/// A run that does not land.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HeldRun {
    /// The run.
    pub id: RunId,
    /// Its name.
    pub name: Option<String>,
    /// Why not.
    pub why: String,
}

impl HeldRun {
    fn of(run: &ForecastRun, why: String) -> Self {
        Self { id: run.id.clone(), name: run.name.clone(), why }
    }
}

impl Agency {
    /// The runs of a repository that are ready to land, in the order that needs the least rework. Those in `first` come first.
    pub fn plan_all_ready(
        &mut self,
        repository: &Path,
        into: Option<&str>,
        first: &[RunId],
    ) -> Result<ReadyPlan, ForecastError> {
        let request = ForecastRequest::new(repository).into(into.map(str::to_owned)).fresh(true);
        let computed = self.forecast_to_land(&request)?;
        let project = self.project(repository)?;
        let needs_approval = project.as_ref().is_some_and(Project::requires_approval);
        let mut plan =
            ReadyPlan { computed_at: computed.forecast.computed_at, order: vec![], rework: vec![], not_ready: vec![] };
        let mut by_target: BTreeMap<&str, Vec<&ForecastRun>> = BTreeMap::new();
        for run in &computed.forecast.runs {
            match (self.held_back(run, needs_approval)?, run.verdict) {
                (Some(why), _) => plan.not_ready.push(HeldRun::of(run, why)),
                (None, ForecastVerdict::Conflict) => {
                    let why = format!("it conflicts with {} in {}", run.target, files_of(run));
                    plan.rework.push(HeldRun::of(run, why));
                }
                (None, _) => by_target.entry(&run.target).or_default().push(run),
            }
        }
        for (target, ready) in by_target {
            order_for(&computed, target, &ready, first, &mut plan)?;
        }
        Ok(plan)
    }

    /// Why a run is not ready.
    fn held_back(&self, run: &ForecastRun, needs_approval: bool) -> Result<Option<String>, ForecastError> {
        let row = self.store.run(&run.id)?;
        let why = match (row.state, row.activity, run.verdict) {
            (_, _, ForecastVerdict::Nothing) => Some("it has changed nothing".to_owned()),
            (_, _, ForecastVerdict::Unknown) => {
                Some(run.reason.clone().unwrap_or_else(|| "it is not known whether it merges".to_owned()))
            }
            (State::Completed, _, _) | (State::Running, Some(Activity::Idle), _) => None,
            (State::Running | State::Queued, _, _) => Some("its agent is at work".to_owned()),
            (State::Failed | State::Killed, _, _) => {
                Some(format!("it is {}; agency land lands it if it is named", row.state))
            }
        };
        if why.is_some() {
            return Ok(why);
        }
        if self.store.has_open_question(&run.id)? {
            return Ok(Some("a question is open".to_owned()));
        }
        if self.store.has_open_comment(&run.id)? {
            return Ok(Some("a comment is open".to_owned()));
        }
        if !needs_approval {
            return Ok(None);
        }
        let approved = self.store.approved_tree(&run.id)?;
        Ok(match approved {
            Some(tree) if Some(&tree) == run.tree.as_ref() => None,
            Some(_) => Some("it changed since it was approved".to_owned()),
            None => Some("it is not approved".to_owned()),
        })
    }
}

/// Adds the runs for one branch to a plan.
fn order_for(
    computed: &ComputedForecast,
    target: &str,
    ready: &[&ForecastRun],
    first: &[RunId],
    plan: &mut ReadyPlan,
) -> Result<(), ForecastError> {
    let Some(target_state) = computed.targets.get(target) else { return Ok(()) };
    let states: Vec<_> = ready.iter().filter_map(|run| Some((*run, computed.states.get(&run.id)?))).collect();
    let weighed: Vec<_> = states.iter().map(|(run, state)| (*state, conflicting_files(computed, run, ready))).collect();
    let mut graph = ConflictGraph::new(computed.merges.lines_changed(target_state, &weighed)?);
    for (one, (run, _)) in states.iter().enumerate() {
        for other in computed.forecast.conflicts_of(&run.id) {
            if let Some(other) = states.iter().position(|(run, _)| run.id == *other) {
                graph.conflict(one, other);
            }
        }
    }
    let position = |id: &RunId| states.iter().position(|(run, _)| run.id == *id);
    let put_first: Vec<usize> = first.iter().filter_map(position).collect();
    let mut untouched = graph.untouched(&put_first);
    untouched.sort_by_key(|work| put_first.iter().position(|first| first == work).unwrap_or(usize::MAX));
    let order: Vec<_> = untouched.iter().map(|work| states[*work].1).collect();
    let breaks = computed.merges.chain(target_state, &order)?;
    for (step, work) in untouched.iter().enumerate() {
        let run = states[*work].0;
        match breaks.iter().find(|found| found.at == step) {
            None => {
                plan.order.push(PlannedRun { id: run.id.clone(), name: run.name.clone(), target: target.to_owned() });
            }
            Some(found) => {
                let files: Vec<String> =
                    found.conflicts.iter().map(|conflict| conflict.path.display().to_string()).collect();
                let why = format!("it conflicts with the runs before it, merged together, in {}", files.join(", "));
                plan.rework.push(HeldRun::of(run, why));
            }
        }
    }
    for (work, (run, _)) in states.iter().enumerate().filter(|(work, _)| !untouched.contains(work)) {
        let with: Vec<&str> = untouched
            .iter()
            .filter(|other| graph.conflicts(work, **other))
            .map(|other| label(states[*other].0))
            .collect();
        plan.rework.push(HeldRun::of(run, format!("it conflicts with {}", with.join(", "))));
    }
    Ok(())
}

/// The files in which a run conflicts with others that are ready.
fn conflicting_files(computed: &ComputedForecast, run: &ForecastRun, ready: &[&ForecastRun]) -> HashSet<PathBuf> {
    let pairs = ready.iter().filter_map(|other| computed.forecast.pair(&run.id, &other.id));
    pairs.flat_map(|pair| pair.files.iter().map(|file| PathBuf::from(&file.path))).collect()
}

fn files_of(run: &ForecastRun) -> String {
    run.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ")
}

fn label(run: &ForecastRun) -> &str {
    run.name.as_deref().unwrap_or(run.id.as_str())
}
