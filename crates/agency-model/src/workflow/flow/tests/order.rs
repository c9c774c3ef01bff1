//! What comes after what.

use super::*;

const TEST_FIX: &str = concat!(
    "name: w\nsteps:\n- {name: build, type: script, command: x}\n",
    "- name: test-fix\n  type: loop\n  max_iterations: 3\n  steps:\n",
    "  - {name: test, type: script, command: x, on_fail: continue, on_success: exit_loop}\n",
    "  - {name: fix, type: agent, prompt: x}\n",
    "- {name: after, type: script, command: x}\n",
);

#[test]
fn steps_come_one_after_the_other() {
    let mut played = Played::begin(&scripts(&[("a", ""), ("b", ""), ("c", "")]));
    assert_eq!(played.begun(), ["a"]);
    assert_eq!(played.succeed("a"), ["b"]);
    assert_eq!(played.succeed("b"), ["c"]);
    assert_eq!(played.state(), SessionState::Running);
    assert!(played.succeed("c").is_empty());
    assert_eq!((played.state(), played.flow.reason()), (SessionState::Completed, None));
}

// proves W2
#[test]
fn stage_based_pipeline() {
    let mut played = Played::begin(
        "id: w\nstages: [{id: one, tasks: [{id: a, adapter: x}, {id: b, adapter: x}]}, {id: two, tasks: [{id: c, adapter: x}]}]",
    );
    assert_eq!(played.begun(), ["one/a", "one/b"]);
    assert!(played.succeed("one/b").is_empty());
    assert_eq!(played.succeed("one/a"), ["two/c"]);
    played.succeed("two/c");
    assert_eq!(played.state(), SessionState::Completed);
}

// proves W10
#[test]
fn a_failure_blocks_unless_it_may_continue() {
    let mut played = Played::begin(&scripts(&[("a", ", on_fail: continue"), ("b", ""), ("c", "")]));
    played.begun();
    assert_eq!(played.fail("a"), ["b"]);
    assert!(played.fail("b").is_empty());
    assert_eq!(played.state(), SessionState::Blocked);
    assert_eq!(played.flow.reason(), Some("step `b` failed: it broke"));
}

// proves W10
#[test]
fn a_loop_goes_round_until_a_step_ends_it() {
    let mut played = Played::begin(TEST_FIX);
    played.begun();
    assert_eq!(played.succeed("build"), ["test-fix[1]/test"]);
    assert_eq!(played.fail("test-fix[1]/test"), ["test-fix[1]/fix"]);
    assert_eq!(played.succeed("test-fix[1]/fix"), ["test-fix[2]/test"]);
    assert_eq!(played.succeed("test-fix[2]/test"), ["after"]);
    let result = played.flow.result("test-fix").unwrap();
    assert_eq!((result.status, result.iteration), (StepStatus::Succeeded, Some(2)));
    played.succeed("after");
    assert_eq!(played.state(), SessionState::Completed);
}

// proves W10
#[test]
fn a_loop_that_nothing_ends_blocks_or_continues() {
    for (word, state) in [("block", SessionState::Blocked), ("continue", SessionState::Running)] {
        let yaml = TEST_FIX.replace("max_iterations: 3", &format!("max_iterations: 2\n  on_max_iterations: {word}"));
        let mut played = Played::begin(&yaml);
        played.begun();
        played.succeed("build");
        for round in 1..=2 {
            played.fail(&format!("test-fix[{round}]/test"));
            played.succeed(&format!("test-fix[{round}]/fix"));
        }
        assert_eq!(played.state(), state, "{word}");
    }
}

// proves W10
#[test]
fn when_decides_whether_a_step_is_done() {
    let mut played = Played::begin(&scripts(&[
        ("a", ", on_fail: continue"),
        ("b", ", when: '{{.previous.failed}}'"),
        ("c", ", when: '{{.a.success}}'"),
        ("d", ", when: 'no'"),
        ("e", ", when: '{{if .b.skipped}}yes{{end}}'"),
    ]));
    played.begun();
    assert_eq!(played.fail("a"), ["b"]);
    assert!(played.succeed("b").is_empty());
    assert_eq!(played.state(), SessionState::Completed);
    assert_eq!(played.flow.result("c").unwrap().status, StepStatus::Skipped);
    assert_eq!(played.flow.result("e").unwrap().status, StepStatus::Skipped);
}

#[test]
fn a_condition_that_cannot_be_rendered_fails_its_step() {
    let mut played = Played::begin(&scripts(&[("a", ", when: '{{.nobody.knows}}'"), ("b", "")]));
    assert!(played.begun().is_empty());
    assert_eq!(played.state(), SessionState::Blocked);
    let reason = played.flow.reason().unwrap_or_default();
    assert_eq!(reason, "step `a` failed: `when`: w.yaml:3:48: there is no `nobody` in `{{.nobody.knows}}`");
}

#[test]
fn so_many_at_once_and_no_more() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: p\n  type: parallel\n  max_parallel: 2\n  steps:\n",
        "  - {name: a, type: script, command: x}\n  - {name: b, type: script, command: x, when: 'false'}\n",
        "  - {name: c, type: script, command: x}\n  - {name: d, type: script, command: x}\n  - {name: e, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    assert_eq!(played.begun(), ["p/a", "p/c"]);
    assert_eq!(played.fail("p/c"), ["p/d"]);
    assert_eq!(played.succeed("p/d"), ["p/e"]);
    played.succeed("p/a");
    assert!(played.succeed("p/e").is_empty());
    assert_eq!(played.state(), SessionState::Blocked);
    assert_eq!(played.flow.reason(), Some("step `p` failed: `c` failed: it broke"));
}

#[test]
fn a_failure_stops_the_others_where_it_should() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: p\n  type: parallel\n  max_parallel: 2\n  fail_fast: true\n  steps:\n",
        "  - {name: a, type: script, command: x}\n  - {name: b, type: script, command: x}\n  - {name: c, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    played.begun();
    played.end("p/a", StepResult::failure("it broke"));
    assert_eq!(played.stops(), [("p/b".to_owned(), StopCause::FailFast)]);
    assert_eq!(played.stops(), [("p/b".to_owned(), StopCause::FailFast)], "told until it is done");
    played.fail("p/b");
    assert_eq!(played.state(), SessionState::Blocked);
    assert_eq!(played.flow.result("b").unwrap().error.as_deref(), Some("stopped, since a step beside it failed"));
    assert_eq!(played.flow.attempts(&StepPath::new("p/c")), 0);
}

#[test]
fn loops_in_loops_and_parallel_steps_in_loops_have_their_own_exits() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: outer\n  type: loop\n  steps:\n",
        "  - name: inner\n    type: loop\n    steps:\n",
        "    - {name: once, type: script, command: x, on_success: exit_loop}\n",
        "  - name: both\n    type: parallel\n    steps:\n",
        "    - {name: left, type: script, command: x, on_success: exit_loop, on_fail: continue}\n",
        "    - {name: right, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    assert_eq!(played.begun(), ["outer[1]/inner[1]/once"]);
    assert_eq!(played.succeed("outer[1]/inner[1]/once"), ["outer[1]/both/left", "outer[1]/both/right"]);
    played.fail("outer[1]/both/left");
    assert_eq!(played.succeed("outer[1]/both/right"), ["outer[2]/inner[1]/once"]);
    played.succeed("outer[2]/inner[1]/once");
    played.succeed("outer[2]/both/left");
    played.succeed("outer[2]/both/right");
    assert_eq!(played.state(), SessionState::Completed);
}
