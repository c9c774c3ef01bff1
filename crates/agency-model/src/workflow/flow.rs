//! A session as it stands: its plan, and every fact that happened so far.
//!
//! The one rule: the same facts in the same order give the same session, whichever process records them and however
//! often the program was killed between two of them. [`Flow::advance`] says what comes next; nothing else decides anything.

mod decide;
mod instance;
mod record;
mod retry;
mod scope;
mod stop_reason;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub use decide::Action;
pub use instance::{BlockedMerge, StopCause};
pub use record::{Recorded, RejectedFact};
pub use scope::StepSurroundings;

use self::instance::{Instance, InstanceProgress};
use super::{HistoryEntry, Plan, SessionState, Step, StepPath, StepResult, Task, Work};
use crate::RunId;

/// A session as it stands.
#[derive(Debug, Clone)]
pub struct Flow {
    plan: Arc<Plan>,
    /// Where each step of the plan is, by its path without rounds.
    places: HashMap<String, Vec<usize>>,
    steps: Vec<Instance>,
    /// The first of the outermost steps that is not over; all before it are.
    first_open: usize,
    /// How often each step began, by its path. A loop that begins anew has the same paths again, and never the same attempts.
    begun: HashMap<StepPath, u32>,
    /// The newest result of each step and variable, by the name that templates use.
    results: HashMap<String, Arc<StepResult>>,
    /// What scripts printed, by the variable that holds it.
    printed: HashMap<String, String>,
    session: Option<Session>,
    stop: Option<StopCause>,
    /// Why the session cannot continue.
    broken: Option<String>,
    ended: Option<(SessionState, Option<String>)>,
}

#[derive(Debug, Clone)]
struct Session {
    id: String,
    goal: Option<String>,
    task: Task,
}

/// Why a stored history is none of this plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The numbers have a gap or do not begin at 1.
    #[error("fact {found} comes where {expected} is expected: the history is not whole")]
    OutOfOrder {
        /// The number that is there.
        found: u64,
        /// The number that should be.
        expected: u64,
    },
    /// A fact does not fit the plan.
    #[error("fact {seq}: {refusal}")]
    Refused {
        /// Its number.
        seq: u64,
        /// Why.
        refusal: RejectedFact,
    },
}

/// A step that is under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Which.
    pub path: StepPath,
    /// Its attempt.
    pub attempt: u32,
    /// The run of an agent.
    pub run_id: Option<RunId>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// Whether a user has to answer before it continues.
    pub waits: bool,
    /// What was in the way of a merge, newest.
    pub blocked: Option<BlockedMerge>,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepProgress {
    /// Its turn has not come, or comes again.
    NotBegun,
    /// It is being done.
    UnderWay,
    /// It is done, failed or skipped.
    Over,
}

impl Flow {
    /// A session of which nothing has happened yet.
    #[must_use]
    pub fn new(plan: Arc<Plan>) -> Self {
        let mut places = HashMap::new();
        index(&plan.steps, "", &mut vec![], &mut places);
        let steps = Instance::fresh(&plan.steps);
        Self {
            plan,
            places,
            steps,
            first_open: 0,
            begun: HashMap::new(),
            results: HashMap::new(),
            printed: HashMap::new(),
            session: None,
            stop: None,
            broken: None,
            ended: None,
        }
    }

    /// A session as its history left it.
    pub fn replay<'entries>(
        plan: Arc<Plan>,
        history: impl IntoIterator<Item = &'entries HistoryEntry>,
    ) -> Result<Self, HistoryError> {
        let mut flow = Self::new(plan);
        for (expected, entry) in (1..).zip(history) {
            if entry.seq != expected {
                return Err(HistoryError::OutOfOrder { found: entry.seq, expected });
            }
            flow.record(&entry.fact).map_err(|refusal| HistoryError::Refused { seq: entry.seq, refusal })?;
        }
        Ok(flow)
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> SessionState {
        if let Some((state, _)) = &self.ended {
            return *state;
        }
        let mut busy = Busy::default();
        let open = self.plan.steps.iter().zip(&self.steps).skip(self.first_open).take(1);
        open.for_each(|(step, instance)| busy.look(step, instance));
        match busy {
            Busy { working: 0, reviews: 1.., .. } => SessionState::PendingMerge,
            Busy { working: 0, reviews: 0, approvals: 1.. } => SessionState::Waiting,
            Busy { .. } => SessionState::Running,
        }
    }

    /// Why it is not being driven, where it is not completed.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.ended.as_ref().and_then(|(_, reason)| reason.as_deref())
    }

    /// Its plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The step of a path, whatever the round.
    #[must_use]
    pub fn step(&self, path: &StepPath) -> Option<&Step> {
        let place = self.places.get(&without_rounds(path))?;
        step_at(&self.plan.steps, place)
    }

    /// How far a step is, whatever the round. What is inside a step that has ended counts as ended.
    #[must_use]
    pub fn step_progress(&self, path: &StepPath) -> StepProgress {
        let place = self.places.get(&without_rounds(path)).map(Vec::as_slice).unwrap_or_default();
        let mut instances = self.steps.as_slice();
        let mut standing = StepProgress::NotBegun;
        for index in place {
            let Some(instance) = instances.get(*index) else { return StepProgress::NotBegun };
            standing = match instance.progress {
                InstanceProgress::Waiting => return StepProgress::NotBegun,
                InstanceProgress::Over => return StepProgress::Over,
                InstanceProgress::Running(_) | InstanceProgress::Open => StepProgress::UnderWay,
            };
            instances = instance.children();
        }
        standing
    }

    /// The steps that are under way, without those that contain them.
    #[must_use]
    pub fn running(&self) -> Vec<Running> {
        let mut found = vec![];
        self.each_open(&mut |path, step, instance| {
            if let InstanceProgress::Running(leaf) = &instance.progress {
                found.push(Running {
                    path: path.clone(),
                    attempt: instance.attempts,
                    run_id: leaf.run_id.clone(),
                    timeout: step.timeout,
                    waits: leaf.waits(step),
                    blocked: leaf.blocked.as_deref().cloned(),
                });
            }
        });
        found
    }

    /// The steps under way that have a limit, those that contain others too.
    #[must_use]
    pub fn limits(&self) -> Vec<(StepPath, Duration)> {
        let mut found = vec![];
        self.each_open(&mut |path, step, _| found.extend(step.timeout.map(|timeout| (path.clone(), timeout))));
        found
    }

    /// The result of a step, by its name; of the newest iteration if it is in a loop.
    #[must_use]
    pub fn result(&self, name: &str) -> Option<&StepResult> {
        self.results.get(name).map(Arc::as_ref)
    }

    /// How often a step began.
    #[must_use]
    pub fn attempts(&self, path: &StepPath) -> u32 {
        self.begun.get(path).copied().unwrap_or_default()
    }

    /// Visits every step that is begun and not over.
    fn each_open(&self, visit: &mut impl FnMut(&StepPath, &Step, &Instance)) {
        let (steps, instances) = (self.plan.steps.get(self.first_open..), self.steps.get(self.first_open..));
        // One outermost step at a time is open.
        let open = steps.unwrap_or_default().iter().zip(instances.unwrap_or_default()).take(1);
        for (step, instance) in open {
            each_open(&StepPath::new("").child(&step.name), step, instance, visit);
        }
    }
}

/// What the steps under way wait for.
#[derive(Default)]
struct Busy {
    working: usize,
    reviews: usize,
    approvals: usize,
}

impl Busy {
    fn look(&mut self, step: &Step, instance: &Instance) {
        match &instance.progress {
            InstanceProgress::Waiting | InstanceProgress::Over => {}
            InstanceProgress::Running(leaf) if !leaf.waits(step) => self.working += 1,
            InstanceProgress::Running(_) if matches!(step.work, Work::Merge(_)) => self.reviews += 1,
            InstanceProgress::Running(_) => self.approvals += 1,
            InstanceProgress::Open => instance.pairs(step).for_each(|(step, child)| self.look(step, child)),
        }
    }
}

fn each_open(path: &StepPath, step: &Step, instance: &Instance, visit: &mut impl FnMut(&StepPath, &Step, &Instance)) {
    match &instance.progress {
        InstanceProgress::Waiting | InstanceProgress::Over => {}
        InstanceProgress::Running(_) => visit(path, step, instance),
        InstanceProgress::Open => {
            visit(path, step, instance);
            let inside = instance::inside(path, step, instance);
            for (child, inner) in step.children().iter().zip(instance.children()) {
                each_open(&inside.child(&child.name), child, inner, visit);
            }
        }
    }
}

fn index(steps: &[Step], above: &str, place: &mut Vec<usize>, places: &mut HashMap<String, Vec<usize>>) {
    for (number, step) in steps.iter().enumerate() {
        let path = if above.is_empty() { step.name.clone() } else { format!("{above}/{}", step.name) };
        place.push(number);
        index(step.children(), &path, place, places);
        places.insert(path, place.clone());
        place.pop();
    }
}

fn step_at<'plan>(steps: &'plan [Step], place: &[usize]) -> Option<&'plan Step> {
    let (first, rest) = place.split_first()?;
    let step = steps.get(*first)?;
    if rest.is_empty() { Some(step) } else { step_at(step.children(), rest) }
}

fn without_rounds(path: &StepPath) -> String {
    if !path.as_str().contains('[') {
        return path.as_str().to_owned();
    }
    path.parts().map(|(name, _)| name).collect::<Vec<_>>().join("/")
}

/// What comes next in a session: the decisions to record and the actions, in order.
pub fn next(plan: Arc<Plan>, history: &[HistoryEntry]) -> Result<Vec<Action>, HistoryError> {
    Flow::replay(plan, history).map(|mut flow| flow.advance())
}

#[cfg(test)]
mod tests;
