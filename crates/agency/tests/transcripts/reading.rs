//! `ls`, `show`, `logs`, `events`, `diff`, `why`.

use super::{Console, sees};

#[test]
fn ls() {
    let console = Console::new();
    sees!(console, ["ls"], @r"
    $ agency ls
    No runs. Start one with agency run, or see agency demo.
    ");
    console.finish("quick", "fix");
    sees!(console, ["ls"], @r"
    $ agency ls
    NAME  STATE  AGE  RUNNER  REPO  ID
    fix  completed  [duration]  quick  project  [run]
    ");
    sees!(console, ["ls", "--state", "sleeping"], @r"
    $ agency ls --state sleeping
    error: invalid value 'sleeping' for '--state <STATE>'
      [possible values: waiting, idle, paused, working, starting, stopping, queued, running, failed, stopped, killed, completed]

      tip: a similar value exists: 'stopping'

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["ls", "--repo", "nowhere"], @r"
    $ agency ls --repo nowhere
    No runs match --repo nowhere; without it there is 1 run.
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["ls"], @r"
    $ agency ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn show() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["show", "fix"], @r"
    $ agency show fix
    run  [run]
    name  fix
    state  completed
    exit code  0
    runner  quick, headless in detached
    repository  {world}/repos/project
    base  HEAD ([commit])
    made by  git
    branch  agency/[run]
    worktree  {world}/agency/worktrees/[hash]/[run]
    created  [time] ([duration])
    started  [time] ([duration])
    ended  [time] ([duration])
    directory  {world}/agency/runs/[run]
    changed  new.txt (added, +1 -0)
    ");
    sees!(console, ["show", "nothing"], @r"
    $ agency show nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    sees!(console, ["show"], @r"
    $ agency show
    error: the following required arguments were not provided:
      <RUN>...

    Usage: agency show <RUN>...

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn logs() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["logs", "fix"], @r"
    $ agency logs fix
    done
    ");
    sees!(console, ["logs", "--attempt", "7", "fix"], @r"
    $ agency logs --attempt 7 fix
    error [E_USAGE]: fix has no attempt 7
    hint: agency events shows its attempts
    [exit status: 2]
    ");
    sees!(console, ["logs", "nothing"], @r"
    $ agency logs nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn events() {
    let console = Console::new();
    console.finish("failing", "fix");
    sees!(console, ["events", "fix"], @r"
    $ agency events fix
      [n]  [time]  created as queued
      [n]  [time]  queued → running
      [n]  [time]  attempt 1: {world}/agents/failing started as process [pid]
      [n]  [time]  the process exited with code 3
      [n]  [time]  running → failed
      [n]  [time]  the run is failed (exited): E_RUN_FAILED: the agent exited with code 3
    ");
    sees!(console, ["events", "--since", "often", "fix"], @r"
    $ agency events --since often fix
    error: invalid value 'often' for '--since <N>': invalid digit found in string

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["events", "nothing"], @r"
    $ agency events nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn forecast() {
    let console = Console::new();
    console.finish("failing", "fix");
    sees!(console, ["forecast"], @r"
    $ agency forecast
    No work to land: every run with a worktree has landed, was removed, or changed nothing.
    ");
    sees!(console, ["forecast", "fix"], @r"
    $ agency forecast fix
    error [E_INVALID_STATE]: fix has no work to land: it changed nothing, or another run continues in its worktree
    hint: agency forecast shows the runs that have
    [exit status: 4]
    ");
    sees!(console, ["forecast", "nothing"], @r"
    $ agency forecast nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn diff() {
    let console = Console::new();
    console.finish("quick", "fix");
    sees!(console, ["diff", "fix"], @r"
    $ agency diff fix
    diff --git a/new.txt b/new.txt
    new file mode 100644
    index 0000000..3e75765
    --- /dev/null
    +++ b/new.txt
    @@ -0,0 +1 @@
    +new
    ");
    console.world.ok(&["rm", "fix"]);
    sees!(console, ["diff", "fix"], @r"
    $ agency diff fix
    error [E_INVALID_STATE]: fix was removed, and its worktree with it
    hint: agency restore fix brings back what was not committed; its commits are on its branch: git -C {world}/repos/project diff [commit] agency/[run]
    [exit status: 4]
    ");
    sees!(console, ["diff", "nothing"], @r"
    $ agency diff nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
}

#[test]
fn why() {
    let console = Console::new();
    console.finish("failing", "fix");
    sees!(console, ["why", "fix"], @r"
    $ agency why fix
    fix  failed
      last seen [activity], since [time] ([duration])
      because [evidence]
      ended: E_RUN_FAILED: the agent exited with code 3
    ");
    sees!(console, ["why", "nothing"], @r"
    $ agency why nothing
    error [E_RUN_NOT_FOUND]: no run matches 'nothing'
    hint: agency ls --all lists all runs
    [exit status: 3]
    ");
    sees!(console, ["why"], @r"
    $ agency why
    error: the following required arguments were not provided:
      <RUN>

    Usage: agency why <RUN>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn status() {
    let console = Console::new();
    sees!(console, ["status"], @r"
    $ agency status
    0 waiting, 0 running, 0 queued, 0 failed
    ");
    sees!(console, ["status", "--format", "html"], @r"
    $ agency status --format html
    error: invalid value 'html' for '--format <FORMAT>'
      [possible values: text, tmux, prompt, json]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["status", "now"], @r"
    $ agency status now
    error: unexpected argument 'now' found

    Usage: agency status [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn cost() {
    let console = Console::new();
    sees!(console, ["cost"], @r"
    $ agency cost
    No runs, so nothing was used.
    ");
    console.enter(&["run", "--prompt", "Fix it", "--wait"]);
    sees!(console, ["cost", "--by", "agent"], @r"
    $ agency cost --by agent
    AGENT  RUNS  INPUT  OUTPUT  CACHED  COST  14 DAYS
    quick  1  -  -  -  -
    total  1  -  -  -  -
    ");
    sees!(console, ["cost", "--by", "colour"], @r"
    $ agency cost --by colour
    error: invalid value 'colour' for '--by <BY>'
      [possible values: agent, repo, day, workflow]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["cost", "--since", "yesterday"], @r"
    $ agency cost --since yesterday
    error: invalid value 'yesterday' for '--since <TIME>': 'yesterday' is not a duration; write for example [duration], [duration], [duration], 7d or 2w

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn man() {
    let console = Console::new();
    sees!(console, ["man", "--dir", "pages"], @r"
    $ agency man --dir pages
    wrote the manual pages into pages
    ");
    sees!(console, ["man", "rnu"], @r"
    $ agency man rnu
    error [E_USAGE]: there is no command 'rnu'
    hint: did you mean run?
    [exit status: 2]
    ");
    sees!(console, ["man", "run", "--dir", "pages"], @r"
    $ agency man run --dir pages
    error: the argument '[COMMAND]...' cannot be used with '--dir <DIR>'

    Usage: agency man <COMMAND>...

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
