//! A workflow that has everything: agents in order and side by side, commands, a loop, an approval, a reviewed merge.
//!
//! The one rule: each step leaves a line in `$LOG` when it is done, so that it can be counted.

use crate::Agent;

/// Twelve steps, each of which leaves a line when it is done.
pub const WORKFLOW: &str = r#"
name: long-way
defaults: { adapter: worker, mode: headless }
steps:
  - { name: prepare, type: script, command: echo prepare >>"$LOG" }
  - { name: implement, type: agent, prompt: go, env: { STEP: implement } }
  - name: together
    type: parallel
    steps:
      - { name: left, type: agent, prompt: go, env: { STEP: left } }
      - { name: right, type: agent, prompt: go, env: { STEP: right } }
      - { name: beside, type: script, command: echo beside >>"$LOG" }
  - name: until-green
    type: loop
    max_iterations: 5
    steps:
      - name: tests
        type: script
        command: echo tests >>"$LOG"; test -e fixed
        on_fail: continue
        on_success: exit_loop
      - { name: fix, type: agent, prompt: go, env: { STEP: fix, TOUCH: fixed } }
  - { name: agree, type: approval, message: "Is it good?" }
  - { name: last, type: script, command: echo last >>"$LOG" }
  - { name: bring, type: merge, commit_message: What the long way brought }
"#;

/// Leaves its line and a file, and ends.
pub fn worker() -> Agent {
    Agent::new("echo \"$STEP\" >>\"$LOG\"\n: >\"by-$STEP\"\nif [ -n \"$TOUCH\" ]; then : >\"$TOUCH\"; fi")
}

/// What the steps leave, sorted.
pub const LINES: &[&str] = &["beside", "fix", "implement", "last", "left", "prepare", "right", "tests", "tests"];
