//! `doctor`, `serve`, `demo`, and the program itself.

use super::{Console, sees};

#[test]
fn doctor() {
    let console = Console::new();
    sees!(console, ["doctor", "everything"], @r"
    $ agency doctor everything
    error: unexpected argument 'everything' found

    Usage: agency doctor [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
    std::fs::write(console.world.root().join("home/config.toml"), "max_agents = many\n").unwrap();
    sees!(console, ["ls"], @r"
    $ agency ls
    error [E_INVALID_CONFIG]: {world}/home/config.toml:1:14: not valid TOML: string values must be quoted, expected literal string
    hint: agency schema config prints the shape of the configuration
    [exit status: 2]
    ");
}

#[test]
fn serve() {
    let console = Console::new();
    sees!(console, ["serve", "now"], @r"
    $ agency serve now
    error: unexpected argument 'now' found

    Usage: agency serve [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn demo() {
    let console = Console::new();
    sees!(console, ["demo", "now"], @r"
    $ agency demo now
    error: unexpected argument 'now' found

    Usage: agency demo [OPTIONS]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}

#[test]
fn program() {
    let console = Console::new();
    sees!(console, ["--help"], @r#"
    $ agency --help
    Runs AI coding agents, each in its own workspace, watched, logged and never lost

    Usage: agency [OPTIONS] [COMMAND]

    Commands:
      tui  Open the TUI: all runs, their output and questions; the same as agency without
                   arguments
      run  Start an agent in a workspace of its own
      ls  List runs, newest first
      show  Show everything about one run, and the files it changed
      logs  Print what the agent said, byte for byte
      events  Print the numbered facts of a run; with --json, one JSON object per line
      diff  Print what a run changed against its base commit, committed or not
      attach  Show the agent's terminal here; Ctrl-b d leaves tmux, Ctrl-\ leaves a detached run
      wait  Wait until a run is over (or has started), and exit as it did
      why  Show what an agent is doing, since when, and the event or screen line it follows from
      inbox  List what agents ask and wait for, oldest first
      answer  Answer a question of an agent; the first answer counts
      policy  Check approval rules, or show what they would have done with past permissions
      agent  Manage named agents: each in its own workspace, restarted after a crash
      ask  Ask a question about sources; a fresh agent reads exactly those and answers
      chat  Talk with an agent about sources, on your own terminal
      source  Keep a list of repositories, directories and files that questions can be about
      mcp  Serve sources and runs to other agents, as an MCP server on standard input and output
      send  Send a message to a running agent
      interrupt  Let a running agent stop what it is doing; it stays and waits for a message
      resume  Continue the conversation of a finished run, in the same workspace
      stop  Stop runs: TERM to the agent, a grace, then KILL; the worktree stays
      rm  Remove worktrees and sessions of finished runs; uncommitted work is saved first
      restore  Bring work that `agency rm` saved back into a new branch, or with jj a new bookmark
      init  Write example workflows, spells and a system prompt; existing files are kept
      workflow  Execute workflow files: agents, commands, loops, reviews, merges
      reconcile  Write down how runs ended whose supervisor died, rebuild a lost database, and clear
                   up what crashes left
      serve  Watch all runs and reconcile those whose supervisor dies; no run depends on it
      doctor  Examine git, jj, tmux, the home, the database, the agents and the runs, and name a
                   fix for each problem
      adapters  List the agents that can be run: whether each is installed, its version, and what it
                   can do
      config  Show the configuration, or the file it is read from
      schema  Print JSON Schemas: of files that agency reads, and of every answer
      completions  Print a script that completes agency's commands, options and runs
      demo  Watch three scripted agents work at once on a sample repository; needs no model and
                   no network
      help  Print this message or the help of the given subcommand(s)

    Options:
          --json  Print one JSON object and nothing else
          --config <FILE>  Read this configuration file (also $AGENCY_CONFIG)
      -h, --help  Print help
      -V, --version  Print version

    Without a command, agency opens the TUI.

    Start with `agency demo`, or in a git repository:
      agency run --runner claude-code --prompt "Fix the failing test"
      agency ls
      agency attach <run>
    "#);
    sees!(console, ["runn"], @r"
    $ agency runn
    error: unrecognized subcommand 'runn'

      tip: a similar subcommand exists: 'run'

    Usage: agency [OPTIONS] [COMMAND]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
