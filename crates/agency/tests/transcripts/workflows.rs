//! `workflow validate`, `workflow render`, `workflow run`.

use super::{Console, sees};

const SCRIPT: &str = "name: check\nsteps:\n  - name: run-tests\n    type: script\n    command: echo tested\n";
const AGENT: &str = "name: fix\nsteps:\n  - { name: fix, type: agent, adapter: quick, mode: headless, prompt: 'Fix {{.task.title}}' }\n";
const WRONG: &str = "name: wrong\nsteps:\n  - name: a\n    typ: script\n";
const FAILING: &str = "name: failing\nsteps:\n  - { name: run-tests, type: script, command: exit 3 }\n";

fn console() -> Console {
    let console = Console::new();
    for (name, text) in [("check.yaml", SCRIPT), ("fix.yaml", AGENT), ("wrong.yaml", WRONG), ("failing.yaml", FAILING)]
    {
        console.repo.write(name, text);
    }
    console.repo.git(&["add", "."]);
    console.repo.git(&["commit", "-m", "workflows"]);
    console
}

#[test]
fn validate() {
    let console = console();
    sees!(console, ["workflow", "validate", "check.yaml"], @r"
    $ agency workflow validate check.yaml
    check.yaml: check, 1 step, no mistakes
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
    sees!(console, ["workflow", "validate", "chek"], @r"
    $ agency workflow validate chek
    error [E_INVALID_PATH]: there is no workflow `chek`, neither as a file nor in .agency/workflows, .coven/grimoires
    hint: name a file, or a workflow of .agency/workflows; agency init writes two to begin with
    [exit status: 5]
    ");
}

#[test]
fn render() {
    let console = console();
    sees!(console, ["workflow", "render", "fix.yaml", "--step", "fix", "--title", "the login"], @r"
    $ agency workflow render fix.yaml --step fix --title the login
    Fix the login
    ");
    sees!(console, ["workflow", "render", "fix.yaml", "--step", "fxi"], @r"
    $ agency workflow render fix.yaml --step fxi
    error [E_USAGE]: the workflow `fix` has no step `fxi`
    hint: did you mean fix?
    [exit status: 2]
    ");
    sees!(console, ["workflow", "render", "fix.yaml"], @r"
    $ agency workflow render fix.yaml
    error: the following required arguments were not provided:
      --step <NAME>

    Usage: agency workflow render --step <NAME> <FILE>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn run() {
    let console = console();
    sees!(console, ["workflow", "run", "check.yaml"], @r"
    $ agency workflow run check.yaml
    [session] began; Ctrl-C leaves it running
    [time] the session began
    [time] run-tests: started
    [time] run-tests: done
    [time] the session is completed

    [session]  check  completed
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    run-tests  done  1  [duration]
    ");
    sees!(console, ["workflow", "run", "failing.yaml"], @r"
    $ agency workflow run failing.yaml
    [session] began; Ctrl-C leaves it running
    [time] the session began
    [time] run-tests: started
    [time] run-tests: failed: exit code 3
    [time] the session is blocked: step `run-tests` failed: exit code 3

    [session]  failing  blocked
      why  step `run-tests` failed: exit code 3
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      driver  [run]

    STEP  STATE  TIMES  TOOK  COST  RUN  WHAT
    run-tests  failed  1  [duration]  exit code 3
    [exit status: 1]
    ");
    sees!(console, ["workflow", "run", "chek"], @r"
    $ agency workflow run chek
    error [E_INVALID_PATH]: there is no workflow `chek`, neither as a file nor in .agency/workflows, .coven/grimoires
    hint: name a file, or a workflow of .agency/workflows; agency init writes two to begin with
    [exit status: 5]
    ");
    sees!(console, ["workflow", "run", "wrong.yaml"], @r"
    $ agency workflow run wrong.yaml
    error [E_INVALID_WORKFLOW]: 1 problem

    wrong.yaml:3:5: a step needs `type`: one of `agent`, `script`, `loop`, `parallel`, `merge`, `approval`
      3 |  - name: a
        |  ^
    hint: agency schema workflow prints the shape of a workflow, for editors
    [exit status: 2]
    ");
}
