//! What templates can name at each step.

use serde_json::Value;

use super::*;

fn value(played: &Played, path: &str, pointer: &str) -> Value {
    let values = Value::Object(played.flow.values(&StepPath::new(path)));
    values.pointer(pointer).cloned().unwrap_or_else(|| panic!("{pointer} in {values:#}"))
}

// proves W8
#[test]
fn agent_step_captures_output() {
    let mut played = Played::begin(
        "name: w\nsteps:\n- {name: run-it, type: agent, prompt: x, output: found}\n- {name: b, type: script, command: x}\n",
    );
    played.begun();
    let outputs = serde_json::json!({ "key": [1, 2] });
    let outputs = outputs.as_object().cloned().unwrap_or_default();
    played.end("run-it", StepResult { outputs, ..StepResult::success("did it") });
    played.begun();
    for name in ["run-it", "run_it", "found", "previous"] {
        assert_eq!(value(&played, "b", &format!("/{name}/outputs/key/1")), 2, "{name}");
        assert_eq!(value(&played, "b", &format!("/{name}/success")), true);
    }
}

// proves W8
#[test]
fn agent_step_failure() {
    let mut played = Played::begin(&scripts(&[("a", ", on_fail: continue"), ("b", "")]));
    played.begun();
    assert_eq!(value(&played, "a", "/previous/failed"), false);
    assert_eq!(value(&played, "a", "/previous/success"), true);
    played.fail("a");
    assert_eq!(value(&played, "b", "/previous/failed"), true);
    assert_eq!(value(&played, "b", "/previous/success"), false);
}

// proves W6
#[test]
fn previous_step_output_in_spell() {
    let mut played = Played::begin(&scripts(&[("a", ", output: test_output"), ("b", "")]));
    played.begun();
    played.end("a", StepResult::success("").with_output("3 passed\n"));
    assert_eq!(value(&played, "b", "/test_output"), "3 passed\n");
    assert_eq!(value(&played, "b", "/a/output"), "3 passed\n");
}

// proves W9
#[test]
fn goal_persistence() {
    let mut played = Played::begin(&format!("goal: Ship it\n{}", scripts(&[("a", ""), ("b", "")])));
    played.begun();
    played.succeed("a");
    for path in ["a", "b"] {
        assert_eq!(value(&played, path, "/goal"), "Ship it");
        assert_eq!(value(&played, path, "/session"), "s_1");
        assert_eq!(value(&played, path, "/task/title"), value(&played, path, "/bead/title"));
    }
}

#[test]
fn loops_know_their_round_and_what_was_before_them() {
    let yaml = concat!(
        "name: w\nsteps:\n- {name: build, type: script, command: x}\n- name: my-loop\n  type: loop\n  steps:\n",
        "  - {name: test, type: script, command: x, on_fail: continue, on_success: exit_loop}\n",
        "  - {name: fix, type: script, command: x}\n- {name: after, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    played.begun();
    played.succeed("build");
    assert_eq!(value(&played, "my-loop[1]/test", "/my_loop/iteration"), 1);
    assert_eq!(value(&played, "my-loop[1]/test", "/previous/summary"), "build is done");
    played.fail("my-loop[1]/test");
    assert_eq!(value(&played, "my-loop[1]/fix", "/previous/failed"), true);
    played.succeed("my-loop[1]/fix");
    let test = "my-loop[2]/test";
    assert_eq!(value(&played, test, "/my-loop/iteration"), 2);
    assert_eq!(value(&played, test, "/previous/summary"), "my-loop[1]/fix is done");
    assert_eq!(value(&played, test, "/loop_entry/summary"), "build is done");
    played.succeed(test);
    assert_eq!(value(&played, "after", "/my_loop/iteration"), 2);
    assert_eq!(value(&played, "after", "/previous/summary"), "ended in iteration 2");
}

#[test]
fn tasks_of_a_stage_have_the_same_step_before_them() {
    let mut played = Played::begin(
        "id: w\nstages: [{id: one, tasks: [{id: a, adapter: x}]}, {id: two, tasks: [{id: b, adapter: x}, {id: c, adapter: x}]}]",
    );
    played.begun();
    played.succeed("one/a");
    played.fail("two/b");
    assert_eq!(value(&played, "two/c", "/previous/failed"), false);
}

#[test]
fn steps_that_never_have_their_turn_can_be_named() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: l\n  type: loop\n  steps:\n",
        "  - {name: test, type: script, command: x, on_success: exit_loop}\n",
        "  - {name: fix-it, type: agent, prompt: x, output: fixed}\n",
        "  - {name: note, type: script, command: x, output: said}\n",
        "- {name: seldom, type: script, command: x, when: 'false', output: rare}\n- {name: after, type: script, command: x}\n",
    );
    let mut played = Played::begin(yaml);
    played.begun();
    assert_eq!(value(&played, "l[1]/test", "/fix_it/skipped"), true);
    assert_eq!(value(&played, "l[1]/test", "/said"), "");
    played.succeed("l[1]/test");
    for name in ["fix-it", "fixed", "seldom"] {
        assert_eq!(value(&played, "after", &format!("/{name}/skipped")), true);
    }
    assert_eq!(value(&played, "after", "/rare"), "");
}

#[test]
fn a_parallel_step_and_a_stage_have_a_result_of_their_own() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: l\n  type: loop\n  steps:\n",
        "  - name: two-at-once\n    type: parallel\n    on_fail: continue\n    steps:\n",
        "    - {name: a, type: script, command: x}\n    - {name: b, type: script, command: x}\n",
        "  - {name: after, type: script, command: x, when: '{{.two_at_once.success}}', on_success: exit_loop}\n",
    );
    let mut played = Played::begin(yaml);
    played.begun();
    played.succeed("l[1]/two-at-once/a");
    assert_eq!(played.fail("l[1]/two-at-once/b"), ["l[2]/two-at-once/a", "l[2]/two-at-once/b"]);
    assert_eq!(value(&played, "l[2]/two-at-once/a", "/two-at-once/failed"), true);
    assert_eq!(value(&played, "l[2]/two-at-once/a", "/previous/status"), "failed");
    played.succeed("l[2]/two-at-once/a");
    assert_eq!(played.succeed("l[2]/two-at-once/b"), ["l[2]/after"], "the second round has another result");
    assert_eq!(value(&played, "l[2]/after", "/two_at_once/success"), true);
    assert_eq!(value(&played, "l[2]/after", "/previous/success"), true);
    let stages = "id: w\nstages: [{id: one, tasks: [{id: a, adapter: x}]}, {id: same, tasks: [{id: same, adapter: x}]}, {id: last, tasks: [{id: b, adapter: x}]}]";
    let mut played = Played::begin(stages);
    played.begun();
    played.succeed("one/a");
    assert_eq!(value(&played, "same/same", "/one/success"), true);
    played.succeed("same/same");
    assert_eq!(value(&played, "last/b", "/same/summary"), "same/same is done", "the task of that name, not the stage");
}
