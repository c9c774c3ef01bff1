//! Searches every configuration that can be reached, with every input in each.

use std::collections::{HashSet, VecDeque};

use super::*;
use crate::run::{FAILURES_ALLOWED, RestartPolicy};

const MAX_ATTEMPTS: u32 = 3;

fn inputs() -> Vec<Input> {
    let well = Exit { exit_code: Some(0), signal: None };
    let badly = Exit { exit_code: Some(7), signal: None };
    let by_signal = Exit { exit_code: None, signal: Some(9) };
    let marker = Ending { state: State::Completed, exit: Some(well), reason: Reason::Exited, code: None, attempts: 1 };
    let mut inputs = vec![
        Input::SlotGranted,
        Input::CouldNotStart(ErrorCode::WorktreeCreateFailed),
        Input::Stop(StopCause::Requested),
        Input::Stop(StopCause::WallTime),
        Input::Stop(StopCause::NoProgress),
        Input::Stop(StopCause::NoAnswer),
        Input::SupervisorGone(None),
        Input::SupervisorGone(Some(marker)),
    ];
    for attempt in 0..=MAX_ATTEMPTS + 1 {
        inputs.extend([
            Input::Started { attempt },
            Input::StartFailed { attempt, code: ErrorCode::RunnerNotConfigured },
            Input::GraceOver { attempt },
            Input::KillOver { attempt },
            Input::PauseOver { attempt },
            Input::Healthy { attempt },
        ]);
        for verdict in [Verdict::None, Verdict::Success, Verdict::Dismissed, Verdict::Failure] {
            inputs.extend([well, badly, by_signal].map(|exit| Input::Exited { attempt, exit, verdict }));
        }
    }
    inputs
}

/// A run together with what its effects did to the world.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    run: Run,
    process: Option<u32>,
    term_sent: bool,
}

fn reachable(restart: RestartPolicy, mut visit: impl FnMut(&World, &Input, &Transition)) -> Vec<World> {
    let first = World { run: Run::queued(restart), process: None, term_sent: false };
    let mut seen = HashSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    while let Some(world) = open.pop_front() {
        for input in inputs() {
            if !possible(&world, &input) || world.run.attempt() > MAX_ATTEMPTS {
                continue;
            }
            let outcome = step(&world.run, &input);
            visit(&world, &input, &outcome);
            let next = follow(&world, &input, outcome);
            if seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    seen.into_iter().collect()
}

/// A process can report only if it was asked for; everything else may come at any time.
fn possible(world: &World, input: &Input) -> bool {
    match input {
        Input::Started { attempt } | Input::StartFailed { attempt, .. } => *attempt <= world.run.attempt(),
        Input::SlotGranted
        | Input::CouldNotStart(_)
        | Input::Exited { .. }
        | Input::Stop(_)
        | Input::GraceOver { .. }
        | Input::KillOver { .. }
        | Input::PauseOver { .. }
        | Input::Healthy { .. }
        | Input::SupervisorGone(_) => true,
    }
}

fn follow(world: &World, input: &Input, outcome: Transition) -> World {
    let mut next = world.clone();
    let gone = match input {
        Input::Exited { attempt, .. } | Input::StartFailed { attempt, .. } => next.process == Some(*attempt),
        Input::SupervisorGone(_) => true,
        Input::SlotGranted
        | Input::CouldNotStart(_)
        | Input::Started { .. }
        | Input::Stop(_)
        | Input::GraceOver { .. }
        | Input::KillOver { .. }
        | Input::PauseOver { .. }
        | Input::Healthy { .. } => false,
    };
    if gone {
        next.process = None;
    }
    if let Transition::Moved(run, effects) = outcome {
        next.run = run;
        for effect in effects {
            match effect {
                Effect::Spawn { attempt } => {
                    assert_eq!(next.process, None, "spawned while a process exists: {world:?} {input:?}");
                    next.process = Some(attempt);
                    next.term_sent = false;
                }
                Effect::Terminate { .. } => next.term_sent = true,
                Effect::Kill { .. } => assert!(next.term_sent, "KILL before TERM: {world:?} {input:?}"),
                Effect::Pause { .. } => assert_eq!(next.process, None, "paused with a process: {world:?}"),
                Effect::Finish => {}
            }
        }
    }
    next
}

fn each_policy(mut check: impl FnMut(RestartPolicy)) {
    for policy in RestartPolicy::ALL {
        check(*policy);
    }
}

// proves L7
#[test]
fn an_ended_run_never_moves_and_only_legal_transitions_happen() {
    each_policy(|policy| {
        let all = reachable(policy, |world, input, outcome| {
            let Transition::Moved(next, effects) = outcome else { return };
            let from = world.run.state();
            assert!(!from.is_terminal(), "{from} moved by {input:?}");
            let legal = match (from, next.state()) {
                (State::Queued, State::Queued) => false,
                (State::Queued | State::Running, _) => next.state() != State::Queued,
                (State::Completed | State::Failed | State::Killed, _) => false,
            };
            // A queued run completes only by the marker of a supervisor whose row never got through.
            let by_marker = matches!(input, Input::SupervisorGone(Some(_)));
            assert!(legal && (from != State::Queued || next.state() != State::Completed || by_marker), "{input:?}");
            assert_eq!(effects.contains(&Effect::Finish), next.state().is_terminal());
        });
        assert!(all.len() > 10, "the search went nowhere: {}", all.len());
    });
}

#[test]
fn every_run_can_be_ended_by_stop_and_timers_alone() {
    each_policy(|policy| {
        for world in reachable(policy, |_, _, _| {}) {
            let mut run = world.run;
            for _ in 0..4 {
                let attempt = run.attempt();
                for input in [
                    Input::Stop(StopCause::Requested),
                    // The spawn itself always reports: it is a call, not a wait.
                    Input::Started { attempt },
                    Input::GraceOver { attempt },
                    Input::KillOver { attempt },
                ] {
                    if let Transition::Moved(next, _) = step(&run, &input) {
                        run = next;
                    }
                }
            }
            assert!(run.state().is_terminal(), "{run:?}");
        }
    });
}

// proves P11
#[test]
fn crashes_in_a_row_are_bounded_by_the_policy() {
    each_policy(|policy| {
        for world in reachable(policy, |_, _, _| {}) {
            let Progress::Running { failures, .. } = world.run.progress else { continue };
            assert!(failures < policy.failures_allowed(FAILURES_ALLOWED), "{world:?}");
        }
    });
}

// proves P11
#[test]
fn only_a_crash_is_followed_by_another_attempt() {
    let progress = Progress::Running { attempt: 1, failures: 0, phase: Phase::Working };
    let run = Run { progress, failures_allowed: FAILURES_ALLOWED };
    for (code, verdict, again) in [
        (0, Verdict::None, false),
        (0, Verdict::Failure, false),
        (3, Verdict::None, true),
        (3, Verdict::Failure, true),
        (3, Verdict::Success, false),
        (3, Verdict::Dismissed, false),
    ] {
        let exit = Exit { exit_code: Some(code), signal: None };
        let Transition::Moved(next, effects) = step(&run, &Input::Exited { attempt: 1, exit, verdict }) else {
            panic!("an exit moves a run");
        };
        assert_eq!(next.state() == State::Running, again, "{code} {verdict:?}");
        assert_eq!(effects.contains(&Effect::Pause { attempt: 1, failures: 1 }), again, "{code} {verdict:?}");
    }
}

// proves P11
#[test]
fn an_agent_that_was_well_for_long_enough_may_crash_as_often_as_at_first() {
    let progress = Progress::Running { attempt: 3, failures: 2, phase: Phase::Working };
    let run = Run { progress, failures_allowed: FAILURES_ALLOWED };
    let Transition::Moved(well, effects) = step(&run, &Input::Healthy { attempt: 3 }) else {
        panic!("the crashes are forgotten");
    };
    assert_eq!(effects, []);
    let exit = Exit { exit_code: Some(1), signal: None };
    let crash = Input::Exited { attempt: 3, exit, verdict: Verdict::None };
    assert!(matches!(step(&well, &crash), Transition::Moved(next, _) if next.state() == State::Running));
    assert!(matches!(step(&run, &crash), Transition::Moved(next, _) if next.state() == State::Failed));
}

#[test]
fn a_late_message_of_an_earlier_attempt_changes_nothing() {
    each_policy(|policy| {
        reachable(policy, |world, input, outcome| {
            let attempt = match input {
                Input::Started { attempt }
                | Input::StartFailed { attempt, .. }
                | Input::Exited { attempt, .. }
                | Input::GraceOver { attempt }
                | Input::KillOver { attempt }
                | Input::PauseOver { attempt }
                | Input::Healthy { attempt } => *attempt,
                Input::SlotGranted | Input::CouldNotStart(_) | Input::Stop(_) | Input::SupervisorGone(_) => return,
            };
            if attempt != world.run.attempt() {
                assert_eq!(*outcome, Transition::Stale, "{world:?} {input:?}");
            }
        });
    });
}

#[test]
fn a_stop_that_came_first_decides_over_the_exit_code() {
    let run = |phase| Run {
        progress: Progress::Running { attempt: 1, failures: 0, phase },
        failures_allowed: FAILURES_ALLOWED,
    };
    let exit = Exit { exit_code: Some(0), signal: None };
    for (cause, state) in [
        (StopCause::Requested, State::Killed),
        (StopCause::WallTime, State::Failed),
        (StopCause::NoProgress, State::Failed),
        (StopCause::NoAnswer, State::Failed),
    ] {
        let Transition::Moved(ended, _) =
            step(&run(Phase::Stopping(cause)), &Input::Exited { attempt: 1, exit, verdict: Verdict::Success })
        else {
            panic!("an exit ends a run that is being stopped");
        };
        assert_eq!(ended.state(), state);
    }
}

#[test]
fn an_agent_that_says_it_failed_has_failed_whatever_its_exit_code() {
    let progress = Progress::Running { attempt: 1, failures: 0, phase: Phase::Working };
    let run = Run { progress, failures_allowed: 1 };
    for (code, verdict, state) in [
        (0, Verdict::None, State::Completed),
        (0, Verdict::Success, State::Completed),
        (0, Verdict::Failure, State::Failed),
        (3, Verdict::Success, State::Failed),
        (3, Verdict::Dismissed, State::Completed),
    ] {
        let exit = Exit { exit_code: Some(code), signal: None };
        let Transition::Moved(ended, _) = step(&run, &Input::Exited { attempt: 1, exit, verdict }) else {
            panic!("an exit ends a run");
        };
        assert_eq!(ended.state(), state, "{code} {verdict:?}");
    }
}
