//! Decides what comes next.

use super::super::{
    Approval, Fact, LoopStep, MergeAnswer, OnMaxIterations, ParallelStep, SessionState, Step, StepPath, StepResult,
    Work,
};
use super::instance::{Instance, InstanceProgress, Leaf, inside, needs_answer};
use super::{Flow, Recorded, StopCause};

/// Something to do. All but notes may be returned again until the fact that follows from them is recorded.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A decision; it is recorded already and has to be stored before anything else is done.
    Note(Fact),
    /// Begin an agent, script, merge or approval: record `StepStarted`, then do it. Of a merge, this is what comes before
    /// the review; of an approval, nothing.
    Start {
        /// Which.
        path: StepPath,
        /// The attempt to record.
        attempt: u32,
    },
    /// Ask a user for an approval or a review, and record `StepAsked`; or what to do about changes in the way of a
    /// merge, of which `MergeBlocked` is recorded.
    Ask {
        /// Which.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
    },
    /// Merge now, and record `StepEnded`.
    Merge {
        /// Which.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
    },
    /// Stop what is under way; `StepEnded` follows by itself.
    Stop {
        /// Which.
        path: StepPath,
        /// Its attempt.
        attempt: u32,
        /// Why.
        cause: StopCause,
    },
}

/// How a step, or a sequence of them, stands.
enum StepDecision {
    /// Record this first.
    Note(Fact),
    /// It is under way; these are the next actions.
    Busy(Vec<Action>),
    /// It has ended, and what comes after it may begin.
    Done,
    /// It has ended, and so has the loop around it.
    Exit,
    /// It failed, and what comes after it may not come.
    Failed { path: StepPath, why: String },
}

impl Flow {
    /// Says what comes next: first the decisions, then the actions. Called again without new facts, it says the
    /// same, except for what was decided already.
    pub fn advance(&mut self) -> Vec<Action> {
        let mut actions = vec![];
        loop {
            match self.decide() {
                StepDecision::Note(fact) => match self.record(&fact) {
                    Ok(Recorded::Noted) => actions.push(Action::Note(fact)),
                    // A decision that changes nothing would be made for ever.
                    Ok(Recorded::Stale) | Err(_) => return actions,
                },
                StepDecision::Busy(found) => {
                    actions.extend(found);
                    return actions;
                }
                StepDecision::Done | StepDecision::Exit | StepDecision::Failed { .. } => return actions,
            }
        }
    }

    fn decide(&self) -> StepDecision {
        if self.session.is_none() || self.ended.is_some() {
            return StepDecision::Done;
        }
        let ended = |state, reason| StepDecision::Note(Fact::SessionEnded { state, reason });
        let steps = self.plan.steps.get(self.first_open..).unwrap_or_default();
        let instances = self.steps.get(self.first_open..).unwrap_or_default();
        let standing = self.sequence(steps.iter().zip(instances), &StepPath::new(""), self.stop);
        match (standing, self.stop) {
            (standing @ (StepDecision::Note(_) | StepDecision::Busy(_)), _) => standing,
            (StepDecision::Done | StepDecision::Exit | StepDecision::Failed { .. }, Some(cause)) => {
                let (state, reason) = self.halted(cause);
                ended(state, Some(reason))
            }
            (StepDecision::Done | StepDecision::Exit, None) => ended(SessionState::Completed, None),
            (StepDecision::Failed { path, why }, None) => {
                ended(SessionState::Blocked, Some(format!("step `{path}` failed: {why}")))
            }
        }
    }

    fn halted(&self, cause: StopCause) -> (SessionState, String) {
        let words = || self.stop_reason(&StepPath::new(""), cause);
        match cause {
            StopCause::Cancelled => (SessionState::Cancelled, words()),
            StopCause::Broken => (SessionState::Failed, self.broken.clone().unwrap_or_else(words)),
            StopCause::SessionTimeout | StopCause::CompletedByHand | StopCause::FailFast | StopCause::StepTimeout => {
                (SessionState::Failed, words())
            }
        }
    }

    /// Steps one after the other.
    fn sequence<'flow>(
        &self,
        pairs: impl Iterator<Item = (&'flow Step, &'flow Instance)>,
        above: &StepPath,
        stop: Option<StopCause>,
    ) -> StepDecision {
        for (step, instance) in pairs {
            let standing = self.standing(step, instance, above, stop);
            if !(instance.is_over() && matches!(standing, StepDecision::Done)) {
                return standing;
            }
        }
        StepDecision::Done
    }

    fn standing(&self, step: &Step, instance: &Instance, above: &StepPath, stop: Option<StopCause>) -> StepDecision {
        let path = || above.child(&step.name);
        match &instance.progress {
            InstanceProgress::Over if instance.blocks(step) => {
                StepDecision::Failed { path: path(), why: error_of(instance) }
            }
            InstanceProgress::Over if instance.exits(step) => StepDecision::Exit,
            InstanceProgress::Over => StepDecision::Done,
            // What has not begun does not begin any more.
            InstanceProgress::Waiting if stop.is_some() => StepDecision::Done,
            InstanceProgress::Waiting => self.begin(step, path()),
            InstanceProgress::Running(leaf) => {
                self.under_way((step, instance), leaf, path(), stop.or(instance.stopped))
            }
            InstanceProgress::Open => match &step.work {
                Work::Parallel(parallel) => {
                    let stop = stop.or_else(|| instance.stop_inside(step));
                    self.parallel((step, parallel), instance, path(), stop)
                }
                Work::Loop(repeated) => self.repeated((step, repeated), instance, path(), stop.or(instance.stopped)),
                Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => StepDecision::Done,
            },
        }
    }

    fn begin(&self, step: &Step, path: StepPath) -> StepDecision {
        match self.is_wanted(step, &path) {
            Ok(true) => {}
            Ok(false) => {
                return StepDecision::Note(Fact::StepSkipped { path, why: "`when` is not true".to_owned() });
            }
            Err(error) => {
                let result = StepResult::failure(format!("`when`: {error}"));
                return StepDecision::Note(Fact::StepEnded { path, attempt: 0, result });
            }
        }
        let attempt = self.attempts(&path) + 1;
        match &step.work {
            Work::Loop(_) | Work::Parallel(_) => StepDecision::Note(Fact::StepStarted { path, attempt, run_id: None }),
            Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => {
                StepDecision::Busy(vec![Action::Start { path, attempt }])
            }
        }
    }

    /// Steps at the same time.
    fn parallel(
        &self,
        (step, parallel): (&Step, &ParallelStep),
        instance: &Instance,
        path: StepPath,
        stop: Option<StopCause>,
    ) -> StepDecision {
        let most = parallel.max_parallel.map_or(usize::MAX, |most| most.get() as usize);
        let under_way =
            |child: &&Instance| matches!(child.progress, InstanceProgress::Running(_) | InstanceProgress::Open);
        let mut busy = instance.children().iter().filter(under_way).count();
        let (mut actions, mut failures) = (vec![], vec![]);
        for (child_step, child) in instance.pairs(step) {
            let waits = matches!(child.progress, InstanceProgress::Waiting);
            if waits && busy >= most || is_quiet(child_step, child, stop) {
                continue;
            }
            match self.standing(child_step, child, &path, stop) {
                StepDecision::Note(fact) => return StepDecision::Note(fact),
                StepDecision::Busy(found) => {
                    busy += usize::from(waits);
                    actions.extend(found);
                }
                StepDecision::Failed { path, why } => failures.push(format!("`{}` failed: {why}", path.name())),
                StepDecision::Done | StepDecision::Exit => {}
            }
        }
        if busy > 0 {
            return StepDecision::Busy(actions);
        }
        let result = match stop {
            Some(cause) if cause != StopCause::FailFast => StepResult::failure(self.stop_reason(&path, cause)),
            Some(_) | None if failures.is_empty() => StepResult::success(""),
            Some(_) | None => StepResult::failure(failures.join("; ")),
        };
        StepDecision::Note(Fact::StepEnded { path, attempt: instance.attempts, result })
    }

    /// Steps again and again.
    fn repeated(
        &self,
        (step, repeated): (&Step, &LoopStep),
        instance: &Instance,
        path: StepPath,
        stop: Option<StopCause>,
    ) -> StepDecision {
        let round = instance.round();
        let standing = if round == 0 {
            StepDecision::Done
        } else {
            self.sequence(instance.pairs(step), &inside(&path, step, instance), stop)
        };
        let most = repeated.max_iterations.get();
        let result = match standing {
            StepDecision::Note(_) | StepDecision::Busy(_) => return standing,
            StepDecision::Exit => StepResult::success(format!("ended in iteration {round}")),
            StepDecision::Failed { path, why } => StepResult::failure(format!("`{}` failed: {why}", path.name())),
            StepDecision::Done => match (stop, repeated.on_max_iterations) {
                (Some(cause), _) => StepResult::failure(self.stop_reason(&path, cause)),
                (None, _) if round < most => {
                    return StepDecision::Note(Fact::RoundStarted { path, iteration: round + 1 });
                }
                (None, OnMaxIterations::Continue) => StepResult::success(format!("ran {most} iterations")),
                (None, OnMaxIterations::Block) => StepResult::failure(format!("ran {most} iterations without success")),
            },
        };
        let result = StepResult { iteration: Some(round), ..result };
        StepDecision::Note(Fact::StepEnded { path, attempt: instance.attempts, result })
    }

    /// A step under way that has none inside.
    fn under_way(
        &self,
        (step, instance): (&Step, &Instance),
        leaf: &Leaf,
        path: StepPath,
        stop: Option<StopCause>,
    ) -> StepDecision {
        let attempt = instance.attempts;
        if leaf.waits(step) {
            return match stop {
                // Nothing runs that could be stopped.
                Some(cause) => {
                    let result = StepResult::failure(self.stop_reason(&path, cause));
                    StepDecision::Note(Fact::StepEnded { path, attempt, result })
                }
                None if leaf.asked && !leaf.is_blocked() => StepDecision::Busy(vec![]),
                None => StepDecision::Busy(vec![Action::Ask { path, attempt }]),
            };
        }
        if let (true, Some((verdict, message))) = (needs_answer(step), &leaf.answer) {
            let said = message.as_deref().filter(|message| !message.trim().is_empty());
            let result = match (verdict, &step.work) {
                (Approval::Rejected, _) => {
                    Some(StepResult::failure(said.map_or("rejected".to_owned(), |said| format!("rejected: {said}"))))
                }
                (Approval::Approved, Work::Approval(_)) => Some(StepResult::success(said.unwrap_or("approved"))),
                (Approval::Approved, _) => None,
            };
            if let Some(result) = result {
                return StepDecision::Note(Fact::StepEnded { path, attempt, result });
            }
        }
        if leaf.blocked.as_ref().is_some_and(|blocked| blocked.answer == Some(MergeAnswer::Cancel)) {
            let result = StepResult::failure("the merge was cancelled, since uncommitted changes are in its way");
            return StepDecision::Note(Fact::StepEnded { path, attempt, result });
        }
        StepDecision::Busy(match (stop, &step.work) {
            (Some(cause), _) => vec![Action::Stop { path, attempt, cause }],
            (None, Work::Merge(_)) => vec![Action::Merge { path, attempt }],
            (None, _) => vec![],
        })
    }
}

/// Whether there is nothing to say about a step, so that its path need not be made.
fn is_quiet(step: &Step, instance: &Instance, stop: Option<StopCause>) -> bool {
    match &instance.progress {
        InstanceProgress::Over => !instance.blocks(step),
        InstanceProgress::Running(_) => {
            let process = matches!(step.work, Work::Agent(_) | Work::Script(_));
            process && stop.is_none() && instance.stopped.is_none()
        }
        InstanceProgress::Waiting => stop.is_some(),
        InstanceProgress::Open => false,
    }
}

fn error_of(instance: &Instance) -> String {
    let error = instance.result.as_ref().and_then(|result| result.error.clone());
    error.unwrap_or_else(|| "it gave no reason".to_owned())
}
