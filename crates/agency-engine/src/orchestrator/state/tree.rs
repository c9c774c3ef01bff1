//! The steps of a session as they are shown: their states, how often each began, when, and by which run.

use std::collections::HashMap;
use std::sync::Arc;

use agency_model::RunId;
use agency_model::workflow::{
    Fact, Flow, HistoryEntry, OnFail, Plan, Step, StepKind, StepPath, StepProgress, StepResult, StepStatus, Work,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Its turn has not come.
    Pending,
    /// It is being done.
    Running,
    /// The user is asked.
    Waiting,
    /// It went well.
    Done,
    /// It went badly.
    Failed,
    /// It was not its turn.
    Skipped,
}

impl StepState {
    /// The name that answers and tables use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// A step as it stands, with those inside it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StepNode {
    /// Its name.
    pub name: String,
    /// Where it is; the round is the newest one.
    pub path: StepPath,
    /// Its type.
    pub kind: StepKind,
    /// How it stands.
    pub state: StepState,
    /// How often it began, all rounds together.
    pub attempts: u32,
    /// The attempt of its newest round; files of a script are kept by it.
    pub attempt: u32,
    /// The newest run of an agent.
    pub run_id: Option<RunId>,
    /// Every run of an agent, oldest first.
    pub runs: Vec<RunId>,
    /// When it last began.
    pub started_at: Option<Timestamp>,
    /// When it last ended.
    pub ended_at: Option<Timestamp>,
    /// The outcome.
    pub result: Option<StepResult>,
    /// The round of a loop.
    pub round: Option<u32>,
    /// What is inside it.
    pub children: Vec<StepNode>,
}

/// What the facts record about a step, by its path without rounds.
#[derive(Debug, Clone, Default)]
struct Seen {
    path: Option<StepPath>,
    state: Option<StepState>,
    attempts: u32,
    attempt: u32,
    runs: Vec<RunId>,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    result: Option<StepResult>,
    round: Option<u32>,
}

/// Puts the facts to the steps they are about.
pub(super) fn tree(plan: &Arc<Plan>, entries: &[HistoryEntry]) -> Vec<StepNode> {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    let retried = entries.iter().rposition(|entry| matches!(entry.fact, Fact::RetryAsked { .. }));
    let (before, after) = entries.split_at(retried.map_or(0, |retried| retried + 1));
    before.iter().for_each(|entry| take_in(&mut seen, entry));
    if let Ok(flow) = Flow::replay(Arc::clone(plan), before) {
        begin_anew(&mut seen, &flow);
    }
    after.iter().for_each(|entry| take_in(&mut seen, entry));
    nodes(&plan.steps, "", StepState::Pending, &seen)
}

/// Forgets what a retry undid: which steps that are is known to the flow alone.
fn begin_anew(seen: &mut HashMap<String, Seen>, flow: &Flow) {
    for (path, step) in seen {
        let state = match flow.step_progress(&StepPath::new(path.as_str())) {
            StepProgress::NotBegun => None,
            StepProgress::UnderWay => Some(StepState::Running),
            StepProgress::Over => continue,
        };
        (step.state, step.ended_at, step.result) = (state, None, None);
    }
}

fn take_in(seen: &mut HashMap<String, Seen>, entry: &HistoryEntry) {
    let at = entry.at;
    match &entry.fact {
        Fact::StepStarted { path, attempt, run_id } => {
            let step = of(seen, path);
            step.attempts += 1;
            step.attempt = *attempt;
            step.runs.extend(run_id.clone());
            step.state = Some(StepState::Running);
            (step.started_at, step.ended_at, step.result) = (Some(at), None, None);
        }
        Fact::RoundStarted { path, iteration } => {
            of(seen, path).round = Some(*iteration);
            // What is inside has not begun in this round.
            inside(seen, path).for_each(|step| step.state = None);
        }
        Fact::StepAsked { path, .. } | Fact::MergeBlocked { path, .. } => {
            of(seen, path).state = Some(StepState::Waiting);
        }
        Fact::StepAnswered { path, .. } | Fact::MergeAnswered { path, .. } => {
            of(seen, path).state = Some(StepState::Running);
        }
        Fact::StepEnded { path, result, .. } => {
            let step = of(seen, path);
            step.state = Some(state_of(result));
            (step.ended_at, step.result) = (Some(at), Some(result.clone()));
            // What the last round of a loop had no need of is as the round before left it.
            for step in inside(seen, path).filter(|step| step.state.is_none()) {
                step.state = step.result.as_ref().map(state_of);
            }
        }
        Fact::StepSkipped { path, .. } => of(seen, path).state = Some(StepState::Skipped),
        Fact::StepInterrupted { path, .. } => of(seen, path).state = None,
        Fact::SessionStarted { .. }
        | Fact::RetryAsked { .. }
        | Fact::StepTimedOut { .. }
        | Fact::CompletionAsked { .. }
        | Fact::SessionTimedOut
        | Fact::CancelAsked
        | Fact::SessionBroken { .. }
        | Fact::SessionEnded { .. } => {}
    }
}

/// The steps inside one; a step that has none inside costs nothing.
fn inside<'seen>(seen: &'seen mut HashMap<String, Seen>, path: &StepPath) -> impl Iterator<Item = &'seen mut Seen> {
    let below = format!("{}/", plain(path));
    let repeats = seen.get(&plain(path)).is_some_and(|step| step.round.is_some());
    let found = seen.iter_mut().take(if repeats { usize::MAX } else { 0 });
    found.filter(move |(name, _)| name.starts_with(&below)).map(|(_, step)| step)
}

const fn state_of(result: &StepResult) -> StepState {
    match result.status {
        StepStatus::Succeeded => StepState::Done,
        StepStatus::Failed => StepState::Failed,
        StepStatus::Skipped => StepState::Skipped,
    }
}

fn of<'seen>(seen: &'seen mut HashMap<String, Seen>, path: &StepPath) -> &'seen mut Seen {
    let step = seen.entry(plain(path)).or_default();
    step.path = Some(path.clone());
    step
}

/// A path without rounds.
fn plain(path: &StepPath) -> String {
    let name = |part: &'_ str| match part.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
        Some((name, round)) if round.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
        Some(_) | None => part.to_owned(),
    };
    path.as_str().split('/').map(name).collect::<Vec<_>>().join("/")
}

/// The state of a step that has not begun inside another one: it cannot begin any more once that one has ended.
const fn not_begun_inside(step: &Step, state: StepState) -> StepState {
    match (state, step.on_fail) {
        (StepState::Done | StepState::Skipped, _) | (StepState::Failed, OnFail::Continue) => StepState::Skipped,
        // A retry continues inside a step that blocks the session.
        (StepState::Failed, OnFail::Block) | (StepState::Pending | StepState::Running | StepState::Waiting, _) => {
            StepState::Pending
        }
    }
}

fn nodes(steps: &[Step], above: &str, not_begun: StepState, seen: &HashMap<String, Seen>) -> Vec<StepNode> {
    let mut found = vec![];
    for step in steps {
        let path = if above.is_empty() { step.name.clone() } else { format!("{above}/{}", step.name) };
        let known = seen.get(&path).cloned().unwrap_or_default();
        let state = known.state.unwrap_or(not_begun);
        found.push(StepNode {
            name: step.name.clone(),
            path: known.path.unwrap_or_else(|| StepPath::new(path.as_str())),
            kind: step.kind(),
            state,
            attempts: known.attempts,
            attempt: known.attempt,
            run_id: known.runs.last().cloned(),
            runs: known.runs,
            started_at: known.started_at,
            ended_at: known.ended_at,
            result: known.result,
            round: known.round.filter(|_| matches!(step.work, Work::Loop(_))),
            children: nodes(step.children(), &path, not_begun_inside(step, state), seen),
        });
    }
    found
}
