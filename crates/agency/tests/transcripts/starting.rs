//! `run`, `wait`, `stop`, `resume`.

use super::{Console, sees};

#[test]
fn run() {
    let console = Console::new();
    sees!(console, ["run", "--mode", "headless", "--prompt", "Do it", "--name", "fix"], @r"
    $ agency run --mode headless --prompt Do it --name fix
    fix  running
      id  [run]
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      view  agency attach fix  agency logs -f fix
    ");
    sees!(console, ["run", "--mode", "headless", "--prompt", "Do it", "--dry-run"], @r#"
    $ agency run --mode headless --prompt Do it --dry-run
    {
      "repo": "{world}/repos/project",
      "base_ref": "HEAD",
      "runner": {
        "kind": "quick",
        "args": []
      },
      "prompt": {
        "path": "./.agency/prompt.md"
      },
      "inputs": [],
      "limits": {
        "unknown_minutes": 3
      },
      "mode": "headless",
      "host": "detached",
      "workspace": "worktree",
      "vcs": "git",
      "restart": "never",
      "one_shot": false
    }

    Would create:
      name  do-it
      run  [run] in {world}/agency/runs/[run]
      branch  agency/[run] at [commit]
      worktree  {world}/agency/worktrees/[hash]/[run]
      session  none
      program  {world}/agents/quick
    "#);
    sees!(console, ["run", "--mode", "headless"], @r#"
    $ agency run --mode headless
    error [E_INVALID_SPEC]: No prompt: use agency run "TEXT", --prompt TEXT, --prompt-file FILE, --edit, or - for standard input
    hint: agency run --help shows examples
    [exit status: 2]
    "#);
    sees!(console, ["run", "--runner", "quik", "--prompt", "Do it"], @r"
    $ agency run --runner quik --prompt Do it
    error [E_RUNNER_NOT_CONFIGURED]: no agent is named 'quik'
    hint: did you mean quick? configured are asking, chatty, claude-code, codex, cursor, failing, gemini, opencode, quick, scripted, waiting; add [agents.quik] to the configuration
    [exit status: 6]
    ");
}

#[test]
fn wait() {
    let console = Console::new();
    console.start("quick", "fix");
    sees!(console, ["wait", "fix"], @r"
    $ agency wait fix
    fix is completed
    ");
    console.start("failing", "broken");
    sees!(console, ["wait", "broken"], @r"
    $ agency wait broken
    broken is failed (E_RUN_FAILED: the agent exited with code 3)
    [exit status: 3]
    ");
    sees!(console, ["wait", "nothing"], @r"
    $ agency wait nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn stop() {
    let console = Console::new();
    console.start("waiting", "fix");
    sees!(console, ["stop", "fix"], @r"
    $ agency stop fix
    fix is killed
    ");
    sees!(console, ["stop", "fix"], @r"
    $ agency stop fix
    error [E_INVALID_STATE]: fix is killed; only a run that is queued or running can be stopped
    hint: agency show fix shows its state
    [exit status: 4]
    ");
    sees!(console, ["stop", "nothing"], @r"
    $ agency stop nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn resume() {
    let console = Console::new();
    console.start("chatty", "fix");
    console.world.ok(&["stop", "fix"]);
    sees!(console, ["resume", "fix", "--prompt", "Now the tests", "--name", "tests"], @r"
    $ agency resume fix --prompt Now the tests --name tests
    tests  running
      id  [run]
      branch  agency/[run]
      directory {world}/agency/worktrees/[hash]/[run]
      view  agency attach tests  agency logs -f tests
    ");
    sees!(console, ["resume", "tests", "--prompt", "More"], @r"
    $ agency resume tests --prompt More
    error [E_INVALID_STATE]: tests is running
    hint: send it a message with agency send, or stop it first
    [exit status: 4]
    ");
    sees!(console, ["resume", "fix"], @r"
    $ agency resume fix
    error [E_INVALID_STATE]: tests is at work in the same workspace
    hint: wait for it, or stop it first
    [exit status: 4]
    ");
    console.world.ok(&["stop", "tests"]);
}
