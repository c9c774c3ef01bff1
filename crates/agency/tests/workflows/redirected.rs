//! A worktree whose `.git` an agent changed leads no step to another repository.

use super::fixture::{LIMIT, Place};
use agency_testkit::wait_for;

const TEXT: &str = r#"
name: redirected
defaults: { adapter: worker, mode: headless }
steps:
  - { name: first, type: script, command: 'echo one > one.txt; git add one.txt; git commit -qm one; printf "gitdir: %s/.git\n" "$FLAGS/repos/other" > .git' }
  - { name: second, type: agent, prompt: look, workspace: own }
"#;

#[test]
fn a_step_with_a_worktree_of_its_own_begins_with_the_commit_of_the_recorded_repository() {
    let place = Place::new().with_agent("worker", "ls >>\"$LOG\"; echo seen >>\"$LOG\"");
    place.world.repo("other");
    let session = place.begin(TEXT, &[]);
    wait_for("the agent has looked, or the session is over", LIMIT, || {
        let over = ["failed", "blocked", "completed"].iter().any(|state| place.shown(&session)["state"] == *state);
        (over || place.lines().contains(&"seen".to_owned())).then_some(())
    });
    let lines = place.lines();
    assert!(lines.contains(&"one.txt".to_owned()), "{lines:?}: {:#}", place.shown(&session));
}
