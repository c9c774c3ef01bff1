//! Searches every session that small workflows can have, with everything that can happen in each.

use std::collections::{HashMap, HashSet, VecDeque};

use super::super::super::Approval;
use super::*;

/// So many unusual things happen in one session of the search, beside steps that end and answers.
const MAX_TROUBLE: usize = 2;

fn workflows() -> Vec<String> {
    vec![
        scripts(&[("a", ", on_fail: continue"), ("b", ", when: '{{.previous.failed}}'"), ("c", "")]),
        concat!(
            "name: w\nsteps:\n- name: l\n  type: loop\n  max_iterations: 2\n  steps:\n",
            "  - {name: t, type: script, command: x, on_fail: continue, on_success: exit_loop}\n",
            "  - {name: f, type: agent, prompt: x}\n- {name: m, type: merge}\n",
        )
        .to_owned(),
        concat!(
            "name: w\nsteps:\n- name: p\n  type: parallel\n  max_parallel: 2\n  fail_fast: true\n  steps:\n",
            "  - {name: a, type: script, command: x}\n  - {name: b, type: agent, prompt: x, on_fail: continue}\n  - {name: c, type: approval}\n",
        )
        .to_owned(),
        concat!(
            "name: w\nsteps:\n- name: l\n  type: loop\n  max_iterations: 2\n  on_max_iterations: continue\n  on_fail: continue\n  steps:\n",
            "  - name: p\n    type: parallel\n    steps:\n    - {name: a, type: script, command: x, on_success: exit_loop}\n",
            "    - {name: b, type: script, command: x}\n- {name: z, type: script, command: x}\n",
        )
        .to_owned(),
    ]
}

/// What usually happens from outside: steps end well or badly, and users answer.
fn usual(played: &Played) -> Vec<Fact> {
    let mut facts = vec![];
    for Running { path, attempt, waits, .. } in played.flow.running() {
        if waits {
            let say = |verdict: &Approval| Fact::StepAnswered {
                path: path.clone(),
                attempt,
                verdict: *verdict,
                message: None,
            };
            facts.extend(Approval::ALL.iter().map(say));
        } else {
            let ended = |result| Fact::StepEnded { path: path.clone(), attempt, result };
            facts.extend([ended(StepResult::success("")), ended(StepResult::failure("no"))]);
        }
    }
    facts
}

/// What seldom happens.
fn trouble(played: &Played) -> Vec<Fact> {
    let mut facts = vec![Fact::CancelAsked, Fact::SessionTimedOut];
    for Running { path, attempt, .. } in played.flow.running() {
        facts.push(Fact::CompletionAsked { path: path.clone() });
        facts.push(Fact::StepInterrupted { path, attempt });
    }
    facts.extend(played.flow.limits().into_iter().map(|(path, _)| Fact::StepTimedOut { path }));
    if played.state().is_settled() {
        facts.push(Fact::RetryAsked { from: None });
    }
    facts
}

/// What a session is, without how it came to be so.
fn standing(flow: &Flow) -> String {
    format!("{:?} {:?} {:?} {:?}", flow.steps, flow.begun.len(), flow.stop, flow.ended)
}

/// Visits every session that can be reached; each is settled: nothing is left to decide or to begin.
fn search(yaml: &str, mut visit: impl FnMut(&Played)) -> usize {
    let mut first = Played::begin(yaml);
    first.begun();
    let mut seen = HashSet::from([(standing(&first.flow), 0)]);
    let mut open = VecDeque::from([(first, 0)]);
    while let Some((played, troubled)) = open.pop_front() {
        visit(&played);
        let usual = usual(&played).into_iter().map(|fact| (fact, troubled));
        let trouble =
            trouble(&played).into_iter().map(|fact| (fact, troubled + 1)).filter(|(_, so_far)| *so_far <= MAX_TROUBLE);
        for (fact, troubled) in usual.chain(trouble) {
            let mut next = played.clone();
            if next.flow.record(&fact) != Ok(Recorded::Noted) {
                continue;
            }
            next.store(fact);
            next.begun();
            if seen.insert((standing(&next.flow), troubled)) {
                open.push_back((next, troubled));
            }
        }
    }
    seen.len()
}

fn each_workflow(mut check: impl FnMut(&Played)) {
    for yaml in workflows() {
        let reached = search(&yaml, &mut check);
        assert!(reached > 30, "the search went nowhere: {reached}\n{yaml}");
    }
}

#[test]
fn the_same_facts_give_the_same_session_after_any_crash() {
    each_workflow(|played| {
        // A driver may die after any fact it stored; its successor decides the same.
        let again = Flow::replay(Arc::clone(&played.flow.plan), &played.history).expect("it was noted before");
        assert_eq!(standing(&again), standing(&played.flow));
        let mut twice = played.flow.clone();
        let actions = twice.advance();
        assert!(actions.iter().all(|action| !matches!(action, Action::Note(_))), "{actions:?}");
        assert_eq!(twice.advance(), actions, "asking changes nothing");
    });
}

#[test]
fn decisions_of_a_cut_history_are_those_that_followed() {
    each_workflow(|played| {
        // What came earlier was a whole history of its own.
        for cut in played.history.len().saturating_sub(6).max(1)..played.history.len() {
            let mut flow = Flow::replay(Arc::clone(&played.flow.plan), &played.history[..cut]).expect("a prefix");
            let follows = &played.history[cut].fact;
            let decided: Vec<Fact> = flow.advance().into_iter().filter_map(note).collect();
            // Either the next fact came from outside, or it is the decision that is made again.
            if let Some(first) = decided.first() {
                assert_eq!(first, follows);
            }
        }
    });
}

fn note(action: Action) -> Option<Fact> {
    match action {
        Action::Note(fact) => Some(fact),
        Action::Start { .. } | Action::Ask { .. } | Action::Merge { .. } | Action::Stop { .. } => None,
    }
}

#[test]
fn a_step_begins_once_in_each_attempt_and_not_again_after_success() {
    each_workflow(|played| {
        let mut attempts: HashMap<&StepPath, u32> = HashMap::new();
        let mut done: HashSet<&StepPath> = HashSet::new();
        for entry in &played.history {
            if let Fact::StepStarted { path, attempt, .. } = &entry.fact {
                assert!(!done.contains(path), "{path} was done");
                assert_eq!(*attempt, attempts.get(path).copied().unwrap_or_default() + 1, "{path}");
                attempts.insert(path, *attempt);
            } else if let Fact::StepEnded { path, result, .. } = &entry.fact
                && result.status == StepStatus::Succeeded
            {
                done.insert(path);
            } else if let Fact::RetryAsked { .. } = &entry.fact {
                done.clear();
            }
        }
    });
}

#[test]
fn no_more_than_allowed_is_under_way() {
    each_workflow(|played| {
        let under_way = played.under_way();
        assert!(under_way.len() <= 2, "{under_way:?}");
        if played.state().is_settled() {
            assert!(under_way.is_empty());
            assert!(played.flow.clone().advance().is_empty(), "what stands still does nothing");
        }
    });
}

#[test]
fn nothing_begins_after_the_end_was_asked_for() {
    each_workflow(|played| {
        if played.flow.stop.is_some() && !played.state().is_settled() {
            let actions = played.flow.clone().advance();
            assert!(actions.iter().all(|action| matches!(action, Action::Stop { .. })), "{actions:?}");
        }
    });
}

#[test]
fn every_session_comes_to_a_standstill_whatever_its_steps_come_to() {
    each_workflow(|played| {
        for verdict in [Approval::Approved, Approval::Rejected] {
            let mut played = played.clone();
            for _ in 0..40 {
                let Some(Running { path, attempt, waits, .. }) = played.flow.running().into_iter().next() else {
                    break;
                };
                let result = match verdict {
                    Approval::Approved => StepResult::success(""),
                    Approval::Rejected => StepResult::failure("no"),
                };
                if waits {
                    played.note(Fact::StepAnswered { path, attempt, verdict, message: None });
                } else {
                    played.note(Fact::StepEnded { path, attempt, result });
                }
                played.begun();
            }
            assert!(played.state().is_settled(), "{:?}", played.under_way());
        }
    });
}
