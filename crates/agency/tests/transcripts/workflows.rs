//! `init`, `workflow` and its commands.

use super::{Console, sees};

const FILE: &str = "name: check\nsteps:\n  - name: run-tests\n    type: script\n    command: echo tested\n";

#[test]
fn init() {
    let console = Console::new();
    sees!(console, ["init"], @r"
    $ agency init
    wrote .agency/workflows/implement-test-merge.yaml
    wrote .agency/workflows/parallel-review.yaml
    wrote .agency/spells/implement.md
    wrote .agency/spells/fix.md
    wrote .agency/spells/review.md
    wrote .agency/spells/house-style.md
    wrote .agency/system-prompt.md
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    ");
    sees!(console, ["init"], @r"
    $ agency init
    kept  .agency/workflows/implement-test-merge.yaml
    kept  .agency/workflows/parallel-review.yaml
    kept  .agency/spells/implement.md
    kept  .agency/spells/fix.md
    kept  .agency/spells/review.md
    kept  .agency/spells/house-style.md
    kept  .agency/system-prompt.md
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    ");
    sees!(console, ["init", "here"], @r"
    $ agency init here
    wrote .agency/workflows/implement-test-merge.yaml
    wrote .agency/workflows/parallel-review.yaml
    wrote .agency/spells/implement.md
    wrote .agency/spells/fix.md
    wrote .agency/spells/review.md
    wrote .agency/spells/house-style.md
    wrote .agency/system-prompt.md
    agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first
    ");
}

#[test]
fn workflow() {
    let console = Console::new();
    console.repo.write("check.yaml", FILE);
    console.repo.write("wrong.yaml", "name: wrong\nsteps:\n  - name: a\n    typ: script\n");
    console.repo.git(&["add", "."]);
    console.repo.git(&["commit", "-m", "workflows"]);
    sees!(console, ["workflow", "ls"], @r"
    $ agency workflow ls
    No sessions. Start one with agency workflow run FILE.
    ");
    sees!(console, ["workflow", "validate", "check.yaml"], @r"
    $ agency workflow validate check.yaml
    check.yaml: check, 1 step, nothing wrong
    ");
    sees!(console, ["workflow", "validate", "wrong.yaml"], @r"
    $ agency workflow validate wrong.yaml
    error [E_INVALID_WORKFLOW]: 1 problem

    wrong.yaml:3:5: a step needs `type`: one of `agent`, `script`, `loop`, `parallel`, `merge`, `approval`
      3 |  - name: a
        |  ^
    hint: agency schema workflow prints the shape of a workflow, for editors
    [exit status: 2]
    ");
    sees!(console, ["workflow", "run", "chek"], @r"
    $ agency workflow run chek
    error [E_INVALID_PATH]: there is no workflow `chek`, neither as a file nor in .agency/workflows, .coven/grimoires
    hint: name a file, or a workflow of .agency/workflows; agency init writes two to begin with
    [exit status: 5]
    ");
    sees!(console, ["workflow", "show", "nothing"], @r"
    $ agency workflow show nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "cancel", "nothing"], @r"
    $ agency workflow cancel nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
    sees!(console, ["workflow", "approve", "nothing"], @r"
    $ agency workflow approve nothing
    error [E_SESSION_NOT_FOUND]: no session matches 'nothing'
    hint: agency workflow ls lists all sessions
    [exit status: 3]
    ");
}
