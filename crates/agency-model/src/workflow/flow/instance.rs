//! One step as it happens.

use std::sync::Arc;

use super::super::{
    Approval, BlockedCheckout, MergeAnswer, OnFail, OnSuccess, Step, StepPath, StepResult, StepStatus, Work,
};
use crate::RunId;

/// A step as it happens.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    /// The attempt that it is in or was in last.
    pub(super) attempts: u32,
    pub(super) progress: InstanceProgress,
    /// Its result; kept until it begins again.
    pub(super) result: Option<Arc<StepResult>>,
    /// Why it was stopped, if it was.
    pub(super) stopped: Option<StopCause>,
    /// What a loop or parallel step has inside, from its beginning on.
    pub(super) group: Option<Box<Group>>,
}

#[derive(Debug, Clone)]
pub(super) enum InstanceProgress {
    /// Its turn has not come.
    Waiting,
    /// It is being done.
    Running(Leaf),
    /// Steps inside it are being done.
    Open,
    /// It has ended: done, failed or skipped.
    Over,
}

/// A step under way that has none inside.
#[derive(Debug, Clone, Default)]
pub(super) struct Leaf {
    pub(super) run_id: Option<RunId>,
    pub(super) asked: bool,
    pub(super) answer: Option<(Approval, Option<String>)>,
    /// What was in the way of a merge, newest.
    pub(super) blocked: Option<Box<BlockedMerge>>,
}

/// A merge that found changes of the user in its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedMerge {
    /// Each checkout with such changes.
    pub checkouts: Vec<BlockedCheckout>,
    /// Counts how often the user was asked.
    pub times: u32,
    /// What the user said to the newest question.
    pub answer: Option<MergeAnswer>,
}

/// The inside of a loop or parallel step.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The round of a loop, from 1; 0 before the first, and in a parallel step.
    pub(super) round: u32,
    pub(super) children: Vec<Instance>,
    /// What the last step of the round before came to.
    pub(super) last_of_round: Option<Arc<StepResult>>,
}

/// Why a step is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// A user completed it.
    CompletedByHand,
    /// A step beside it failed.
    FailFast,
    /// It, or what contains it, took too long.
    StepTimeout,
    /// The session took too long.
    SessionTimeout,
    /// A user cancelled the session.
    Cancelled,
    /// The session cannot continue.
    Broken,
}

impl Instance {
    pub(super) const fn new() -> Self {
        Self { attempts: 0, progress: InstanceProgress::Waiting, result: None, stopped: None, group: None }
    }

    pub(super) fn fresh(steps: &[Step]) -> Vec<Self> {
        steps.iter().map(|_| Self::new()).collect()
    }

    pub(super) fn children(&self) -> &[Self] {
        self.group.as_ref().map_or(&[], |group| &group.children)
    }

    pub(super) fn round(&self) -> u32 {
        self.group.as_ref().map_or(0, |group| group.round)
    }

    pub(super) const fn is_over(&self) -> bool {
        matches!(self.progress, InstanceProgress::Over)
    }

    fn status(&self) -> Option<StepStatus> {
        self.result.as_ref().filter(|_| self.is_over()).map(|result| result.status)
    }

    /// Whether it failed, and nothing may come after it.
    pub(super) fn blocks(&self, step: &Step) -> bool {
        self.status() == Some(StepStatus::Failed) && step.on_fail == OnFail::Block
    }

    /// Whether it has ended and ends the loop around it.
    pub(super) fn exits(&self, step: &Step) -> bool {
        let by_itself = self.status() == Some(StepStatus::Succeeded) && step.on_success == OnSuccess::ExitLoop;
        // A loop inside has its own exits.
        let by_child =
            || matches!(step.work, Work::Parallel(_)) && self.pairs(step).any(|(step, child)| child.exits(step));
        self.is_over() && !self.blocks(step) && (by_itself || by_child())
    }

    /// The steps inside with what happens to each.
    pub(super) fn pairs<'flow>(&'flow self, step: &'flow Step) -> impl Iterator<Item = (&'flow Step, &'flow Self)> {
        step.children().iter().zip(self.children())
    }

    /// Why everything inside is stopped, if it is.
    pub(super) fn stop_inside(&self, step: &Step) -> Option<StopCause> {
        let fails_fast = matches!(&step.work, Work::Parallel(parallel) if parallel.fail_fast);
        let failed = || fails_fast && self.pairs(step).any(|(step, child)| child.blocks(step));
        self.stopped.or_else(|| failed().then_some(StopCause::FailFast))
    }
}

impl Leaf {
    /// Whether a user has to answer before it continues.
    pub(super) fn waits(&self, step: &Step) -> bool {
        (self.answer.is_none() && needs_answer(step)) || self.is_blocked()
    }

    /// Whether the user has to say what to do with changes that are in the way of a merge.
    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.as_ref().is_some_and(|blocked| blocked.answer.is_none())
    }
}

/// Whether a step asks a user.
pub(super) fn needs_answer(step: &Step) -> bool {
    match &step.work {
        Work::Approval(_) => true,
        Work::Merge(merge) => merge.require_review,
        Work::Agent(_) | Work::Script(_) | Work::Loop(_) | Work::Parallel(_) => false,
    }
}

/// The path that the steps inside are below.
pub(super) fn inside(path: &StepPath, step: &Step, instance: &Instance) -> StepPath {
    if matches!(step.work, Work::Loop(_)) { path.round(instance.round()) } else { path.clone() }
}

/// The instance at a place, if the rounds on the way are those that are under way.
pub(super) fn find_mut<'flow>(
    instances: &'flow mut [Instance],
    place: &[usize],
    rounds: &[Option<u32>],
) -> Option<&'flow mut Instance> {
    let (first, rest) = place.split_first()?;
    let instance = instances.get_mut(*first)?;
    let (round, other_rounds) = rounds.split_first()?;
    if rest.is_empty() {
        return Some(instance);
    }
    if round.is_some_and(|round| round != instance.round()) {
        return None;
    }
    let children = &mut instance.group.as_mut()?.children;
    find_mut(children, rest, other_rounds)
}
