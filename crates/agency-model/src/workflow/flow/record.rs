//! Takes a fact into the session.

use std::sync::Arc;

use super::super::{Fact, SessionState, Step, StepKind, StepPath, StepResult, StepStatus, Work, template_name};
use super::instance::{BlockedMerge, Group, Instance, InstanceProgress, Leaf};
use super::{Flow, Session, StopCause, instance, retry, step_at, without_rounds};
use crate::RunId;

/// What a fact did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It changed something.
    Noted,
    /// It is about something that has ended, or that already is so.
    Stale,
}

/// Why a fact cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RejectedFact {
    /// The plan has no such step.
    #[error("the workflow has no step `{0}`")]
    NoSuchStep(String),
    /// The step is not under way.
    #[error("the step `{path}` is {found}, not under way")]
    NotUnderWay {
        /// Which.
        path: String,
        /// How it is instead.
        found: &'static str,
    },
    /// The session began already, or has not.
    #[error("the session has {0}")]
    WrongTime(&'static str),
    /// An earlier step failed, so that a later one cannot be the first.
    #[error("`{from}` comes after `{failed}`, which is not done")]
    TooLate {
        /// The step that was to be the first.
        from: String,
        /// The step before it.
        failed: String,
    },
}

type RecordResult = Result<Recorded, RejectedFact>;

impl Flow {
    /// Takes a fact. Facts about an attempt that has ended change nothing.
    pub fn record(&mut self, fact: &Fact) -> RecordResult {
        if self.session.is_none() && !matches!(fact, Fact::SessionStarted { .. }) {
            return Err(RejectedFact::WrongTime("not begun"));
        }
        match fact {
            Fact::SessionStarted { session, goal, task } => {
                if self.session.is_some() {
                    return Err(RejectedFact::WrongTime("begun already"));
                }
                let goal = goal.clone().or_else(|| self.plan.goal.clone());
                self.session = Some(Session { id: session.clone(), goal, task: task.clone() });
                Ok(Recorded::Noted)
            }
            Fact::StepStarted { path, attempt, run_id } => self.started(path, *attempt, run_id.as_ref()),
            Fact::RoundStarted { path, iteration } => self.round(path, *iteration),
            Fact::StepAsked { path, attempt } => self.leaf(path, *attempt, |leaf| {
                if std::mem::replace(&mut leaf.asked, true) { Recorded::Stale } else { Recorded::Noted }
            }),
            Fact::StepAnswered { path, attempt, verdict, message } => self.leaf(path, *attempt, |leaf| {
                // The first answer stands.
                if leaf.answer.is_some() {
                    return Recorded::Stale;
                }
                leaf.answer = Some((*verdict, message.clone()));
                Recorded::Noted
            }),
            Fact::MergeBlocked { path, attempt, checkouts } => self.leaf(path, *attempt, |leaf| {
                if leaf.is_blocked() {
                    return Recorded::Stale;
                }
                let times = leaf.blocked.as_ref().map_or(0, |blocked| blocked.times) + 1;
                leaf.blocked = Some(Box::new(BlockedMerge { checkouts: checkouts.clone(), times, answer: None }));
                Recorded::Noted
            }),
            Fact::MergeAnswered { path, attempt, answer } => self.leaf(path, *attempt, |leaf| {
                match leaf.blocked.as_mut().filter(|blocked| blocked.answer.is_none()) {
                    Some(blocked) => {
                        blocked.answer = Some(*answer);
                        Recorded::Noted
                    }
                    None => Recorded::Stale,
                }
            }),
            Fact::StepEnded { path, attempt, result } => self.step_ended(path, *attempt, result),
            Fact::StepSkipped { path, why } => self.skipped(path, why),
            Fact::StepInterrupted { path, attempt } => self.interrupted(path, *attempt),
            Fact::StepTimedOut { path } => self.stop_step(path, StopCause::StepTimeout),
            Fact::CompletionAsked { path } => self.stop_step(path, StopCause::CompletedByHand),
            Fact::SessionTimedOut => Ok(self.stop_session(StopCause::SessionTimeout)),
            Fact::CancelAsked => Ok(self.stop_session(StopCause::Cancelled)),
            Fact::SessionBroken { reason } => {
                self.broken = Some(reason.clone());
                Ok(self.stop_session(StopCause::Broken))
            }
            Fact::RetryAsked { from } => retry::retry(self, from.as_deref()),
            Fact::SessionEnded { state, reason } => Ok(self.session_ended(*state, reason.as_ref())),
        }
    }

    fn started(&mut self, path: &StepPath, attempt: u32, run_id: Option<&RunId>) -> RecordResult {
        let step = self.step(path).ok_or_else(|| no_such(path))?;
        let is_group = matches!(step.work, Work::Loop(_) | Work::Parallel(_));
        let is_loop = matches!(step.work, Work::Loop(_));
        let children = if matches!(step.work, Work::Parallel(_)) { Instance::fresh(step.children()) } else { vec![] };
        let next = self.attempts(path) + 1;
        let instance = self.instance_mut(path)?;
        if !matches!(instance.progress, InstanceProgress::Waiting) || attempt != next {
            return Ok(Recorded::Stale);
        }
        instance.attempts = attempt;
        instance.stopped = None;
        instance.result = None;
        if is_group {
            instance.progress = InstanceProgress::Open;
            instance.group = Some(Box::new(Group { round: 0, children, last_of_round: None }));
        } else {
            instance.progress = InstanceProgress::Running(Leaf { run_id: run_id.cloned(), ..Leaf::default() });
        }
        self.begun.insert(path.clone(), attempt);
        if is_loop {
            self.define_inside(path);
        }
        Ok(Recorded::Noted)
    }

    /// Gives a step and all inside it a result, so that templates can name those that never have their turn.
    fn define_inside(&mut self, path: &StepPath) {
        let Some(step) = self.places.get(&without_rounds(path)).and_then(|place| step_at(&self.plan.steps, place))
        else {
            return;
        };
        let skipped = Arc::new(StepResult::of(StepStatus::Skipped));
        let mut open: Vec<&Step> = vec![step];
        while let Some(step) = open.pop() {
            open.extend(step.children());
            for name in [step.name.clone(), template_name(&step.name)] {
                self.results.entry(name).or_insert_with(|| Arc::clone(&skipped));
            }
            let output = step.output().map(|output| template_name(&output.value));
            match (output, step.kind()) {
                (Some(output), StepKind::Script) => {
                    self.printed.entry(output).or_default();
                }
                (Some(output), _) => {
                    self.results.entry(output).or_insert_with(|| Arc::clone(&skipped));
                }
                (None, _) => {}
            }
        }
    }

    fn round(&mut self, path: &StepPath, iteration: u32) -> RecordResult {
        let step = self.step(path).ok_or_else(|| no_such(path))?;
        let fresh = Instance::fresh(step.children());
        let instance = self.instance_mut(path)?;
        let open = matches!(instance.progress, InstanceProgress::Open);
        let Some(group) = instance.group.as_mut().filter(|group| open && group.round + 1 == iteration) else {
            return Ok(Recorded::Stale);
        };
        group.last_of_round = last_result(&group.children).or_else(|| group.last_of_round.take());
        group.round = iteration;
        group.children = fresh;
        Ok(Recorded::Noted)
    }

    fn step_ended(&mut self, path: &StepPath, attempt: u32, result: &StepResult) -> RecordResult {
        let name = self.step(path).ok_or_else(|| no_such(path))?.name.clone();
        let from_above = self.stop_above(path);
        let stopped = self.instance_mut(path)?.stopped.or(from_above);
        let result = Arc::new(match stopped {
            Some(cause) => self.judged(path, result.clone(), cause),
            None => result.clone(),
        });
        let instance = self.instance_mut(path)?;
        let never_began = attempt == 0 && matches!(instance.progress, InstanceProgress::Waiting);
        let under_way = matches!(instance.progress, InstanceProgress::Running(_) | InstanceProgress::Open);
        if !(never_began || under_way && attempt == instance.attempts) {
            return Ok(Recorded::Stale);
        }
        instance.stopped = stopped;
        instance.progress = InstanceProgress::Over;
        instance.result = Some(Arc::clone(&result));
        self.keep(path, &name, result);
        Ok(Recorded::Noted)
    }

    /// Makes a result known to the templates of later steps.
    fn keep(&mut self, path: &StepPath, name: &str, result: Arc<StepResult>) {
        let variable =
            self.step(path).and_then(|step| step.output().map(|output| (template_name(&output.value), step.kind())));
        if let Some((variable, kind)) = variable {
            if kind == StepKind::Script {
                self.printed.insert(variable, result.output.clone());
            } else {
                self.results.insert(variable, Arc::clone(&result));
            }
        }
        // Some steps inside may not have had their turn.
        self.define_inside(path);
        // A stage is not named in templates where a task has its name.
        if !self.step(path).is_some_and(|step| self.is_hidden(step)) {
            self.results.insert(template_name(name), Arc::clone(&result));
            self.results.insert(name.to_owned(), result);
        }
        self.move_on();
    }

    fn skipped(&mut self, path: &StepPath, why: &str) -> RecordResult {
        self.step(path).ok_or_else(|| no_such(path))?;
        let instance = self.instance_mut(path)?;
        if !matches!(instance.progress, InstanceProgress::Waiting) {
            return Ok(Recorded::Stale);
        }
        let result = StepResult { summary: why.to_owned(), ..StepResult::of(StepStatus::Skipped) };
        instance.progress = InstanceProgress::Over;
        instance.result = Some(Arc::new(result));
        // What an earlier round came to says more than that this one had nothing to do.
        self.define_inside(path);
        self.move_on();
        Ok(Recorded::Noted)
    }

    fn interrupted(&mut self, path: &StepPath, attempt: u32) -> RecordResult {
        self.step(path).ok_or_else(|| no_such(path))?;
        let instance = self.instance_mut(path)?;
        if !matches!(instance.progress, InstanceProgress::Running(_)) || attempt != instance.attempts {
            return Ok(Recorded::Stale);
        }
        instance.progress = InstanceProgress::Waiting;
        Ok(Recorded::Noted)
    }

    fn stop_step(&mut self, path: &StepPath, cause: StopCause) -> RecordResult {
        self.step(path).ok_or_else(|| no_such(path))?;
        let instance = self.instance_mut(path)?;
        let found = match instance.progress {
            InstanceProgress::Running(_) => None,
            InstanceProgress::Open if cause != StopCause::CompletedByHand => None,
            InstanceProgress::Open => Some("made of several steps"),
            InstanceProgress::Waiting => Some("not begun"),
            InstanceProgress::Over => Some("over"),
        };
        match found {
            Some(_) if cause != StopCause::CompletedByHand => Ok(Recorded::Stale),
            Some(found) => Err(RejectedFact::NotUnderWay { path: path.to_string(), found }),
            None if instance.stopped.is_some() => Ok(Recorded::Stale),
            None => {
                instance.stopped = Some(cause);
                Ok(Recorded::Noted)
            }
        }
    }

    fn stop_session(&mut self, cause: StopCause) -> Recorded {
        let standing = self.ended.is_some();
        // A user may cancel a session that could be retried.
        let can_be_given_up = matches!(self.state(), SessionState::Blocked | SessionState::Failed);
        if standing && cause == StopCause::Cancelled && can_be_given_up {
            self.ended = None;
        } else if standing || self.stop.is_some() {
            return Recorded::Stale;
        }
        self.stop = Some(cause);
        Recorded::Noted
    }

    fn session_ended(&mut self, state: SessionState, reason: Option<&String>) -> Recorded {
        if self.ended.is_some() {
            return Recorded::Stale;
        }
        self.ended = Some((state, reason.cloned()));
        Recorded::Noted
    }

    fn leaf(&mut self, path: &StepPath, attempt: u32, change: impl FnOnce(&mut Leaf) -> Recorded) -> RecordResult {
        self.step(path).ok_or_else(|| no_such(path))?;
        let instance = self.instance_mut(path)?;
        match &mut instance.progress {
            InstanceProgress::Running(leaf) if attempt == instance.attempts => Ok(change(leaf)),
            InstanceProgress::Running(_)
            | InstanceProgress::Waiting
            | InstanceProgress::Open
            | InstanceProgress::Over => Ok(Recorded::Stale),
        }
    }

    /// The instance of a path; one of an earlier round is gone.
    pub(super) fn instance_mut(&mut self, path: &StepPath) -> Result<&mut Instance, RejectedFact> {
        let place = self.places.get(&without_rounds(path)).ok_or_else(|| no_such(path))?;
        let rounds: Vec<Option<u32>> = path.parts().map(|(_, round)| round).collect();
        let gone = || RejectedFact::NotUnderWay { path: path.to_string(), found: "in another round" };
        instance::find_mut(&mut self.steps, place, &rounds).ok_or_else(gone)
    }

    /// Why everything around a step is stopped, if it is.
    fn stop_above(&self, path: &StepPath) -> Option<StopCause> {
        let mut cause = self.stop;
        let place = self.places.get(&without_rounds(path)).map(Vec::as_slice).unwrap_or_default();
        let (mut steps, mut instances) = (self.plan.steps.as_slice(), self.steps.as_slice());
        for index in place.iter().take(place.len().saturating_sub(1)) {
            let (Some(step), Some(instance)) = (steps.get(*index), instances.get(*index)) else { break };
            cause = cause.or_else(|| instance.stop_inside(step));
            (steps, instances) = (step.children(), instance.children());
        }
        cause
    }

    /// Whether templates know a task by the name of this stage.
    fn is_hidden(&self, step: &Step) -> bool {
        let is_group = |step: &Step| matches!(step.work, Work::Parallel(_));
        let name = template_name(&step.name);
        is_group(step) && self.plan.all_steps().any(|other| !is_group(other) && template_name(&other.name) == name)
    }

    /// A step that was stopped failed by that, unless it was done all the same.
    fn judged(&self, path: &StepPath, result: StepResult, cause: StopCause) -> StepResult {
        match cause {
            _ if result.status != StepStatus::Failed => result,
            StopCause::CompletedByHand => {
                let summary = self.stop_reason(path, cause);
                StepResult { status: StepStatus::Succeeded, summary, error: None, ..result }
            }
            StopCause::FailFast
            | StopCause::StepTimeout
            | StopCause::SessionTimeout
            | StopCause::Cancelled
            | StopCause::Broken => StepResult { error: Some(self.stop_reason(path, cause)), ..result },
        }
    }

    fn move_on(&mut self) {
        let pairs = self.plan.steps.iter().zip(&self.steps).skip(self.first_open);
        self.first_open += pairs.take_while(|(step, instance)| instance.is_over() && !instance.blocks(step)).count();
    }
}

/// What the last step that was done came to.
pub(super) fn last_result(children: &[Instance]) -> Option<Arc<StepResult>> {
    let done = children.iter().rev().filter_map(|child| child.result.as_ref());
    done.into_iter().find(|result| result.status != StepStatus::Skipped).cloned()
}

fn no_such(path: &StepPath) -> RejectedFact {
    RejectedFact::NoSuchStep(path.to_string())
}
