//! What users do to a session.

use super::super::super::Approval;
use super::*;

const APPROVED: &str = concat!(
    "name: w\nsteps:\n- {name: a, type: agent, prompt: x}\n- {name: ok, type: approval, message: go?}\n",
    "- {name: bring-in, type: merge}\n",
);

fn answer(played: &mut Played, path: &str, verdict: Approval, message: Option<&str>) -> Recorded {
    let path = StepPath::new(path);
    let attempt = played.flow.attempts(&path);
    let message = message.map(str::to_owned);
    let recorded = played.note(Fact::StepAnswered { path, attempt, verdict, message });
    played.begun();
    recorded
}

// proves W10
#[test]
fn approvals_and_reviews_wait_for_an_answer() {
    let mut played = Played::begin(APPROVED);
    played.begun();
    assert_eq!(played.succeed("a"), ["ok"]);
    assert_eq!(played.state(), SessionState::Waiting);
    assert_eq!(answer(&mut played, "ok", Approval::Approved, Some("fine")), Recorded::Noted);
    assert_eq!(played.flow.result("ok").unwrap().summary, "fine");
    assert_eq!(played.state(), SessionState::PendingMerge);
    answer(&mut played, "bring-in", Approval::Approved, None);
    assert_eq!(played.state(), SessionState::Running);
    let merge = Action::Merge { path: StepPath::new("bring-in"), attempt: 1 };
    assert_eq!(played.go_on(), [merge]);
    played.succeed("bring-in");
    assert_eq!(played.state(), SessionState::Completed);
}

#[test]
fn a_rejection_blocks_with_its_words_and_the_first_answer_stands() {
    let mut played = Played::begin(APPROVED);
    played.begun();
    played.succeed("a");
    let path = StepPath::new("ok");
    let say =
        |verdict| Fact::StepAnswered { path: path.clone(), attempt: 1, verdict, message: Some("not yet".to_owned()) };
    assert_eq!(played.note(say(Approval::Rejected)), Recorded::Noted);
    assert_eq!(played.note(say(Approval::Approved)), Recorded::Stale);
    played.begun();
    assert_eq!(played.flow.reason(), Some("step `ok` failed: rejected: not yet"));
    // A merge without a review is done at once.
    let mut played = Played::begin("name: w\nsteps: [{name: m, type: merge, require_review: false}]");
    assert_eq!(played.begun(), ["m"]);
    assert!(matches!(played.go_on().as_slice(), [Action::Merge { .. }]));
}

// proves I6
#[test]
fn manual_completion() {
    let mut played = Played::begin(
        "id: w\nstages: [{id: one, tasks: [{id: a, adapter: x}, {id: b, adapter: x}]}, {id: two, tasks: [{id: c, adapter: x}]}]",
    );
    played.begun();
    played.succeed("one/a");
    played.note(Fact::CompletionAsked { path: StepPath::new("one/b") });
    assert_eq!(played.stops(), [("one/b".to_owned(), StopCause::CompletedByHand)]);
    assert_eq!(played.fail("one/b"), ["two/c"]);
    assert_eq!(played.flow.result("b").unwrap().status, StepStatus::Succeeded);
}

// proves I6
#[test]
fn invalid_manual_completion() {
    let mut played = Played::begin(APPROVED);
    played.begun();
    let ask = |played: &mut Played, path: &str| {
        played.flow.record(&Fact::CompletionAsked { path: StepPath::new(path) }).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(ask(&mut played, "nobody"), Err("the workflow has no step `nobody`".to_owned()));
    assert_eq!(ask(&mut played, "ok"), Err("the step `ok` is not begun, not under way".to_owned()));
    played.succeed("a");
    assert_eq!(ask(&mut played, "a"), Err("the step `a` is over, not under way".to_owned()));
}

#[test]
fn a_cancelled_session_stops_what_runs_and_begins_nothing() {
    let mut played = Played::begin(&scripts(&[("a", ""), ("b", "")]));
    played.begun();
    played.note(Fact::CancelAsked);
    assert_eq!(played.stops(), [("a".to_owned(), StopCause::Cancelled)]);
    assert!(played.fail("a").is_empty());
    assert_eq!(played.state(), SessionState::Cancelled);
    played.note(Fact::RetryAsked { from: None });
    assert_eq!(played.begun(), ["a"], "what was stopped is done again");
    // Nothing runs while the user is asked, so it ends at once.
    let mut played = Played::begin("name: w\nsteps: [{name: ok, type: approval}]");
    played.begun();
    played.note(Fact::CancelAsked);
    played.begun();
    assert_eq!(played.state(), SessionState::Cancelled);
}

#[test]
fn a_blocked_session_can_be_cancelled() {
    let mut played = Played::begin(&scripts(&[("a", "")]));
    played.begun();
    played.fail("a");
    played.note(Fact::CancelAsked);
    played.begun();
    assert_eq!(played.state(), SessionState::Cancelled);
    assert_eq!(played.note(Fact::CancelAsked), Recorded::Stale);
}

#[test]
fn retry_does_what_failed_again() {
    let mut played = Played::begin(&scripts(&[("a", ""), ("b", ""), ("c", "")]));
    played.begun();
    played.succeed("a");
    played.fail("b");
    played.note(Fact::RetryAsked { from: None });
    assert_eq!(played.begun(), ["b"]);
    assert_eq!(played.flow.attempts(&StepPath::new("b")), 2);
    assert_eq!(played.succeed("b"), ["c"]);
}

#[test]
fn retry_from_a_step_does_everything_after_it_again() {
    let mut played = Played::begin(&scripts(&[("a", ""), ("b", ""), ("c", "")]));
    played.begun();
    let refused = played.flow.record(&Fact::RetryAsked { from: None }).unwrap_err();
    assert_eq!(refused.to_string(), "the session has not settled");
    played.succeed("a");
    played.fail("b");
    let refused = |played: &mut Played, from: &str| {
        played.flow.record(&Fact::RetryAsked { from: Some(from.to_owned()) }).unwrap_err().to_string()
    };
    assert_eq!(refused(&mut played, "c"), "`c` comes after `b`, which is not done");
    assert_eq!(refused(&mut played, "d"), "the workflow has no step `d`");
    played.note(Fact::RetryAsked { from: Some("a".to_owned()) });
    assert_eq!(played.begun(), ["a"]);
    assert_eq!(played.succeed("a"), ["b"]);
    assert_eq!(played.succeed("b"), ["c"]);
}

#[test]
fn retry_goes_on_inside_loops_and_stages() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: l\n  type: loop\n  max_iterations: 2\n  steps:\n  - {name: a, type: script, command: x}\n",
        "  - name: p\n    type: parallel\n    steps:\n    - {name: b, type: script, command: x}\n    - {name: c, type: script, command: x}\n",
        "  - {name: d, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    played.begun();
    for path in ["l[1]/a", "l[1]/p/b", "l[1]/p/c", "l[1]/d", "l[2]/a", "l[2]/p/b"] {
        played.succeed(path);
    }
    played.fail("l[2]/p/c");
    assert_eq!(played.state(), SessionState::Blocked);
    let mut from_a = played.clone();
    played.note(Fact::RetryAsked { from: None });
    assert_eq!(played.begun(), ["l[2]/p/c"], "only what failed");
    assert_eq!(played.succeed("l[2]/p/c"), ["l[2]/d"]);
    played.succeed("l[2]/d");
    assert_eq!(played.state(), SessionState::Blocked, "it went round twice");
    played.note(Fact::RetryAsked { from: None });
    assert_eq!(played.begun(), ["l[1]/a"], "a loop that went round too often begins anew");
    from_a.note(Fact::RetryAsked { from: Some("a".to_owned()) });
    assert_eq!(from_a.begun(), ["l[2]/a"]);
    assert_eq!(from_a.succeed("l[2]/a"), ["l[2]/p/b", "l[2]/p/c"]);
}
