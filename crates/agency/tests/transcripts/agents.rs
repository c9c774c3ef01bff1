//! `agent` and its commands.

use super::{Console, sees};

#[test]
fn spawn() {
    let console = Console::new();
    sees!(console, ["agent", "spawn", "alice", "--runner", "chatty"], @r#"
    $ agency agent spawn alice --runner chatty
    alice is [activity]  [run]
      directory {world}/agency/worktrees/[hash]/[run]
      message  agency send alice "…"  agency events -f alice
    "#);
    sees!(console, ["agent", "spawn", "alice", "--runner", "chatty"], @r"
    $ agency agent spawn alice --runner chatty
    error [E_AGENT_EXISTS]: an agent named 'alice' is running: [run]
    hint: agency send alice talks to it; agency agent stop alice ends it
    [exit status: 4]
    ");
    sees!(console, ["agent", "spawn", "bob", "--runner", "chaty"], @r"
    $ agency agent spawn bob --runner chaty
    error [E_RUNNER_NOT_CONFIGURED]: no agent is named 'chaty'
    hint: did you mean chatty? configured are asking, chatty, claude-code, codex, cursor, failing, gemini, opencode, quick, scripted, waiting; add [agents.chaty] to the configuration
    [exit status: 6]
    ");
}

#[test]
fn ls_and_show() {
    let console = Console::new();
    sees!(console, ["agent", "ls"], @r"
    $ agency agent ls
    No agents. Start one with agency agent spawn NAME.
    ");
    console.enter(&["agent", "spawn", "alice", "--runner", "chatty"]);
    sees!(console, ["agent", "ls"], @r"
    $ agency agent ls
    NAME  STATE  ACTIVITY  AGENT  ATTEMPT  AGE  DIRECTORY
    alice  [activity]  [activity]  chatty  1  [duration]  {world}/agency/worktrees/[hash]/[run]
    ");
    sees!(console, ["agent", "show", "alice"], @r"
    $ agency agent show alice
    alice is [activity]
    run  [run]
    name  alice
    state  running ([status])
    runner  chatty, headless in detached
    repository  {world}/repos/project
    base  HEAD ([commit])
    made by  git
    branch  agency/[run]
    worktree  {world}/agency/worktrees/[hash]/[run]
    created  [time] ([duration])
    started  [time] ([duration])
    activity  [activity]
    directory  {world}/agency/runs/[run]
    ");
    sees!(console, ["agent", "show", "bob"], @r"
    $ agency agent show bob
    error [E_RUN_NOT_FOUND]: no agent is named 'bob'
    hint: agency agent ls lists all agents
    [exit status: 3]
    ");
    sees!(console, ["agent", "show"], @r"
    $ agency agent show
    error: the following required arguments were not provided:
      <NAME>

    Usage: agency agent show <NAME>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["agent", "ls", "alice"], @r"
    $ agency agent ls alice
    error: unexpected argument 'alice' found

    Usage: agency agent ls [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["agent", "ls"], @r"
    $ agency agent ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn restart_and_stop() {
    let console = Console::new();
    console.enter(&["agent", "spawn", "alice", "--runner", "chatty"]);
    sees!(console, ["agent", "stop", "alice"], @r"
    $ agency agent stop alice
    alice is stopped
    ");
    sees!(console, ["agent", "stop", "alice"], @r"
    $ agency agent stop alice
    error [E_INVALID_STATE]: alice is killed; only a run that is queued or running can be stopped
    hint: agency show alice shows its state
    [exit status: 4]
    ");
    sees!(console, ["agent", "stop", "bob"], @r"
    $ agency agent stop bob
    error [E_RUN_NOT_FOUND]: no agent is named 'bob'
    hint: agency agent ls lists all agents
    [exit status: 3]
    ");
    sees!(console, ["agent", "restart", "alice"], @r"
    $ agency agent restart alice
    alice is [activity]  [run]
    ");
    sees!(console, ["agent", "restart", "bob"], @r"
    $ agency agent restart bob
    error [E_RUN_NOT_FOUND]: no agent is named 'bob'
    hint: agency agent ls lists all agents
    [exit status: 3]
    ");
    sees!(console, ["agent", "restart"], @r"
    $ agency agent restart
    error: the following required arguments were not provided:
      <NAME>

    Usage: agency agent restart <NAME>

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn shutdown() {
    let console = Console::new();
    console.enter(&["agent", "spawn", "alice", "--runner", "chatty"]);
    sees!(console, ["agent", "shutdown"], @r"
    $ agency agent shutdown
    stopping all agents; they have [duration], Ctrl-C twice kills them at once
    alice is stopped
    ");
    sees!(console, ["agent", "shutdown"], @r"
    $ agency agent shutdown
    stopping all agents; they have [duration], Ctrl-C twice kills them at once
    ");
    sees!(console, ["agent", "shutdown", "alice"], @r"
    $ agency agent shutdown alice
    error: unexpected argument 'alice' found

    Usage: agency agent shutdown [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["agent", "shutdown"], @r"
    $ agency agent shutdown
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn orphans() {
    let console = Console::new();
    // An agent of one process, which waits in a system call.
    console.world.agent("blocked", r#"mkfifo "$0.fifo"; echo ready; read line <"$0.fifo""#);
    sees!(console, ["agent", "orphans"], @r"
    $ agency agent orphans
    No orphans: every running agent has its supervisor.
    ");
    let run = console.world.begin(&console.repo, "blocked", &["--host", "detached", "--mode", "headless"]);
    run.wait_for_output("ready");
    run.kill_supervisor();
    let pid = run.agent().as_raw_nonzero().to_string();
    sees!(console, ["agent", "orphans"], @r"
    $ agency agent orphans
    [pid]  /bin/sh {world}/agents/blocked do it
      run  [run] (do-it), failed
      doing  [activity]; started [duration], [duration] of CPU used
      others  0 more of the run
      workspace  {world}/agency/worktrees/[hash]/[run]
      kill  agency agent kill-orphan [pid]
    ");
    sees!(console, ["agent", "kill-orphan", &pid], @r"
    $ agency agent kill-orphan [pid]
    ended process [pid]; [run] is failed
    ");
    sees!(console, ["agent", "kill-orphan", "1"], @r"
    $ agency agent kill-orphan [pid]
    error [E_NOT_AN_ORPHAN]: process [pid] is not an orphan: nothing proves that it belongs to a run
    hint: agency agent orphans lists them
    [exit status: 3]
    ");
    sees!(console, ["agent", "kill-orphan", "alice"], @r"
    $ agency agent kill-orphan alice
    error: invalid value 'alice' for '<PID>': invalid digit found in string

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    sees!(console, ["agent", "orphans", "all"], @r"
    $ agency agent orphans all
    error: unexpected argument 'all' found

    Usage: agency agent orphans [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    console.world.set("max_agents", "many");
    sees!(console, ["agent", "orphans"], @r"
    $ agency agent orphans
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}
