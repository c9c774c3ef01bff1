//! Why a step was stopped, in a sentence.
//!
//! The one rule: a timeout names the limit that was exceeded, its value, and where it is set.

use std::time::Duration;

use super::super::{
    Plan, Position, Step, StepKind, StepPath, WORKFLOW_TIMEOUT, Work, default_timeout, format_duration,
};
use super::instance::{Instance, StopCause};
use super::{Flow, without_rounds};

impl Flow {
    /// Why a step was stopped; the step may be stopped with one that contains it, or with the session.
    pub(super) fn stop_reason(&self, path: &StepPath, cause: StopCause) -> String {
        match cause {
            StopCause::CompletedByHand => "completed by hand".to_owned(),
            StopCause::FailFast => "stopped, since a step beside it failed".to_owned(),
            StopCause::StepTimeout => self.exceeded_by_step(path),
            StopCause::SessionTimeout => self.exceeded_by_session(),
            StopCause::Cancelled => "the session was cancelled".to_owned(),
            StopCause::Broken => "the session could not continue".to_owned(),
        }
    }

    /// The limit of the whole session.
    pub(super) fn exceeded_by_session(&self) -> String {
        let plan = self.plan();
        let limit =
            Limit { value: plan.timeout, at: plan.timeout_at, default: Some(WORKFLOW_TIMEOUT), of: "a workflow" };
        format!("the workflow took longer than {}", limit.described(plan))
    }

    /// The limit of the step itself, or of the outermost step around it that was exceeded.
    fn exceeded_by_step(&self, path: &StepPath) -> String {
        let around = self.way_to(path);
        let exceeded = |(_, instance): &&(&Step, &Instance)| instance.stopped == Some(StopCause::StepTimeout);
        let own = around.last().filter(exceeded);
        match own.or_else(|| around.iter().find(exceeded)).or(around.last()) {
            Some((step, _)) => {
                let limit = limit_of(step).described(self.plan());
                match &step.work {
                    _ if around.last().is_some_and(|(last, _)| last.at == step.at) => {
                        format!("it took longer than {limit}")
                    }
                    Work::Loop(_) => format!("the loop `{}` around it took longer than {limit}", step.name),
                    Work::Parallel(_) | Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => {
                        format!("the parallel step `{}` around it took longer than {limit}", step.name)
                    }
                }
            }
            None => "it took longer than its `timeout`".to_owned(),
        }
    }

    /// The steps that contain a step, outermost first, and the step itself.
    fn way_to(&self, path: &StepPath) -> Vec<(&Step, &Instance)> {
        let place = self.places.get(&without_rounds(path)).map(Vec::as_slice).unwrap_or_default();
        let (mut steps, mut instances) = (self.plan.steps.as_slice(), self.steps.as_slice());
        let mut way = vec![];
        for index in place {
            let (Some(step), Some(instance)) = (steps.get(*index), instances.get(*index)) else { break };
            way.push((step, instance));
            (steps, instances) = (step.children(), instance.children());
        }
        way
    }
}

/// A limit of time.
struct Limit {
    value: Duration,
    /// Where it is set, if the file sets it.
    at: Option<Position>,
    /// What holds if the file does not set it.
    default: Option<Duration>,
    /// What the default belongs to.
    of: &'static str,
}

impl Limit {
    /// Its value, and where it is set. Plans that older versions stored do not have the place.
    fn described(&self, plan: &Plan) -> String {
        let Self { value, at, default, of } = self;
        let (limit, file) = (format_duration(*value), &plan.file);
        match at {
            Some(at) => format!("{limit}, its `timeout` in {file}, line {}", at.line),
            None if *default == Some(*value) => {
                format!("{limit}, the default of {of}; `timeout` in {file} sets another")
            }
            None => format!("{limit}, its `timeout` in {file}"),
        }
    }
}

fn limit_of(step: &Step) -> Limit {
    let of = match step.kind() {
        StepKind::Agent => "an agent step",
        StepKind::Script => "a script step",
        StepKind::Loop | StepKind::Parallel | StepKind::Merge | StepKind::Approval => "such a step",
    };
    Limit { value: step.timeout.unwrap_or_default(), at: step.timeout_at, default: default_timeout(step.kind()), of }
}
