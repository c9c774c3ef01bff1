//! Continues a settled session.

use super::super::{Step, StepPath, StepStatus, Work};
use super::instance::{Instance, InstanceProgress};
use super::record::RejectedFact;
use super::{Flow, Recorded, StopCause, step_at, without_rounds};

pub(super) fn retry(flow: &mut Flow, from: Option<&str>) -> Result<Recorded, RejectedFact> {
    if !flow.state().is_settled() {
        return Err(RejectedFact::WrongTime("not settled"));
    }
    match from {
        Some(from) => {
            let place = place_of(flow, from)?;
            check_order(flow, from, &place)?;
            reset_from(&flow.plan.steps, &mut flow.steps, &place, Order::Sequence);
        }
        None => {
            for (step, instance) in flow.plan.steps.iter().zip(&mut flow.steps) {
                reopen(step, instance);
            }
        }
    }
    flow.stop = None;
    flow.broken = None;
    flow.ended = None;
    let over = flow
        .plan
        .steps
        .iter()
        .zip(&flow.steps)
        .take_while(|(step, instance)| instance.is_over() && !instance.blocks(step));
    flow.first_open = over.count();
    Ok(Recorded::Noted)
}

/// The place of a step by its path or its name.
fn place_of(flow: &Flow, from: &str) -> Result<Vec<usize>, RejectedFact> {
    if let Some(place) = flow.places.get(&without_rounds(&StepPath::new(from))) {
        return Ok(place.clone());
    }
    let named = |place: &&Vec<usize>| step_at(&flow.plan.steps, place).is_some_and(|step| step.name == from);
    // A task before the stage of its name.
    flow.places
        .values()
        .filter(named)
        .max_by_key(|place| place.len())
        .cloned()
        .ok_or_else(|| RejectedFact::NoSuchStep(from.to_owned()))
}

/// Nothing before the step may be undone or failed: it would block again at once.
fn check_order(flow: &Flow, from: &str, place: &[usize]) -> Result<(), RejectedFact> {
    let (mut steps, mut instances) = (flow.plan.steps.as_slice(), flow.steps.as_slice());
    let mut order = Order::Sequence;
    for index in place {
        let before = steps.iter().zip(instances).take(if order == Order::Sequence { *index } else { 0 });
        if let Some((step, _)) =
            before.into_iter().find(|(step, instance)| !instance.is_over() || instance.blocks(step))
        {
            return Err(RejectedFact::TooLate { from: from.to_owned(), failed: step.name.clone() });
        }
        let (Some(step), Some(instance)) = (steps.get(*index), instances.get(*index)) else { break };
        order = order_inside(step);
        (steps, instances) = (step.children(), instance.children());
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// One after the other: what comes later is done again too.
    Sequence,
    /// At the same time: the others stay as they are.
    Together,
}

const fn order_inside(step: &Step) -> Order {
    match step.work {
        Work::Parallel(_) => Order::Together,
        Work::Loop(_) | Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => Order::Sequence,
    }
}

fn reset_from(steps: &[Step], instances: &mut [Instance], place: &[usize], order: Order) {
    let Some((first, rest)) = place.split_first() else { return };
    for (index, (step, instance)) in steps.iter().zip(instances.iter_mut()).enumerate() {
        match index.cmp(first) {
            std::cmp::Ordering::Greater if order == Order::Sequence => forget(instance),
            // A task beside it that failed would fail the stage again.
            std::cmp::Ordering::Less | std::cmp::Ordering::Greater if order == Order::Together => {
                reopen(step, instance);
            }
            std::cmp::Ordering::Less | std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Equal => match instance.group.as_mut().filter(|_| !rest.is_empty()) {
                Some(group) => {
                    reset_from(step.children(), &mut group.children, rest, order_inside(step));
                    open_again(instance);
                }
                None => forget(instance),
            },
        }
    }
}

/// Its turn comes again, as if it had never come.
fn forget(instance: &mut Instance) {
    *instance = Instance::new();
}

fn open_again(instance: &mut Instance) {
    instance.progress = InstanceProgress::Open;
    instance.result = None;
    instance.stopped = None;
}

/// What failed, or was stopped with the session, is done again.
fn reopen(step: &Step, instance: &mut Instance) {
    let failed = instance.result.as_ref().is_some_and(|result| result.status == StepStatus::Failed);
    let with_others = matches!(
        instance.stopped,
        Some(StopCause::FailFast | StopCause::SessionTimeout | StopCause::Cancelled | StopCause::Broken)
    );
    if !instance.is_over() || !(instance.blocks(step) || failed && with_others) {
        return;
    }
    let again = instance.pairs(step).any(|(step, child)| !child.is_over() || child.blocks(step));
    match instance.group.as_mut() {
        Some(group) if again => {
            for (step, child) in step.children().iter().zip(&mut group.children) {
                reopen(step, child);
            }
            open_again(instance);
        }
        // A loop that reached its maximum of iterations begins anew.
        Some(_) | None => forget(instance),
    }
}
