//! Time, death and rubbish.

use super::*;

const GROUP: &str = concat!(
    "name: w\ntimeout: 2h\nsteps:\n- name: p\n  type: parallel\n  timeout: 10m\n  steps:\n",
    "  - {name: a, type: script, command: x, timeout: 1m}\n  - {name: b, type: agent, prompt: x}\n",
    "- {name: c, type: script, command: x}\n",
);

fn minutes(flow: &Flow) -> Vec<(String, u64)> {
    flow.limits().iter().map(|(path, limit)| (path.to_string(), limit.as_secs() / 60)).collect()
}

// proves I7, W10
#[test]
fn timeout_termination() {
    let mut played = Played::begin(GROUP);
    played.begun();
    assert_eq!(minutes(&played.flow), [("p".to_owned(), 10), ("p/a".to_owned(), 1), ("p/b".to_owned(), 15)]);
    played.note(Fact::StepTimedOut { path: StepPath::new("p/a") });
    assert_eq!(played.stops(), [("p/a".to_owned(), StopCause::StepTimeout)]);
    played.fail("p/a");
    assert_eq!(
        played.flow.result("a").unwrap().error.as_deref(),
        Some("it took longer than 1m, its `timeout` in w.yaml, line 8")
    );
    assert_eq!(played.under_way(), ["p/b"]);
    played.note(Fact::StepTimedOut { path: StepPath::new("p") });
    assert_eq!(played.stops(), [("p/b".to_owned(), StopCause::StepTimeout)]);
    played.fail("p/b");
    let error = played.flow.result("b").unwrap().error.as_deref();
    assert_eq!(error, Some("the parallel step `p` around it took longer than 10m, its `timeout` in w.yaml, line 6"));
    let reason = "step `p` failed: it took longer than 10m, its `timeout` in w.yaml, line 6";
    assert_eq!(played.flow.reason(), Some(reason));
    // Every driver, and every command that shows the session, reads the same reasons.
    let stored = played.history.iter().filter_map(|entry| {
        let Fact::StepEnded { path, result, .. } = &entry.fact else { return None };
        result.error.as_deref().filter(|_| path.as_str() == "p")
    });
    assert_eq!(stored.collect::<Vec<_>>(), ["it took longer than 10m, its `timeout` in w.yaml, line 6"]);
}

#[test]
fn a_session_that_takes_too_long_has_failed() {
    let mut played = Played::begin(GROUP);
    played.begun();
    played.succeed("p/b");
    played.note(Fact::SessionTimedOut);
    assert_eq!(played.stops(), [("p/a".to_owned(), StopCause::SessionTimeout)]);
    played.fail("p/a");
    assert_eq!(
        (played.state(), played.flow.reason()),
        (SessionState::Failed, Some("the workflow took longer than 2h, its `timeout` in w.yaml, line 2"))
    );
    played.note(Fact::RetryAsked { from: None });
    assert_eq!(played.begun(), ["p/a"], "what was done stays done");
}

#[test]
fn a_default_limit_says_that_it_is_one() {
    let mut played = Played::begin(&scripts(&[("a", ", on_fail: continue"), ("b", "")]));
    played.begun();
    played.note(Fact::StepTimedOut { path: StepPath::new("a") });
    played.fail("a");
    let error = played.flow.result("a").unwrap().error.as_deref();
    assert_eq!(error, Some("it took longer than 5m, the default of a script step; `timeout` in w.yaml sets another"));
    played.note(Fact::SessionTimedOut);
    played.fail("b");
    let reason = "the workflow took longer than 1h, the default of a workflow; `timeout` in w.yaml sets another";
    assert_eq!(played.flow.reason(), Some(reason));
}

#[test]
fn a_session_that_cannot_go_on_says_why() {
    let mut played = Played::begin(GROUP);
    played.note(Fact::SessionBroken { reason: "the repository is gone".to_owned() });
    played.begun();
    assert_eq!((played.state(), played.flow.reason()), (SessionState::Failed, Some("the repository is gone")));
}

#[test]
fn what_was_done_in_time_is_done() {
    let mut played = Played::begin(GROUP);
    played.begun();
    played.note(Fact::StepTimedOut { path: StepPath::new("p/a") });
    played.succeed("p/a");
    assert_eq!(played.flow.result("a").unwrap().status, StepStatus::Succeeded);
}

#[test]
fn a_step_whose_driver_died_is_done_again() {
    let mut played = Played::begin(&scripts(&[("a", ""), ("b", "")]));
    played.begun();
    played.note(Fact::StepInterrupted { path: StepPath::new("a"), attempt: 1 });
    assert_eq!(played.begun(), ["a"]);
    let late = Fact::StepEnded { path: StepPath::new("a"), attempt: 1, result: StepResult::success("late") };
    assert_eq!(played.note(late), Recorded::Stale);
    assert_eq!(played.succeed("a"), ["b"]);
}

// proves W9
#[test]
fn resume_capability() {
    let mut played = Played::begin(GROUP);
    played.begun();
    played.succeed("p/a");
    let plan = Arc::clone(&played.flow.plan);
    let stored = serde_json::to_string(&played.history).unwrap();
    let history: Vec<HistoryEntry> = serde_json::from_str(&stored).unwrap();
    let mut again = Flow::replay(Arc::clone(&plan), &history).unwrap();
    assert_eq!(again.running(), played.flow.running());
    assert!(again.advance().is_empty(), "the agent is found again, not begun again");
    assert_eq!(next(plan, &history).unwrap(), []);
}

#[test]
fn a_history_that_is_not_whole_or_of_another_plan_is_refused() {
    let mut played = Played::begin(GROUP);
    played.begun();
    let plan = Arc::clone(&played.flow.plan);
    let mut gap = played.history.clone();
    gap.remove(1);
    assert_eq!(Flow::replay(plan, &gap).unwrap_err(), HistoryError::OutOfOrder { found: 3, expected: 2 });
    let other = parse_workflow("o.yaml", scripts(&[("x", "")]).as_bytes()).unwrap();
    let refused = Flow::replay(Arc::new(other), &played.history).unwrap_err().to_string();
    assert_eq!(refused, "fact 2: the workflow has no step `p`");
    let unbegun = &played.history[1..2];
    let mut unbegun = unbegun.to_vec();
    unbegun[0].seq = 1;
    assert!(Flow::replay(Arc::clone(&played.flow.plan), &unbegun).is_err());
}

#[test]
fn a_thousand_steps_are_decided_one_by_one_without_looking_at_all() {
    let names: Vec<String> = (0..1000).map(|number| format!("s{number}")).collect();
    let steps: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let mut played = Played::begin(&scripts(&steps));
    played.begun();
    for (number, name) in names.iter().enumerate() {
        // What has ended is behind the first open step, and is not checked again.
        assert_eq!(played.flow.first_open, number);
        played.succeed(name);
    }
    assert_eq!(played.state(), SessionState::Completed);
}
