//! `agent` and its commands, `adapters`.

use super::{Console, sees};

#[test]
fn agent() {
    let console = Console::new();
    sees!(console, ["agent", "ls"], @r"
    $ agency agent ls
    No agents. Start one with agency agent spawn NAME.
    ");
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
    sees!(console, ["agent", "stop", "alice"], @r"
    $ agency agent stop alice
    alice is stopped
    ");
    sees!(console, ["agent", "stop", "bob"], @r"
    $ agency agent stop bob
    error [E_RUN_NOT_FOUND]: no agent is named 'bob'
    hint: agency agent ls lists all agents
    [exit status: 3]
    ");
    sees!(console, ["agent", "shutdown"], @r"
    $ agency agent shutdown
    stopping all agents; they have [duration], Ctrl-C twice kills them at once
    ");
}

#[test]
fn orphans() {
    let console = Console::new();
    sees!(console, ["agent", "orphans"], @r"
    $ agency agent orphans
    No orphans: every running agent has its supervisor.
    ");
    sees!(console, ["agent", "kill-orphan", "1"], @r"
    $ agency agent kill-orphan 1
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
}

#[test]
fn adapters() {
    let console = Console::new();
    sees!(console, ["adapters", "quick"], @r"
    $ agency adapters quick
    error: unexpected argument 'quick' found

    Usage: agency adapters [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
